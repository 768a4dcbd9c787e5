#include "ricochet/compliant/disc_on_plane.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "compliant/disc_oracle.hpp"
#include "numbers.hpp"

namespace ricochet::compliant {
namespace {

using ricochet::testing::DiscOracle;
constexpr double pi = std::numbers::pi;
using testing::infinity;

Vec3 tilted(double angle, double azimuth) {
  return {std::sin(angle) * std::cos(azimuth), std::sin(angle) * std::sin(azimuth), std::cos(angle)};
}

/// A coin that just touches the plane.
Disc coin(double angle, double azimuth, const Vec3& v, const Vec3& omega, DiscShape shape = {0.012, 0.001, 0, 0.05}) {
  Disc disc = solid_disc(0.005, shape);
  disc.axis = tilted(angle, azimuth);
  disc.velocity = v;
  disc.angular_velocity = omega;
  disc.position.z() = support(shape, disc.axis, -Vec3::UnitZ()).h;
  return disc;
}

PlaneProcess run(const Disc& disc, const PlaneContact& contact, const DiscRun& how = {}) {
  const auto process = collide(disc, contact, how);
  if (!process) throw std::runtime_error(process.error().message());
  return *process;
}

TEST(DiscOnPlane, FlatWithoutFrictionIsHalfASine) {
  const Disc disc = coin(0, 0, {0.3, 0, -1}, {0, 0, 20});
  const double c = 1e6, T = std::sqrt(disc.mass / c);
  const PlaneProcess p = run(disc, {.stiffness = c});
  EXPECT_NEAR(p.contact_time, pi * T, 1e-10 * T);
  EXPECT_LT((p.after.velocity - Vec3(0.3, 0, 1)).norm(), 1e-11);
  EXPECT_LT((p.after.angular_velocity - Vec3(0, 0, 20)).norm(), 1e-9);
  EXPECT_LT((p.P - Vec3(0, 0, 2 * disc.mass)).norm(), 1e-11 * disc.mass);
  EXPECT_NEAR(p.largest_force, std::sqrt(disc.mass * c), 1e-3 * std::sqrt(disc.mass * c));
  ASSERT_GT(p.samples.size(), 60u);
  for (const PlaneSample& s : p.samples) {
    if (s.phase == DiscPhase::flight) continue;
    EXPECT_NEAR(s.force.z(), std::sqrt(disc.mass * c) * std::sin(s.t / T), 1e-9 * p.largest_force);
    EXPECT_EQ(s.force.x(), 0);
    EXPECT_NEAR(s.rim, 0, 1e-12);
  }
  EXPECT_LT(p.residual, 1e-12);
}

TEST(DiscOnPlane, FlatCircleThatGripsHasTheTwoSpringsApart) {
  // H = 0: the force passes through the centre. Tangential: v cos(√κ π). Spin: the same with κ m r_d²/J_a.
  for (const double kappa : {0.3, 0.824, 2.0}) {
    const Disc disc = coin(0, 0, {0.3, -0.2, -1}, {0, 0, 40}, {0.012, 0, 0, 0.05});
    const PlaneProcess p = run(disc, {.stiffness = 1e6, .kappa = kappa, .mu = infinity});
    const double factor = std::cos(std::sqrt(kappa) * pi);
    EXPECT_LT((p.after.velocity - Vec3(0.3 * factor, -0.2 * factor, 1)).norm(), 1e-9);
    const double r_d = 2.0 / 3 * 0.012, ratio = kappa * disc.mass * r_d * r_d / disc.axial_inertia;
    EXPECT_NEAR(p.after.angular_velocity.z(), 40 * std::cos(std::sqrt(ratio) * pi), 1e-7);
    // What the springs hold at the end is lost: ½ m v² sin² of the same angles.
    const double s1 = std::sin(std::sqrt(kappa) * pi), s2 = std::sin(std::sqrt(ratio) * pi);
    const double released = 0.5 * disc.mass * 0.13 * s1 * s1 + 0.5 * disc.axial_inertia * 1600 * s2 * s2;
    EXPECT_NEAR(p.samples.back().released, released, 1e-9 * released);
    EXPECT_NEAR(-p.energy_change, released, 1e-9 * released);
    EXPECT_EQ(p.samples.back().friction, 0);
    EXPECT_LT(p.residual, 1e-12);
  }
}

TEST(DiscOnPlane, FlatSpinThatSlidesThroughoutLosesMuTimesTheImpulseAtTheDrillingRadius) {
  for (const double drilling : {2.0 / 3, 1.0, 0.0}) {
    const Disc disc = coin(0, 0, {0, 0, -1}, {0, 0, 500}, {0.012, 0.001, 0, 0.05});
    const PlaneProcess p = run(disc, {.stiffness = 1e6, .kappa = 1, .mu = 0.1, .drilling = drilling});
    const double change = 0.1 * 2 * disc.mass * drilling * 0.012 / disc.axial_inertia;
    EXPECT_NEAR(p.after.angular_velocity.z(), 500 - change, 1e-8 * 500);
    EXPECT_NEAR(p.energy_change, 0.5 * disc.axial_inertia * (std::pow(500 - change, 2) - 250'000),
                1e-9 * disc.axial_inertia * 250'000);
    EXPECT_LT(p.residual, 1e-12);
  }
}

TEST(DiscOnPlane, EdgeWithoutFrictionComesToTheRigidElasticImpactAsTheContactStiffens) {
  // Rigid: P = −2 V_n / W_nn at the edge point, e = 1.
  const Disc disc = coin(0.6, 0.3, {0.3, -0.1, -1}, {20, -30, 15});
  const Vec3 r = support(disc.shape, disc.axis, -Vec3::UnitZ()).arm, rn = r.cross(Vec3::UnitZ());
  const Vec3 a = disc.axis;
  const Mat3 J =
      disc.transverse_inertia * Mat3::Identity() + (disc.axial_inertia - disc.transverse_inertia) * a * a.transpose();
  const double W = 1 / disc.mass + rn.dot(J.inverse() * rn);
  const double V = disc.velocity.z() + disc.angular_velocity.dot(rn);
  const double P = -2 * V / W;
  double last = 0;
  for (const double c : {1e6, 1e8, 1e10}) {
    const PlaneProcess p = run(disc, {.stiffness = c});
    const double error = std::abs(p.P.z() - P) / P;
    if (last > 0) {  // one order of √(m/c)
      EXPECT_NEAR(error / last, 0.1, 0.02) << c;
    }
    last = error;
    EXPECT_NEAR(p.energy_change, 0, 1e-10 * kinetic_energy(disc));
  }
  EXPECT_LT(last, 1e-3);
}

/// The planar spring-sledge of REG at a fixed place: W = C/m, undamped, sliding throughout in one direction or gripping
/// throughout, both in closed form.
TEST(DiscOnPlane, EdgeThatSlidesThroughoutComesToThePointSledge) {
  // Tilt and velocity in one plane: y'' = −(C_yy − μ C_xy) y, so that P_n = −2 V_n / (W_nn − μ W_nt) as for rigid slip.
  const double mu = 0.2;
  const Disc disc = coin(0.6, 0, {3, 0, -1}, {0, 0, 0}, {0.012, 0, 0, 0.05});
  const Vec3 r = support(disc.shape, disc.axis, -Vec3::UnitZ()).arm;
  const double Wnn = 1 / disc.mass + r.x() * r.x() / disc.transverse_inertia;
  const double Wnt = -r.x() * r.z() / disc.transverse_inertia;
  const double P = 2 / (Wnn - mu * Wnt);
  double last = 0;
  for (const double c : {1e6, 1e8, 1e10}) {
    const PlaneProcess p = run(disc, {.stiffness = c, .kappa = 2, .mu = mu});
    EXPECT_NEAR(p.P.x(), -mu * p.P.z(), 1e-9 * P);
    const double error = std::abs(p.P.z() - P) / P;
    if (last > 0) {
      EXPECT_NEAR(error / last, 0.1, 0.03) << c;
    }
    last = error;
  }
  EXPECT_LT(last, 1e-3);
}

TEST(DiscOnPlane, EdgeThatGripsThroughoutComesToThePointSledge) {
  const double kappa = 0.824;
  const Disc disc = coin(0.6, 0, {0.4, 0, -1}, {0, 0, 0}, {0.012, 0, 0, 0.05});
  const Vec3 r = support(disc.shape, disc.axis, -Vec3::UnitZ()).arm;
  const double Wnn = 1 / disc.mass + r.x() * r.x() / disc.transverse_inertia;
  const double Wtt = 1 / disc.mass + r.z() * r.z() / disc.transverse_inertia;
  const double Wnt = -r.x() * r.z() / disc.transverse_inertia;
  // z'' = −W K z: symmetric in √K z, two modes; contact ends when the normal deflection returns to zero.
  const auto rebound = [&](double c) {
    Eigen::Matrix2d W, root = Eigen::Vector2d(std::sqrt(kappa * c), std::sqrt(c)).asDiagonal();
    W << Wtt, Wnt, Wnt, Wnn;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> modes(root * W * root);
    const Eigen::Vector2d start = modes.eigenvectors().transpose() * root * Eigen::Vector2d(0.4, -1);
    const Eigen::Vector2d f = modes.eigenvalues().cwiseSqrt();
    const auto z = [&](double t) {
      const Eigen::Vector2d q(start(0) * std::sin(f(0) * t) / f(0), start(1) * std::sin(f(1) * t) / f(1));
      return Eigen::Vector2d(root.inverse() * modes.eigenvectors() * q);
    };
    const auto v = [&](double t) {
      const Eigen::Vector2d q(start(0) * std::cos(f(0) * t), start(1) * std::cos(f(1) * t));
      return Eigen::Vector2d(root.inverse() * modes.eigenvectors() * q);
    };
    double high = 0.1 / f(1);
    while (z(high).y() < 0) high += 0.001 / f(1);
    double low = high - 0.001 / f(1);
    for (int i = 0; i < 80; ++i) {
      const double middle = 0.5 * (low + high);
      (z(middle).y() < 0 ? low : high) = middle;
    }
    return v(high);
  };
  double last = 0;
  for (const double c : {1e6, 1e8, 1e10}) {
    const PlaneProcess p = run(disc, {.stiffness = c, .kappa = kappa, .mu = infinity});
    const Vec3 V = p.after.velocity + p.after.angular_velocity.cross(r);
    const double error = (Eigen::Vector2d(V.x(), V.z()) - rebound(c)).norm();
    if (last > 0) {
      EXPECT_NEAR(error / last, 0.1, 0.03) << c;
    }
    last = error;
  }
  EXPECT_LT(last, 1e-3);
}

TEST(DiscOnPlane, GeneralSolverAgreesOnEdgeFaceAndBetween) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> u(-1, 1);
  int changes = 0, blended = 0, edges = 0;
  for (int i = 0; i < 60; ++i) {
    const double angle = i % 3 == 0   ? 0.5 + 0.4 * u(random)
                         : i % 3 == 1 ? 0.05 * std::abs(u(random))
                                      : 0.05 + 0.02 * u(random);
    Disc disc = coin(angle, pi * u(random), {u(random), u(random), -1.5 + u(random)},
                     {30 * u(random), 30 * u(random), 90 * u(random)});
    const PlaneContact contact{
        .stiffness = 1e5, .kappa = 0.5 + std::abs(u(random)), .mu = i % 5 == 4 ? 0 : 0.2 + 0.4 * std::abs(u(random))};
    const Vec3 arm = support(disc.shape, disc.axis, -Vec3::UnitZ()).arm;
    if (disc.velocity.z() + disc.angular_velocity.cross(arm).z() > -0.2) continue;
    const PlaneProcess p = run(disc, contact);
    const auto oracle = DiscOracle(disc, contact).run(1e-13);
    changes += oracle.changes;
    (p.samples[p.samples.size() / 2].rim < 1 ? blended : edges) += 1;
    EXPECT_LT((p.after.velocity - oracle.v).norm(), 3e-9) << i;
    EXPECT_LT((p.after.angular_velocity - oracle.omega).norm(), 3e-9 / 0.012) << i;
    EXPECT_NEAR(p.samples.back().friction, oracle.friction, 3e-9 * kinetic_energy(disc)) << i;
    EXPECT_NEAR(p.contact_time, oracle.time, 1e-6 * oracle.time) << i;
    EXPECT_LT(p.residual, 1e-12) << i;
  }
  EXPECT_GE(changes, 30);
  EXPECT_GT(blended, 10);
  EXPECT_GT(edges, 10);
}

TEST(DiscOnPlane, LedgerClosesAndFrictionNeverGivesEnergy) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> u(-1, 1);
  for (int i = 0; i < 300; ++i) {
    Disc disc = coin(0.7 * u(random) * u(random), pi * u(random), {2 * u(random), u(random), -1.5 + u(random)},
                     {30 * u(random), 30 * u(random), 90 * u(random)});
    const Vec3 arm = support(disc.shape, disc.axis, -Vec3::UnitZ()).arm;
    if (disc.velocity.z() + disc.angular_velocity.cross(arm).z() > -0.1) continue;
    const double mu = std::abs(u(random));
    const PlaneProcess p = run(disc, {.stiffness = 1e6, .kappa = 0.2 + std::abs(u(random)), .mu = mu});
    EXPECT_LT(p.residual, 1e-12);
    double lost = 0;
    for (const PlaneSample& s : p.samples) {
      EXPECT_GE(s.friction, lost - 1e-13 * kinetic_energy(disc));
      lost = s.friction;
      const double r_s = 2.0 / 3 * 0.012 * (1 - s.rim * s.rim);
      const double drilling = r_s > 1e-9 ? s.drilling_moment / r_s : 0;
      EXPECT_LE(Vec3(s.force.x(), s.force.y(), drilling).norm(), mu * s.force.z() + 1e-9 * p.largest_force);
      EXPECT_GE(s.force.z(), 0);
    }
    EXPECT_LE(p.energy_change, 1e-10 * kinetic_energy(disc));
    // Impulse and velocities agree.
    EXPECT_LT((disc.mass * (p.after.velocity - disc.velocity) - p.P).norm(), 1e-11 * disc.mass);
  }
}

TEST(DiscOnPlane, SmallTiltRocksOverWithoutAJump) {
  // The outcome is a continuous function of tilt from flat to edge, through the blend: where it changes most between
  // two tilts, bisection finds no jump.
  const auto after = [&](double x) {
    const PlaneProcess p = run(coin(x, 0.2, {0.2, 0, -1}, {0, 0, 0}), {.stiffness = 1e7, .kappa = 0.8, .mu = 0.3});
    return Vec3(p.after.velocity + 0.012 * p.after.angular_velocity);
  };
  double worst = 0, at = 0;
  const double step = 2e-4;
  Vec3 before = after(0);
  for (double angle = step; angle < 0.1; angle += step) {
    const Vec3 here = after(angle);
    if ((here - before).norm() > worst) {
      worst = (here - before).norm();
      at = angle;
    }
    before = here;
  }
  double low = at - step, high = at;
  for (int i = 0; i < 12; ++i) {
    const double middle = 0.5 * (low + high);
    const bool left = (after(middle) - after(low)).norm() > (after(high) - after(middle)).norm();
    (left ? high : low) = middle;
  }
  EXPECT_LT((after(high) - after(low)).norm(), worst / 500);
  // Flat returns all of the normal velocity, the edge only a part of it.
  const auto up = [&](double x) {
    return run(coin(x, 0, {0, 0, -1}, {0, 0, 0}), {.stiffness = 1e7}).after.velocity.z();
  };
  EXPECT_NEAR(up(0), 1, 1e-10);
  EXPECT_LT(up(0.1), 0.0);
}

TEST(DiscOnPlane, TurningTheSceneAboutTheNormalOrMirroringItTurnsOrMirrorsTheOutcome) {
  const PlaneContact contact{.stiffness = 1e6, .kappa = 0.7, .mu = 0.35};
  const Disc disc = coin(0.04, 0.3, {0.6, -0.4, -1}, {12, 7, 60});
  const PlaneProcess p = run(disc, contact);
  const Eigen::AngleAxisd turn(1.1, Vec3::UnitZ());
  Disc turned = disc;
  turned.axis = turn * disc.axis;
  turned.velocity = turn * disc.velocity;
  turned.angular_velocity = turn * disc.angular_velocity;
  const PlaneProcess q = run(turned, contact);
  EXPECT_LT((q.after.velocity - turn * p.after.velocity).norm(), 1e-10);
  EXPECT_LT((q.after.angular_velocity - turn * p.after.angular_velocity).norm(), 1e-8);
  const Vec3 flip(1, -1, 1);
  Disc mirrored = disc;
  mirrored.axis = disc.axis.cwiseProduct(flip);
  mirrored.velocity = disc.velocity.cwiseProduct(flip);
  mirrored.angular_velocity = -disc.angular_velocity.cwiseProduct(flip);
  const PlaneProcess m = run(mirrored, contact);
  EXPECT_LT((m.after.velocity - p.after.velocity.cwiseProduct(flip)).norm(), 1e-10);
  Disc upside_down = disc;  // the other face down
  upside_down.axis = -disc.axis;
  const PlaneProcess d = run(upside_down, contact);
  EXPECT_LT((d.after.velocity - p.after.velocity).norm(), 1e-10);
}

TEST(DiscOnPlane, DroppedCoinFallsFirst) {
  Disc disc = coin(0.3, 0, {0, 0, 0}, {0, 0, 0});
  const double lowest = disc.position.z();
  disc.position.z() += 0.05;
  const PlaneProcess p = run(disc, {.stiffness = 1e6, .kappa = 0.8, .mu = 0.3}, {.gravity = 9.81});
  EXPECT_NEAR(p.touchdown, std::sqrt(2 * 0.05 / 9.81), 1e-9);
  EXPECT_EQ(p.contacts, 1);
  EXPECT_LT(p.residual, 1e-12);
  EXPECT_NEAR(p.samples.front().depth, -0.05, 1e-12);
  EXPECT_LT(p.after.position.z(), lowest);
  // For longer it clatters: the far edge comes down next.
  const PlaneProcess q = run(disc, {.stiffness = 1e6, .kappa = 0.8, .mu = 0.3}, {.gravity = 9.81, .duration = 0.3});
  EXPECT_GT(q.contacts, 2);
  EXPECT_NEAR(q.samples.back().t, 0.3, 1e-12);
  EXPECT_LT(q.residual, 1e-12);
  EXPECT_NEAR(q.samples.back().total(), q.samples.front().total(), 1e-9 * q.samples.front().total());
}

TEST(DiscOnPlane, UprightDiscRollsWithoutSlip) {
  // Started in steady rolling, it keeps rolling: only its weight acts on the contact.
  Disc disc = solid_disc(0.1, {.radius = 0.05, .half_thickness = 0, .fillet = 0, .blend = 0.02});
  disc.axis = Vec3::UnitY();
  const double c = 1e5, sag = 0.1 * 9.81 / c;
  disc.position = {0, 0, 0.05 - sag};
  disc.velocity = {1, 0, 0};
  disc.angular_velocity = {0, 1 / 0.05, 0};
  const PlaneProcess p =
      run(disc, {.stiffness = c, .kappa = 0.8, .mu = 0.4}, {.gravity = 9.81, .duration = 0.5, .sample_interval = 0.01});
  EXPECT_NEAR(p.after.position.x(), 0.5, 1e-9);
  for (const PlaneSample& s : p.samples) EXPECT_LT(s.gap_velocity.norm(), 1e-10);
  EXPECT_LT(p.residual, 1e-12);
}

TEST(DiscOnPlane, SteadyRollingInACircleIsTheIdealOneToTheOrderOfTheSag) {
  // (RW7): the tilt, the spin and the rate of running round that fit each other.
  const double m = 0.1, R = 0.05, g_0 = 9.81, theta = 1.2, Omega = -12;
  const double sine = std::sin(theta), cosine = std::cos(theta);
  double last = 0;
  for (const double c : {1e5, 1e6, 1e7}) {
    Disc disc = solid_disc(m, {.radius = R, .half_thickness = 0, .fillet = 0, .blend = 0.02});
    const double spin = (disc.transverse_inertia * Omega * Omega * sine * cosine - m * g_0 * R * cosine) /
                        ((disc.axial_inertia + m * R * R) * Omega * sine);
    disc.axis = tilted(theta, 0);
    const Vec3 t = (disc.axis * cosine - Vec3::UnitZ()) / sine;  // from the centre to the contact
    disc.angular_velocity = spin * disc.axis - Omega * sine * t;
    disc.velocity = -disc.angular_velocity.cross(R * t);
    disc.position = {0, 0, R * sine - m * g_0 / c};
    const double time = 0.25;
    const PlaneProcess p = run(disc, {.stiffness = c, .kappa = 0.8, .mu = infinity},
                               {.gravity = g_0, .duration = time, .sample_interval = 0.05});
    const Vec3 ideal = Eigen::AngleAxisd(Omega * time, Vec3::UnitZ()) * disc.axis;
    const double error = (p.after.axis - ideal).norm();
    EXPECT_LT(p.residual, 1e-12);
    if (last > 0) {
      EXPECT_LT(error / last, 0.4) << c;
    }
    last = error;
  }
  EXPECT_LT(last, 1e-3);
}

TEST(DiscOnPlane, RefusalsNameTheField) {
  const Disc good = coin(0.2, 0, {0, 0, -1}, {0, 0, 0});
  const auto refused = [](const Disc& disc, const PlaneContact& contact, const DiscRun& how, const char* field) {
    const auto result = collide(disc, contact, how);
    ASSERT_FALSE(result) << field;
    EXPECT_EQ(result.error().path, field);
    EXPECT_FALSE(result.error().allowed.empty());
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refused(good, {.stiffness = 0}, {}, "stiffness");
  refused(good, {.stiffness = infinity}, {}, "stiffness");
  refused(good, {.kappa = 0}, {}, "kappa");
  refused(good, {.mu = -0.1}, {}, "mu");
  refused(good, {.mu = nan}, {}, "mu");
  refused(good, {.drilling = 1.5}, {}, "drilling");
  refused(good, {}, {.gravity = -1}, "gravity");
  refused(good, {}, {.duration = nan}, "duration");
  refused(good, {}, {.tolerance = 0}, "tolerance");
  refused(good, {}, {.sample_interval = -1}, "sample_interval");
  Disc leaving = good;
  leaving.velocity.z() = 1;
  refused(leaving, {}, {}, "velocity");
  Disc resting = good;
  resting.velocity.setZero();
  resting.position.z() += 0.1;
  refused(resting, {}, {}, "velocity");
  Disc bad = good;
  bad.mass = 0;
  refused(bad, {}, {}, "mass");
}

TEST(DiscOnPlane, LimitOfStepsKeepsTheMotionSoFar) {
  const Disc disc = coin(0.4, 0, {0.3, 0, -1}, {0, 0, 20});
  const PlaneContact contact{.stiffness = 1e6, .mu = 0.3};
  const PlaneProcess whole = run(disc, contact), part = run(disc, contact, {.most_steps = 30});
  EXPECT_FALSE(whole.step_limit);
  EXPECT_TRUE(part.step_limit);
  EXPECT_EQ(part.steps, 30);
  ASSERT_GT(part.samples.size(), 1u);
  EXPECT_GT(part.samples.back().t, 0);
  EXPECT_LT(part.samples.back().t, whole.samples.back().t);
  EXPECT_NE(part.samples.back().phase, DiscPhase::flight);
  EXPECT_GT(part.samples.back().force.z(), 0);
  EXPECT_LT(part.residual, 1e-12);
}

TEST(DiscOnPlane, FlightsHoweverShortAreSampled) {
  // A coin that clatters: samples so far apart that no flight has one of its own.
  const Disc disc = coin(0.1, 0, {0, 0, -0.2}, {0, 0, 0});
  const PlaneProcess p =
      run(disc, {.stiffness = 1e6, .mu = 0.3}, {.gravity = 9.81, .duration = 0.05, .sample_interval = 0.05});
  ASSERT_GT(p.contacts, 1);
  int flights = 0;
  for (std::size_t i = 1; i < p.samples.size(); ++i)
    if (p.samples[i].phase == DiscPhase::flight && p.samples[i - 1].phase != DiscPhase::flight) ++flights;
  EXPECT_GE(flights, p.contacts - 1);
}

}  // namespace
}  // namespace ricochet::compliant
