#include "ricochet/compliant/disc_on_disc.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "compliant/disc_oracle.hpp"
#include "ricochet/compliant/disc_on_plane.hpp"

namespace ricochet::compliant {
namespace {

constexpr double pi = std::numbers::pi;

Vec3 direction(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return Vec3(normal(random), normal(random), normal(random)).normalized();
}

Disc disc(const Vec3& x, const Vec3& a, DiscShape shape = {1, 0, 0, 0.05}, double mass = 1) {
  Disc d = solid_disc(mass, shape);
  d.position = x;
  d.axis = a.normalized();
  return d;
}

DiscGap gap(const Disc& A, const Disc& B) {
  const auto found = gap_between(A, B);
  if (!found) throw std::runtime_error(found.error().message());
  return *found;
}

DiscGap gap(const Disc& A, const Disc& B, const Vec3& near) {
  const auto found = gap_between(A, B, near);
  if (!found) throw std::runtime_error(found.error().message());
  return *found;
}

DiscPairProcess run(const Disc& A, const Disc& B, double c, const DiscRun& how = {}) {
  const auto found = collide(A, B, c, how);
  if (!found) throw std::runtime_error(found.error().message());
  return *found;
}

Mat3 inverse_inertia(const Disc& d) {
  const Mat3 aa = d.axis * d.axis.transpose();
  return (Mat3::Identity() - aa) / d.transverse_inertia + aa / d.axial_inertia;
}

/// Velocity change per unit of normal impulse, for rigid bodies.
double mobility(const Disc& A, const Disc& B, const DiscGap& g) {
  const Vec3 a = g.arm_A.cross(g.normal), b = g.arm_B.cross(g.normal);
  return 1 / A.mass + 1 / B.mass + a.dot(inverse_inertia(A) * a) + b.dot(inverse_inertia(B) * b);
}

double approach(const Disc& A, const Disc& B, const DiscGap& g) {
  return g.normal.dot(B.velocity + B.angular_velocity.cross(g.arm_B) - A.velocity - A.angular_velocity.cross(g.arm_A));
}

/// B moved along the normal until it touches A.
Disc touching(const Disc& A, Disc B) {
  for (int i = 0; i < 60; ++i) {
    const DiscGap g = gap(A, B);
    B.position -= g.distance * g.normal;
    if (std::abs(g.distance) < 1e-15) break;
  }
  return B;
}

TEST(DiscOnDisc, DistanceIsThatOfTwoFlatDiscsLessTheirDomes) {
  // Alternating projections onto the flat discs: slow and sure. Domes can only bring them nearer, by 5/16 ε R each.
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> u(-1, 1);
  const auto nearest = [](const Disc& d, const Vec3& p) {
    Vec3 q = p - d.position;
    q -= q.dot(d.axis) * d.axis;
    if (q.norm() > d.shape.radius) q *= d.shape.radius / q.norm();
    return Vec3(d.position + q);
  };
  int tested = 0;
  for (int i = 0; i < 300; ++i) {
    const double epsilon = 0.02;
    const Disc A = disc(Vec3::Zero(), direction(random), {1, 0, 0, epsilon});
    const Disc B = disc(direction(random) * (1.2 + std::abs(u(random))), direction(random), {0.7, 0, 0, epsilon});
    Vec3 p = A.position, q = B.position;
    for (int k = 0; k < 20'000; ++k) {
      q = nearest(B, p);
      p = nearest(A, q);
    }
    const double distance = (q - p).norm();
    if (distance < 0.05) continue;
    ++tested;
    const DiscGap g = gap(A, B);
    const double domes = 5.0 / 16 * epsilon * 1.7;
    EXPECT_LE(g.distance, distance + 1e-6) << i;
    EXPECT_GE(g.distance, distance - domes - 1e-6) << i;
    // Edge on edge there are no domes: then to the accuracy of the projections.
    if (g.rim_A == 1 && g.rim_B == 1) {
      EXPECT_NEAR(g.distance, distance, 1e-5) << i;
    }
  }
  EXPECT_GT(tested, 100);
}

TEST(DiscOnDisc, NormalIsWhereTheyAreFurthestApart) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200; ++i) {
    const DiscShape shape{1, 0.1, 0.01, i % 2 == 0 ? 0.3 : 0.02};
    const Disc A = disc(Vec3::Zero(), direction(random), shape);
    const Disc B = disc(3 * direction(random), direction(random), {0.6, 0.05, 0, 0.1});
    const DiscGap g = gap(A, B);
    for (int k = 0; k < 2000; ++k) {
      Vec3 d = direction(random);
      if (k % 2 == 0) d = (g.normal + 0.01 * d).normalized();
      const double other =
          d.dot(B.position - A.position) - support(A.shape, A.axis, d).h - support(B.shape, B.axis, -d).h;
      EXPECT_LE(other, g.distance + 1e-13);
    }
    const DiscGap swapped = gap(B, A);
    EXPECT_NEAR(swapped.distance, g.distance, 1e-13);
    EXPECT_LT((swapped.normal + g.normal).norm(), 1e-7);
    EXPECT_LT((swapped.arm_A - g.arm_B).norm(), 1e-6);
  }
}

