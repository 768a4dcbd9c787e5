/// Balls with spin against floors, walls and ceilings.
///
/// A homogeneous sphere touches a surface with normal n at −r n. Its mobility is diagonal, 1/m along n and
/// (1/m)(1 + m r²/J) = 7/(2m) across, so with slip u = v_t − r ω × n every planar law gives
///   v⁺ = v + P/m,   r ω⁺ = r ω − (5/2)(n × P)/m                                              (docs/bodies.md (B3))
/// Reversed slip (e_t = 1, no limit of friction) has P_t = −(4/7) m u; on a floor, in the plane of x and z,
///   (v_x, rω_y) ↦ F (v_x, rω_y),  F = [3 4; 10 −3]/7,   on a ceiling  C = [3 −4; −10 −3]/7
/// (R. L. Garwin, "Kinematics of an ultraelastic rough ball", Am. J. Phys. 37, 88, 1969). F² = 1.

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr double super_radius = 0.1, super_mass = 0.4;
const ChatterjeeRuina superball_law{.e = 1, .e_t = 1, .mu = HUGE_VAL};

struct RollSpeed {
  double v, rw;  ///< v_x and r ω_y
};
RollSpeed off_floor(RollSpeed s) { return {(3 * s.v + 4 * s.rw) / 7, (10 * s.v - 3 * s.rw) / 7}; }
RollSpeed off_ceiling(RollSpeed s) { return {(3 * s.v - 4 * s.rw) / 7, (-10 * s.v - 3 * s.rw) / 7}; }

TEST(Superball, OnTheFloor_EveryOtherBounceIsTheSame) {
  const double h = 0.8, v0 = 1.7, w0 = -13;
  const double t0 = std::sqrt(2 * h / gravity);
  const Ran ran =
      run_world(world_of({ground(), ball(super_radius, super_mass, {0, 0, super_radius + h}, {v0, 0, 0}, {0, w0, 0})},
                         {superball_law}),
                20 * t0);
  ASSERT_TRUE(ran.ok);
  const auto impacts = ran.recording.of(EventKind::impact);
  ASSERT_EQ(impacts.size(), 10U);
  const RollSpeed before{v0, super_radius * w0}, after = off_floor(before);
  Deviation time("impact_time"), place("place"), energy("energy");
  double x = v0 * t0;
  for (std::size_t k = 0; k < impacts.size(); ++k) {
    time.add(impacts[k].time, t0 * static_cast<double>(2 * k + 1));
    place.add(impacts[k].point.x(), x, 1);
    energy.add(impacts[k].energy_change, 0, ran.ledger.start);
    x += (k % 2 == 0 ? after.v : before.v) * 2 * t0;
  }
  // Ten bounces bring velocity and spin back.
  place.add(ran.poses[1].velocity.x(), before.v, 1);
  place.add(super_radius * ran.poses[1].angular_velocity.y(), before.rw, 1);
  energy.add(ran.ledger.kinetic + ran.ledger.potential, ran.ledger.start);
  EXPECT_LT(time.largest(), 1e-12);
  EXPECT_LT(place.largest(), 1e-12);
  EXPECT_LT(energy.largest(), 1e-12);
}

