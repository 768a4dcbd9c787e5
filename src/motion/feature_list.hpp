#pragma once
/// Features of two polyhedral shapes, each once.

#include <vector>

#include "motion/feature.hpp"

namespace ricochet::motion {

class FeatureList {
 public:
  /// Gaps up to `reach`; two at one point are one if their normals differ by less than the angle.
  FeatureList(double reach, double same_angle) : reach_(reach), same_angle_(same_angle) {}

  std::vector<FoundFeature> found;

  /// A vertex of v on a face of p.
  void vertex_on_face(const BodyShape& p, int face, const BodyShape& v, int vertex);
  /// n along which they touch, from a to b, axes of a; `closing`: only where they approach.
  void edges(const BodyShape& a, int edge_a, const BodyShape& b, int edge_b, const Vec3& n, const RelativePose& at,
             bool closing);
  /// Of round shapes.
  void vertex_on_edge(const BodyShape& e, int edge, const BodyShape& v, int vertex);
  void vertices(const BodyShape& a, int vertex_a, const BodyShape& b, int vertex_b);

 private:
  void add(const Feature& f, const BodyShape& a, const BodyShape& b);

  double reach_, same_angle_;
  std::vector<double> extents_;  ///< (MO26) of what is found
};

}  // namespace ricochet::motion