TEST(DiscOnDisc, KindsOfContact) {
  // Partially overlapping faces of equal discs: half way between the centres, (DD2).
  const double offset = 0.8;
  const Disc low = disc({0, 0, 0}, Vec3::UnitZ()), high = disc({offset, 0, 0.1}, Vec3::UnitZ());
  const DiscGap faces = gap(low, high);
  EXPECT_LT(faces.rim_A, 1);
  EXPECT_NEAR(faces.rim_A, offset / 2, 2e-3);
  EXPECT_NEAR(faces.rim_A, faces.rim_B, 1e-12);
  EXPECT_NEAR(faces.arm_A.x(), offset / 2, 2e-3);
  EXPECT_NEAR(faces.arm_B.x(), -offset / 2, 2e-3);
  // Edge of B on the face of A, well inside its rim.
  const DiscGap point = gap(low, disc({-0.5, 0, 0.6}, {std::sin(0.5), 0, std::cos(0.5)}));
  EXPECT_EQ(point.rim_B, 1);
  EXPECT_NEAR(point.rim_A, std::cos(0.5) - 0.5, 0.02);  // how far out on A's face, in its radii
  EXPECT_NEAR(point.arm_B.x(), std::cos(0.5), 0.01);
  // Edge on edge: rims that cross at right angles above x = 1; the normal is across both tangents.
  const Disc across = disc({1.0 + 0.8, 0, 0.9}, Vec3(0, 1, 0));
  const DiscGap edges = gap(low, across);
  EXPECT_EQ(edges.rim_A, 1);
  EXPECT_EQ(edges.rim_B, 1);
  const Vec3 tangent_A = Vec3::UnitZ().cross(edges.arm_A), tangent_B = Vec3::UnitY().cross(edges.arm_B);
  EXPECT_LT(std::abs(edges.normal.dot(tangent_A)), 1e-9);
  EXPECT_LT(std::abs(edges.normal.dot(tangent_B)), 1e-9);
  EXPECT_NEAR(edges.distance, std::hypot(0.8, 0.9) - 1, 1e-9);
}

