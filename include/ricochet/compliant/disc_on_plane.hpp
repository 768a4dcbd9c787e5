#pragma once
/// A disc meets the plane z = 0 from above, with friction: on its edge, on its face or anything between
/// (docs/compliant/disc-on-plane.md).

#include <cstdint>
#include <string_view>
#include <vector>

#include "ricochet/compliant/disc_run.hpp"
#include "ricochet/compliant/disc_shape.hpp"

namespace ricochet::compliant {

struct PlaneContact {
  double stiffness = 1e6;     ///< c, normal [N/m]
  double kappa = 1;           ///< κ, tangential stiffness by normal
  double mu = 0;              ///< μ, 0 to ∞
  double drilling = 2.0 / 3;  ///< r_d / R, 0 to 1: resistance to spin about n when flat
};

enum class DiscPhase : std::uint8_t { flight, stick, slip };
[[nodiscard]] std::string_view name(DiscPhase phase);

/// One instant. The sum of the energies is constant (D9).
struct PlaneSample {
  double t = 0;  ///< [s]
  DiscPhase phase = DiscPhase::flight;
  Disc disc;
  double depth = 0;                                 ///< δ [m]; negative: height of the gap
  Vec3 force = Vec3::Zero();                        ///< on the disc: Q_x, Q_y, N [N]
  double drilling_moment = 0;                       ///< r_s Q_z [N m]
  double rim = 0;                                   ///< w: 0 on the face, 1 on the edge
  Vec3 point = Vec3::Zero();                        ///< where the force acts [m]
  Vec3 gap_velocity = Vec3::Zero();                 ///< v + ω × r of the disc at that point; zero in ideal rolling
  double kinetic = 0, potential = 0;                ///< of the disc; potential of gravity [J]
  double normal_spring = 0, tangential_spring = 0;  ///< stored [J]
  double friction = 0;                              ///< lost so far to friction [J]
  double released = 0;  ///< lost so far when contacts with loaded springs opened (μ = ∞ only) [J]
  [[nodiscard]] double total() const {
    return kinetic + potential + normal_spring + tangential_spring + friction + released;
  }
};

struct PlaneProcess {
  std::vector<PlaneSample> samples;  ///< start, end, every change of phase, and in between
  Disc after;
  Vec3 P = Vec3::Zero();                   ///< impulse of the contact on the disc [N s]
  double contact_time = 0, touchdown = 0;  ///< [s]; touchdown is the first
  int contacts = 0;                        ///< how many times it touched
  double largest_force = 0;                ///< of N [N]
  double energy_change = 0;                ///< kinetic [J]
  double residual = 0;                     ///< largest departure of (D9), by the largest of its terms
  long steps = 0;
  bool step_limit = false;  ///< ends where DiscRun::most_steps was reached, in contact
};

[[nodiscard]] Expected<PlaneProcess> collide(const Disc& disc, const PlaneContact& contact, const DiscRun& run = {});

}  // namespace ricochet::compliant
