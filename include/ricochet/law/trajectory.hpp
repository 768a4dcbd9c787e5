#pragma once
/// The path of an impact through impulse space, resolved for drawing. A law's outcome contains the events; between two
/// of them the impulse moves along a straight line, unless the slip direction changes: then it follows (R1) and (R2) of
/// docs/laws/routh.md, integrated in the regular form (R3), which must reach the law's next event.

#include <string>
#include <vector>

#include "ricochet/law/outcome.hpp"

namespace ricochet {

struct TrajectoryPoint {
  Vec3 P = Vec3::Zero();  ///< impulse so far, input coordinates [N s]
  Vec3 V = Vec3::Zero();  ///< velocity of the contact point [m/s]
  double normal_work = 0, friction_work = 0;
};

struct TrajectoryPiece {
  enum class Form {
    straight,  ///< dP has one direction: the end points suffice
    swerving,  ///< by points in between
    unknown,   ///< unknown path: only the end points are known
  };
  std::vector<TrajectoryPoint> points;  ///< both ends included
  Form form = Form::straight;
};

struct TrajectoryMark {
  std::string name;
  TrajectoryPoint at;
};

struct Trajectory {
  std::vector<TrajectoryPiece> pieces;
  std::vector<TrajectoryMark> marks;  ///< start, end, and the events in between

  [[nodiscard]] std::vector<Vec3> impulses() const;  ///< all points in order
};

/// `mu` is the sliding friction between the events of the outcome, 0 to ∞.
[[nodiscard]] Trajectory trajectory_of(const Contact& contact, const Outcome& outcome, double mu);

/// At the fraction s of a straight piece, 0 to 1: V is linear in P, and the works follow.
[[nodiscard]] TrajectoryPoint along(const Vec3& n, const TrajectoryPoint& from, const TrajectoryPoint& to, double s);

}  // namespace ricochet