TEST(DiscOnDisc, ForceAndItsSlopeAreContinuousFromFaceToEdge) {
  // B's edge wanders over A's face and over A's rim; then B rights itself to face contact. Where a disc's w reaches 1
  // or leaves it, the turning of normal and moment has the same rate on both sides, to the order of the step.
  const auto pose = [](double x) {
    const double tilt = x < 1 ? 0.3 : 0.3 * (2 - x);
    const double shift = x < 1 ? -0.7 + 1.6 * x : 0.9 - 0.6 * (x - 1);
    return disc({shift, 0.1, 0.5}, {std::sin(tilt), 0, std::cos(tilt)});
  };
  const Disc A = disc(Vec3::Zero(), Vec3::UnitZ(), {1, 0, 0, 0.1});
  const auto wrench = [&](double x) {
    const DiscGap g = gap(A, pose(x));
    Eigen::Matrix<double, 6, 1> out;
    out << g.normal, g.arm_A.cross(g.normal);
    return out;
  };
  const auto kind = [&](double x) {
    const DiscGap g = gap(A, pose(x));
    return (g.rim_A == 1 ? 1 : 0) + (g.rim_B == 1 ? 2 : 0);
  };
  int transitions = 0;
  for (double x = 0.01; x < 1.94; x += 0.02) {
    if (kind(x) == kind(x + 0.02)) continue;
    double low = x, high = x + 0.02;
    while (high - low > 1e-13) {
      const double middle = 0.5 * (low + high);
      (kind(middle) == kind(x) ? low : high) = middle;
    }
    ++transitions;
    const auto jump = [&](double h) {
      return ((wrench(high + 2 * h) - wrench(high + h)) - (wrench(high - h) - wrench(high - 2 * h))).norm() / h;
    };
    const double speed = (wrench(high + 1e-4) - wrench(high - 1e-4)).norm() / 2e-4;
    EXPECT_LT(jump(1e-5), 0.2 * jump(1e-4) + 1e-7) << high;
    EXPECT_LT(jump(1e-5), 0.02 * speed + 1e-6) << high;
    EXPECT_LT((wrench(high + 1e-9) - wrench(high - 1e-9)).norm(), 1e-7) << high;
  }
  EXPECT_GE(transitions, 3);
}

TEST(DiscOnDisc, CoaxialFacesAreHalfASine) {
  Disc A = disc({0, 0, 0}, Vec3::UnitZ(), {0.05, 0.005, 0, 0.05}, 0.2);
  Disc B = disc({0, 0, 0.2}, Vec3::UnitZ(), {0.03, 0.002, 0, 0.05}, 0.1);
  A.velocity = {0, 0, 1};
  B.velocity = {0, 0, -2};
  A.angular_velocity = {0, 0, 30};
  const double c = 1e6, reduced = 0.2 * 0.1 / 0.3, T = std::sqrt(reduced / c);
  const DiscPairProcess p = run(A, B, c);
  EXPECT_NEAR(p.contact_time, pi * T, 1e-8 * T);
  EXPECT_LT((p.P - Vec3(0, 0, 2 * 3 * reduced)).norm(), 1e-10);
  EXPECT_NEAR(p.A.velocity.z(), 1 - 6 * reduced / 0.2, 1e-9);
  EXPECT_NEAR(p.B.velocity.z(), -2 + 6 * reduced / 0.1, 1e-9);
  EXPECT_NEAR(p.A.angular_velocity.z(), 30, 1e-12);
  EXPECT_NEAR(p.largest_force, 3 * std::sqrt(reduced * c), 1e-3 * p.largest_force);
  EXPECT_LT(p.residual, 1e-12);
  EXPECT_LT(p.momentum_residual, 1e-12);
}

TEST(DiscOnDisc, EveryKindComesToTheRigidElasticImpactAsTheContactStiffens) {
  struct Case {
    const char* what;
    Disc A, B;
  };
  const DiscShape shape{0.05, 0.002, 0, 0.1};
  std::vector<Case> cases{
      {"faces, partial overlap", disc({0, 0, 0}, {0, 0, 1}, shape, 0.2),
       disc({0.04, 0.01, 0.02}, {0, 0, 1}, shape, 0.1)},
      {"edge on face", disc({0, 0, 0}, {0, 0, 1}, shape, 0.2), disc({0.03, 0, 0.06}, {0.5, 0.1, 1}, shape, 0.1)},
      {"edge on edge", disc({0, 0, 0}, {0, 0, 1}, shape, 0.2), disc({0.08, 0.01, 0.045}, {0.2, 1, 0.1}, shape, 0.1)}};
  for (Case& k : cases) {
    k.B.angular_velocity = {1, -2, 3};
    k.A.angular_velocity = {2, 1, -1};
    k.B = touching(k.A, k.B);
    const DiscGap g = gap(k.A, k.B);
    k.B.velocity = -g.normal + Vec3(0.2, 0.1, -0.1);
    const double P = -2 * approach(k.A, k.B, g) / mobility(k.A, k.B, g);
    double last = 0;
    for (const double c : {1e7, 1e9}) {
      const DiscPairProcess p = run(k.A, k.B, c);
      const double error = (p.P - P * g.normal).norm() / P;
      if (last > 0) {
        EXPECT_NEAR(error / last, 0.1, 0.04) << k.what;
      }
      last = error;
      // Depth is a difference of lengths: their rounding relative to the difference, twice in the energy of the spring.
      const double lengths = k.A.shape.radius + k.B.shape.radius + (k.B.position - k.A.position).norm();
      const double rounding = 2 * std::numeric_limits<double>::epsilon() * lengths / (p.largest_force / c);
      EXPECT_LT(p.residual, 1e-12 + rounding) << k.what;
      EXPECT_LT(p.momentum_residual, 1e-12) << k.what;
    }
    EXPECT_LT(last, 0.02) << k.what;
  }
}

