#pragma once
/// Two discs meet without friction, with their edges, their faces or one with the other, overlapping wholly or in part
/// (docs/compliant/disc-on-disc.md).

#include <vector>

#include "ricochet/compliant/disc_run.hpp"
#include "ricochet/compliant/disc_shape.hpp"

namespace ricochet::compliant {

/// Relative configuration of two discs.
struct DiscGap {
  double distance = 0;                              ///< Δ [m]; negative: depth of contact
  Vec3 normal = Vec3::UnitZ();                      ///< d, from A to B
  Vec3 arm_A = Vec3::Zero(), arm_B = Vec3::Zero();  ///< r_1, r_2: where they touch, from either centre [m]
  double rim_A = 0, rim_B = 0;                      ///< w_1, w_2: 0 on the face, 1 on the edge
  int piece_A = 0, piece_B = 0;                     ///< of the shapes, as in Support
};

/// The distance of two discs that are apart. For discs in contact, `near` is a guess of the normal, and the maximum of
/// (DD1) next to it is found.
[[nodiscard]] Expected<DiscGap> gap_between(const Disc& A, const Disc& B);
[[nodiscard]] Expected<DiscGap> gap_between(const Disc& A, const Disc& B, const Vec3& near);

/// One instant. Momentum, angular momentum about the origin and energy are constant.
struct DiscPairSample {
  double t = 0;  ///< [s]
  bool touching = false;
  Disc A, B;
  DiscGap gap;
  double force = 0;                       ///< N, along the normal on B [N]
  double kinetic = 0, normal_spring = 0;  ///< [J]
};

struct DiscPairProcess {
  std::vector<DiscPairSample> samples;
  Disc A, B;                               ///< after
  Vec3 P = Vec3::Zero();                   ///< impulse of A on B [N s]
  double contact_time = 0, touchdown = 0;  ///< [s]; touchdown is the first
  int contacts = 0;
  double largest_force = 0;      ///< [N]
  double energy_change = 0;      ///< kinetic [J]
  double residual = 0;           ///< largest change of kinetic + spring energy, by the largest of the two
  double momentum_residual = 0;  ///< largest change of the sums m v and L + x × m v, by the largest of their parts
  long steps = 0;
  bool step_limit = false;  ///< ends where DiscRun::most_steps was reached, in contact
};

/// `stiffness` is c [N/m]. Gravity would accelerate both equally and must be 0.
[[nodiscard]] Expected<DiscPairProcess> collide(const Disc& A, const Disc& B, double stiffness,
                                                const DiscRun& run = {});

}  // namespace ricochet::compliant