// Garwin's trick: thrown under a table without spin, the ball comes back. F C F (v, 0) = (−333, −130)/343 v.
TEST(Superball, BetweenFloorAndTable_ComesBackAfterThreeBounces) {
  const double gap = 0.9, v = 2, up = 1.25;
  const double flight = (gap - 2 * super_radius) / up;
  const Ran ran =
      run_world(world_of({ground(), half_space({0, 0, gap}, -Vec3::UnitZ(), "table"),
                          ball(super_radius, super_mass, {0, 0, super_radius + flight * up / 2}, {v, 0, -up})},
                         {superball_law}, Vec3::Zero()),
                3 * flight);
  ASSERT_TRUE(ran.ok);
  const auto impacts = ran.recording.of(EventKind::impact);
  ASSERT_EQ(impacts.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(impacts[k].time, (static_cast<double>(k) + 0.5) * flight, 1e-12 * flight);
  const RollSpeed end = off_floor(off_ceiling(off_floor({v, 0})));
  EXPECT_NEAR(end.v, -333.0 / 343 * v, 1e-14);  // the product of the matrices, by hand
  Deviation speed("velocity");
  speed.add(ran.poses[2].velocity, {-333.0 / 343 * v, 0, up}, v);
  speed.add(super_radius * ran.poses[2].angular_velocity.y(), -130.0 / 343 * v, v);
  EXPECT_LT(speed.largest(), 1e-13);
}

// Thrown at a wall x = 0 that faces +x. Turned by 90°, (v_x, rω_y) of the floor becomes (v_z, −rω_y): with n = x, the
// slip is u_z = v_z + rω_y.
TEST(Superball, OffAWall_GainsSpinFromItsFall) {
  const double d = 0.75, v = 3;
  const double t1 = d / v, fall = -gravity * t1;
  const Ran ran = run_world(world_of({half_space(Vec3::Zero(), Vec3::UnitX(), "wall"),
                                      ball(super_radius, super_mass, {super_radius + d, 0, 10}, {-v, 0, 0})},
                                     {superball_law}),
                            2 * t1);
  ASSERT_TRUE(ran.ok);
  const auto impacts = ran.recording.of(EventKind::impact);
  ASSERT_EQ(impacts.size(), 1U);
  Deviation time("impact time"), place("place"), impulse("impulse"), velocity("velocity");
  time.add(impacts[0].time, t1);
  place.add(impacts[0].point.z(), 10 - gravity * t1 * t1 / 2);
  // P_z = −(4/7) m u_z; torque −r x × P_z z = r P_z y.
  const double u = fall, Pz = -4.0 / 7 * super_mass * u;
  impulse.add(seen_from(0, impacts[0]).P.z(), Pz);
  velocity.add(super_radius * ran.poses[1].angular_velocity.y(), Pz / (0.4 * super_mass), v);
  const double vz = 3.0 / 7 * fall;
  velocity.add(ran.poses[1].velocity, {v, 0, vz - gravity * t1}, v);
  place.add(ran.poses[1].position, {super_radius + d, 0, 10 - gravity * t1 * t1 / 2 + vz * t1 - gravity * t1 * t1 / 2},
            10);
  EXPECT_LT(time.largest(), 1e-14);
  EXPECT_LT(place.largest(), 1e-13);
  EXPECT_LT(impulse.largest(), 1e-13);
  EXPECT_LT(velocity.largest(), 1e-13);
}

// Smooth and elastic in a corner: the path is the free one folded at the wall, and periodic in height.
TEST(Superball, SmoothInACorner_FoldsTheFreeFlight) {
  const double h = 0.5, d = 1.1, v = 0.77;
  const double t0 = std::sqrt(2 * h / gravity), end = 11.3 * t0;
  const Ran ran =
      run_world(world_of({ground(), half_space(Vec3::Zero(), Vec3::UnitX(), "wall"),
                          ball(super_radius, super_mass, {super_radius + d, 0, super_radius + h}, {-v, 0, 0})},
                         {Frictionless{.e = 1}}),
                end, end / 211);
  ASSERT_TRUE(ran.ok);
  Deviation place("place");
  for (const Sample& sample : ran.recording.samples) {
    const double x = std::abs(d - v * sample.time);
    const double tau = std::remainder(sample.time, 2 * t0);  // from the top
    place.add(sample.poses[2].position, {super_radius + x, 0, super_radius + h - gravity * tau * tau / 2}, 1);
  }
  EXPECT_LT(place.largest(), 1e-12);
  std::size_t wall_hits = 0;
  for (const Event& event : ran.recording.of(EventKind::impact))
    if (event.body_a == 1 || event.body_b == 1) {
      ++wall_hits;
      EXPECT_NEAR(event.time, d / v, 1e-13);
    }
  EXPECT_EQ(wall_hits, 1U);
  EXPECT_EQ(ran.recording.of(EventKind::impact).size(), 7U);  // t₀ (2k + 1) < 11.3 t₀: six on the floor
}

// Routh's law in the plane, Poisson's e (docs/laws/routh.md (R11), (R14)), for a sphere: P_n = (1 + e) m v_n. Slip u
// goes on to the end where |u| ≥ (7/2) μ (1 + e) v_n, and P_t = −μ P_n û; otherwise it ends, and P_t = −(2/7) m u.
struct SpinDrop {
  Vec3 v, spin;
};

SpinDrop routh_on_floor(const Vec3& v, const Vec3& spin, double r, double e, double mu) {
  const double down = -v.z();
  const Vec3 u = Vec3(v.x(), v.y(), 0) - r * spin.cross(Vec3(Vec3::UnitZ()));
  const double slide = mu * (1 + e) * down, stop = 2.0 / 7 * u.norm();
  const Vec3 push = u.norm() > 0 ? Vec3(-std::min(slide, stop) * u.normalized()) : Vec3(Vec3::Zero());  // P_t/m
  SpinDrop out{v + push, spin - 2.5 / r * Vec3(Vec3::UnitZ()).cross(push)};
  out.v.z() = e * down;
  return out;
}

TEST(SpinningBall, DroppedOnARoughFloor_LeavesByRouthAndLandsWhereTheParabolaSays) {
  const double h = 1.1, e = 0.75, r = super_radius;
  const double t0 = std::sqrt(2 * h / gravity), down = gravity * t0, flight = 2 * e * down / gravity;
  Deviation speed("velocity"), place("second_bounce");
  for (const double mu : {0.05, 0.2, 0.9})
    for (const Vec3& spin : {Vec3(0, 80, 0), Vec3(0, -9, 0), Vec3(20, 31, 50), Vec3(0, 0, 30)})
      for (const Vec3& across : {Vec3(0, 0, 0), Vec3(0.4, -0.2, 0)}) {
        const Ran ran = run_world(
            world_of({ground(), ball(r, super_mass, {0, 0, r + h}, across, spin)}, {Routh{.e = e, .mu = mu}, mu, mu}),
            t0 + 1.5 * flight, t0 + 0.5 * flight);
        ASSERT_TRUE(ran.ok);
        const auto impacts = ran.recording.of(EventKind::impact);
        ASSERT_EQ(impacts.size(), 2U);
        const SpinDrop first = routh_on_floor(across - down * Vec3::UnitZ(), spin, r, e, mu);
        speed.add(seen_from(0, impacts[0]).P, super_mass * (first.v - across + down * Vec3::UnitZ()),
                  super_mass * down);
        place.add(impacts[1].time, t0 + flight);
        const Vec3 second = across * t0 + Vec3(first.v.x(), first.v.y(), 0) * flight;
        place.add(impacts[1].point, second, 1);
        // The spin between the bounces, at the top of the flight.
        std::size_t tops = 0;
        for (const Sample& sample : ran.recording.samples)
          if (sample.time > t0 * (1 + 1e-9) && sample.time < t0 + 0.9 * flight) {
            ++tops;
            speed.add(r * sample.poses[1].angular_velocity, r * first.spin, r * first.spin.norm());
          }
        EXPECT_EQ(tops, 1U);
      }
  EXPECT_LT(speed.largest(), 1e-12);
  EXPECT_LT(place.largest(), 1e-12);
}

}  // namespace
}  // namespace ricochet::motion