TEST(DiscOnDisc, OnAHugeHeavyOneItIsDiscOnPlane) {
  // The face of A is flat to ε R/R_A over the size of B.
  const DiscShape coin{0.012, 0.001, 0, 0.05};
  const Disc A = disc({0, 0, -0.001 - 5.0 / 16 * 1e-6 * 100}, Vec3::UnitZ(), {100, 0.001, 0, 1e-6}, 1e6);
  for (const double tilt : {0.02, 0.4}) {
    Disc B = disc({0, 0, 0}, {std::sin(tilt), 0, std::cos(tilt)}, coin, 0.005);
    B.position.z() = support(coin, B.axis, -Vec3::UnitZ()).h;
    B.velocity = {0.1, 0.2, -1};
    B.angular_velocity = {5, -3, 8};
    const auto plane = collide(B, PlaneContact{.stiffness = 1e5, .mu = 0});
    ASSERT_TRUE(plane);
    B.position.z() += 1e-6;
    const DiscPairProcess p = run(A, B, 1e5);
    EXPECT_LT((p.B.velocity - plane->after.velocity).norm(), 2e-3) << tilt;
    EXPECT_LT((p.B.angular_velocity - plane->after.angular_velocity).norm(), 2e-3 / 0.012) << tilt;
  }
}

TEST(DiscOnDisc, LawsOfConservationAndSymmetryForAnyMeeting) {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> u(-1, 1);
  int met = 0, kinds[4] = {0, 0, 0, 0};
  for (int i = 0; i < 80; ++i) {
    const DiscShape one{0.05, 0.003, 1e-3, 0.1}, two{0.04, 0.002, 1e-3, 0.06};
    Disc A = disc(Vec3::Zero(), direction(random), one, 0.2);
    Disc B = disc(0.15 * direction(random), direction(random), two, 0.1);
    if (i % 4 == 0) {
      A.axis = B.axis = Vec3::UnitZ();
      B.position = {0.03 * u(random), 0.03 * u(random), 0.05};
    }
    B.velocity = -B.position.normalized() + 0.1 * direction(random);
    A.angular_velocity = 3 * direction(random);
    B.angular_velocity = 3 * direction(random);
    const auto found = collide(A, B, 1e6);
    if (!found) {
      EXPECT_EQ(found.error().path, "velocity") << found.error().message();
      continue;
    }
    ++met;
    EXPECT_LT(found->residual, 1e-12) << i;
    EXPECT_LT(found->momentum_residual, 1e-12) << i;
    const DiscGap& g = found->samples[found->samples.size() / 2].gap;
    ++kinds[(g.rim_A == 1 ? 1 : 0) + (g.rim_B == 1 ? 2 : 0)];
    const DiscPairProcess swapped = run(B, A, 1e6);
    EXPECT_LT((swapped.P + found->P).norm(), 1e-8 * found->P.norm()) << i;
    const Eigen::AngleAxisd turn(0.7, Vec3(1, 2, 3).normalized());
    const auto turned = [&](Disc d) {
      d.position = turn * d.position;
      d.axis = (turn * d.axis).normalized();
      d.velocity = turn * d.velocity;
      d.angular_velocity = turn * d.angular_velocity;
      return d;
    };
    EXPECT_LT((run(turned(A), turned(B), 1e6).P - turn * found->P).norm(), 1e-8 * found->P.norm()) << i;
  }
  EXPECT_GT(met, 40);
  for (const int count : kinds) EXPECT_GT(count, 2);
}

TEST(DiscOnDisc, EveryKindOfContactIsSampledHoweverFewTheSamples) {
  // Faces roll onto edges and back: the kinds in order are the same with one sample in all and with hundreds.
  std::mt19937_64 random(7);
  int changes = 0;
  for (int i = 0; i < 60; ++i) {
    const DiscShape one{0.05, 0.003, 1e-3, 0.1}, two{0.04, 0.002, 1e-3, 0.06};
    Disc A = disc(Vec3::Zero(), (Vec3::UnitZ() + 0.1 * direction(random)).normalized(), one, 0.2);
    Disc B = disc({0.03, 0.01, 0.05}, (Vec3::UnitZ() + 0.1 * direction(random)).normalized(), two, 0.1);
    B.velocity = Vec3(0, 0, -1);
    A.angular_velocity = 30 * direction(random);
    B.angular_velocity = 30 * direction(random);
    const auto kinds = [&](double interval) {
      std::vector<std::pair<bool, bool>> out;
      const auto found = collide(A, B, 500, {.sample_interval = interval});
      if (!found) return out;
      for (const DiscPairSample& s : found->samples) {
        if (!s.touching) continue;
        const std::pair<bool, bool> kind(s.gap.rim_A == 1, s.gap.rim_B == 1);
        if (out.empty() || out.back() != kind) out.push_back(kind);
      }
      return out;
    };
    const auto few = kinds(1), many = kinds(1e-5);
    EXPECT_EQ(few, many) << i;
    changes += few.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(changes, 10);
}

TEST(DiscOnDisc, GeneralSolverAgrees) {
  // Euler's equations in angular velocities, and the normal by a search over directions that knows values only: no
  // Newton's method, no gradients, no radii of curvature.
  const DiscShape one{1, 0.1, 0.05, 0.3}, two{0.8, 0.05, 0.05, 0.3};
  Disc A = disc(Vec3::Zero(), {0.1, 0, 1}, one, 2), B = disc({0.7, 0.2, 1}, {0.5, 0.3, 1}, two, 1);
  B = touching(A, B);
  B.velocity = {0.2, 0.1, -1};
  B.angular_velocity = {0.3, -0.2, 0.5};
  A.angular_velocity = {-0.2, 0.1, 0.3};
  const double c = 1e4;
  const DiscPairProcess p = run(A, B, c);
  Vec3 d = gap(A, B).normal;
  const auto depth = [&](const Disc& a, const Disc& b) {
    double step = 0.2;
    const auto value = [&](const Vec3& x) {
      return x.dot(b.position - a.position) - support(a.shape, a.axis, x).h - support(b.shape, b.axis, -x).h;
    };
    double best = value(d);
    while (step > 1e-9) {  // compass search with a parabola along either direction
      const Vec3 e1 = d.unitOrthogonal(), e2 = d.cross(e1);
      const Vec3 before = d;
      for (const Vec3& e : {e1, e2}) {
        const double h = 1e-4, f0 = value(d), fp = value((d + h * e).normalized()),
                     fm = value((d - h * e).normalized());
        const double bend = (fp - 2 * f0 + fm) / (h * h), slope = (fp - fm) / (2 * h);
        const double move = std::clamp(-slope / bend, -step, step);
        const Vec3 next = (d + move * e).normalized();
        if (value(next) > best) best = value(next), d = next;
      }
      if ((d - before).norm() < 0.1 * step) step *= 0.3;
    }
    return -best;
  };
  const auto read = [](const Disc& like, const std::vector<double>& y, std::size_t i) {
    const auto at = [&](std::size_t k) { return Vec3(y[i + k], y[i + k + 1], y[i + k + 2]); };
    Disc out = like;
    out.position = at(0);
    out.axis = at(3).normalized();
    out.velocity = at(6);
    out.angular_velocity = at(9);
    return out;
  };
  const auto slope = [&](const std::vector<double>& y, std::vector<double>& dy) {
    const Disc a = read(A, y, 0), b = read(B, y, 12);
    const double N = c * depth(a, b);
    const auto move = [&](const Disc& x, const Vec3& F, const Vec3& arm, std::size_t i) {
      const Mat3 J = inverse_inertia(x).inverse();
      const Vec3 rates[4] = {x.velocity, x.angular_velocity.cross(x.axis), F / x.mass,
                             inverse_inertia(x) * (arm.cross(F) - x.angular_velocity.cross(J * x.angular_velocity))};
      for (std::size_t k = 0; k < 12; ++k) dy[i + k] = rates[k / 3](static_cast<int>(k % 3));
    };
    move(a, -N * d, support(a.shape, a.axis, d).arm, 0);
    move(b, N * d, support(b.shape, b.axis, -d).arm, 12);
  };
  std::vector<double> y;
  for (const Disc& x : {A, B})
    for (const Vec3& v : {x.position, x.axis, x.velocity, x.angular_velocity}) y.insert(y.end(), v.begin(), v.end());
  double t = 0;
  ricochet::testing::Cvode ode(
      slope, [](const auto&, auto&) {}, 0, 1e-9, 1e-10);
  ode.run(y, t, p.contact_time);
  const Disc a = read(A, y, 0), b = read(B, y, 12);
  EXPECT_LT((a.velocity - p.A.velocity).norm(), 1e-6);
  EXPECT_LT((b.velocity - p.B.velocity).norm(), 1e-6);
  EXPECT_LT((a.angular_velocity - p.A.angular_velocity).norm(), 1e-6);
  EXPECT_LT((b.angular_velocity - p.B.angular_velocity).norm(), 1e-6);
  EXPECT_LT(std::abs(gap(a, b, d).distance), 1e-8);
}

TEST(DiscOnDisc, RefusalsNameTheField) {
  const DiscShape shape{0.05, 0.002, 0, 0.1};
  Disc A = disc({0, 0, 0}, {0, 0, 1}, shape), B = disc({0, 0, 0.1}, {0, 0, 1}, shape);
  B.velocity = {0, 0, -1};
  const auto refused = [](const Expected<DiscPairProcess>& result, const char* field) {
    ASSERT_FALSE(result) << field;
    EXPECT_EQ(result.error().path, field);
  };
  refused(collide(A, B, 0), "stiffness");
  refused(collide(A, B, 1e6, {.gravity = 9.81}), "gravity");
  refused(collide(A, B, 1e6, {.tolerance = 1}), "tolerance");
  Disc bad = A;
  bad.shape.radius = -1;
  refused(collide(bad, B, 1e6), "A.radius");
  refused(collide(A, bad, 1e6), "B.radius");
  Disc leaving = B;
  leaving.velocity = {0, 0, 1};
  refused(collide(A, leaving, 1e6), "velocity");
  Disc missing = B;
  missing.velocity = {3, 0, -1};
  missing.position = {1, 0, 0.1};
  refused(collide(A, missing, 1e6), "velocity");
  Disc inside = B;
  inside.position.z() = 0.001;
  refused(collide(A, inside, 1e6), "position");
  // Edges along each other, in one plane, without a fillet.
  Disc beside = disc({0.2, 0, 0}, {0, 0, 1}, {0.05, 0, 0, 0.1});
  beside.velocity = {-1, 0, 0};
  refused(collide(disc({0, 0, 0}, {0, 0, 1}, {0.05, 0, 0, 0.1}), beside, 1e6), "fillet");
  beside.shape.fillet = 0.005;
  EXPECT_TRUE(collide(disc({0, 0, 0}, {0, 0, 1}, {0.05, 0, 0.005, 0.1}), beside, 1e6));
  EXPECT_FALSE(gap_between(A, B, Vec3::Zero()));
}

}  // namespace
}  // namespace ricochet::compliant
