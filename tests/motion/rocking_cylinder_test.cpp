/// A cylinder, radius r and height 2h, whose flat end is on an edge. J is its moment across its axis.
///
/// Along the edge the end turns about it as a pendulum, its centre beyond the edge by s:
///   (J + m (h² + s²)) θ̈ = m g (h sin θ + s cos θ)
/// On a ridge that is a diameter of the end it rocks from one end of this chord to the other as Housner's block does:
/// with R² = r² + h², tan α = r/h, I = J + m R², p² = m g R/I and e = 0 without slip
///   θ̈ = −p² sin(α − θ),   θ̇⁺/θ̇⁻ = 1 − 2 m r²/I.
/// On one end of a chord, without slip, it is a heavy top: rim and edge cross in one point, which stays on both, and
///   I ω̇ = (I ω) × ω + c × m Rᵀ g,   c from there to the centre of mass, in body axes.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <array>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "motion/crossed_curves.hpp"
#include "motion/quadrature.hpp"
#include "motion/surface_contact.hpp"
#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using Long = long double;

constexpr double r = 0.1, h = 0.25, m = 2;
constexpr double J = m * (3 * r * r + 4 * h * h) / 12, J_axis = m * r * r / 2;

WorldBody can() {
  WorldBody out;
  out.name = "can";
  out.body.mass = m;
  out.body.inertia = Vec3(J, J, J_axis).asDiagonal();
  ConvexShape shape;
  shape.core = ConvexShape::Core::cylinder;
  shape.size = {r, r, h};
  out.shapes.push_back(shape);
  return out;
}

/// A table whose edge is along y through the origin.
WorldBody table() {
  WorldBody out = block({1, 1, 0.5}, 1, {-1, 0, -0.5}, Vec3::Zero(), "table");
  out.body.fixed = true;
  return out;
}

/// A roof whose ridge is along y through the origin.
WorldBody roof() {
  WorldBody out = block({0.5, 1, 0.5}, 1, {0, 0, -0.5 * std::numbers::sqrt2}, Vec3::Zero(), "roof");
  out.body.orientation = Quaternion(Eigen::AngleAxisd(std::numbers::pi / 4, Vec3::UnitY()));
  out.body.fixed = true;
  return out;
}

PairLaw gripping(double e = 0) { return {Routh{.e = e, .mu = 5}, 5, std::numeric_limits<double>::infinity()}; }

/// With the point of its lower rim at −r y of its axes on the origin.
WorldBody on_its_rim(const Quaternion& at) {
  WorldBody out = can();
  out.body.orientation = at;
  out.body.position = at * Vec3(0, r, h);
  return out;
}

Quaternion turned(double angle, const Vec3& axis) { return Quaternion(Eigen::AngleAxisd(angle, axis)); }

template <std::size_t n, class Rate>
std::array<Long, n> integrated(std::array<Long, n> x, Rate rate, double until) {
  namespace ode = boost::numeric::odeint;
  using Stepper = ode::runge_kutta_fehlberg78<std::array<Long, n>, Long>;
  ode::integrate_adaptive(ode::make_controlled(1e-17L, 1e-17L, Stepper()), rate, x, Long(0), static_cast<Long>(until),
                          1e-3L);
  return x;
}

TEST(FlatEndOnAnEdge, AlongIt_TurnsAsAPendulum) {
  Deviation angle("angle"), spin("spin");
  for (const double s : {0.01, 0.05, 0.09}) {
    WorldBody body = can();
    body.body.position = {s, 0, h};
    const double until = 0.2;
    const Ran ran = run_world(world_of({table(), body}, gripping()), until);
    ASSERT_TRUE(ran.ok);
    const Long inertia = J + m * (h * h + s * s);
    const auto expected = integrated<2>(
        {0, 0},
        [&](const std::array<Long, 2>& x, std::array<Long, 2>& rate, Long) {
          rate = {x[1], m * static_cast<Long>(gravity) * (h * std::sin(x[0]) + s * std::cos(x[0])) / inertia};
        },
        until);
    const Vec3 axis = ran.poses[1].orientation * Vec3::UnitZ();
    angle.add(std::atan2(axis.x(), axis.z()), static_cast<double>(expected[0]));
    spin.add(ran.poses[1].angular_velocity, {0, static_cast<double>(expected[1]), 0}, static_cast<double>(expected[1]));
  }
  EXPECT_LT(angle.largest(), 1e-10);
  EXPECT_LT(spin.largest(), 1e-10);
}

struct RockingCan {
  Long alpha = std::atan2(Long(r), Long(h)), I = Long(J) + m * (Long(r) * r + Long(h) * h);
  Long p2 = m * static_cast<Long>(gravity) * std::hypot(Long(r), Long(h)) / I, ratio = 1 - 2 * m * Long(r) * r / I;

  /// From rest at θ₀ to θ = 0, with θ = θ₀ (1 − x²).
  [[nodiscard]] Long quarter(Long top) const {
    return integral(
        [&](Long x) {
          const Long theta = top * (1 - x * x);
          return 2 * x * top / std::sqrt(4 * p2 * std::sin(alpha - (top + theta) / 2) * std::sin(top * x * x / 2));
        },
        0, 1);
  }
  [[nodiscard]] Long speed(Long top) const { return std::sqrt(4 * p2 * std::sin(alpha - top / 2) * std::sin(top / 2)); }
  /// Where it turns back from θ = 0 at the speed w.
  [[nodiscard]] Long top(Long w) const {
    const Long level = w * w / (4 * p2);
    Long x = level / std::sin(alpha);
    for (int k = 0; k < 60; ++k) x -= (std::sin(alpha - x) * std::sin(x) - level) / std::sin(alpha - 2 * x);
    return 2 * x;
  }
};

TEST(FlatEndOnARidge, RocksFromOneEndOfItsChordToTheOther_AsHousnersBlock) {
  const RockingCan law;
  const Long top = 0.2L * law.alpha;
  std::vector<double> times, spins;
  Long t = law.quarter(top), w = law.speed(top);
  for (int k = 0; k < 6; ++k) {
    w *= law.ratio;
    times.push_back(static_cast<double>(t));
    spins.push_back(static_cast<double>(w));
    t += 2 * law.quarter(law.top(w));
  }
  const WorldBody body = on_its_rim(turned(static_cast<double>(top), Vec3::UnitX()));
  const Ran ran = run_world(world_of({roof(), body}, gripping()), times.back() + 1e-4);
  ASSERT_TRUE(ran.ok);
  const auto hits = ran.recording.of(EventKind::impact);
  ASSERT_EQ(hits.size(), times.size());
  Deviation time("impact_time"), spin("spin"), place("place");
  for (std::size_t k = 0; k < hits.size(); ++k) {
    time.add(hits[k].time, times[k]);
    place.add(hits[k].point, {0, k % 2 == 0 ? 2 * r : 0, 0}, r);
    for (const Sample& sample : ran.recording.samples)
      if (sample.time == hits[k].time)
        spin.add(sample.poses[1].angular_velocity, {(k % 2 == 0 ? -1 : 1) * spins[k], 0, 0}, spins[0]);
  }
  EXPECT_LT(time.largest(), 1e-9);
  EXPECT_LT(spin.largest(), 1e-9);
  EXPECT_LT(place.largest(), 1e-9);
  EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-11 * ran.ledger.start);
}

TEST(FlatEndOnAnEdge, OnOneEndOfItsChord_TurnsAsAHeavyTop) {
  Deviation way("orientation"), spin("spin"), place("place");
  for (const double lean : {0.02, -0.1})
    for (const double raised_by : {0.003, 0.1}) {
      const WorldBody body = on_its_rim(turned(raised_by, Vec3::UnitX()) * turned(lean, Vec3::UnitY()));
      const double until = raised_by < 0.01 ? 0.02 : 0.1;
      const Ran ran = run_world(world_of({roof(), body}, gripping()), until);
      ASSERT_TRUE(ran.ok);
      using Long3 = Eigen::Matrix<Long, 3, 1>;
      using Long33 = Eigen::Matrix<Long, 3, 3>;
      const Long3 c(0, r, h);
      Long33 I = Long33(Long3(J, J, J_axis).asDiagonal());
      I += Long(m) * (c.squaredNorm() * Long33::Identity() - c * c.transpose());
      const Long33 inverse = I.inverse();
      const Quaternion& q = body.body.orientation;
      const auto x = integrated<7>(
          {q.w(), q.x(), q.y(), q.z(), 0, 0, 0},
          [&](const std::array<Long, 7>& s, std::array<Long, 7>& rate, Long) {
            const Eigen::Quaternion<Long> at(s[0], s[1], s[2], s[3]);
            const Long3 w(s[4], s[5], s[6]), v = at.vec();
            const Long3 down = at.normalized().conjugate() * Long3(0, 0, -Long(m) * static_cast<Long>(gravity));
            const Long3 v_rate = (at.w() * w + v.cross(w)) / 2, w_rate = inverse * ((I * w).cross(w) + c.cross(down));
            rate = {-v.dot(w) / 2, v_rate.x(), v_rate.y(), v_rate.z(), w_rate.x(), w_rate.y(), w_rate.z()};
          },
          until);
      const Quaternion expected(static_cast<double>(x[0]), static_cast<double>(x[1]), static_cast<double>(x[2]),
                                static_cast<double>(x[3]));
      const Vec3 w(static_cast<double>(x[4]), static_cast<double>(x[5]), static_cast<double>(x[6]));
      way.add(ran.poses[1].orientation.angularDistance(expected), 0, 1);
      spin.add(ran.poses[1].angular_velocity, expected * w, w.norm());
      place.add(ran.poses[1].position, expected * Vec3(0, r, h), r);
    }
  EXPECT_LT(way.largest(), 1e-9);
  EXPECT_LT(spin.largest(), 1e-9);
  EXPECT_LT(place.largest(), 1e-9);
}

// Whatever it does, along the edge and off it, from one end of the chord to the other and back to the table.
TEST(FlatEndOnAnEdge, ThatRocksInAnyWay_KeepsItsLedgerClosed) {
  Deviation imbalance("imbalance");
  for (const double over : {-0.4, 0.3})
    for (const double lean : {1e-7, 0.02})
      for (const double mu : {0.0, 0.5}) {
        SCOPED_TRACE(over);
        SCOPED_TRACE(lean);
        SCOPED_TRACE(mu);
        const Quaternion at = turned(0.15 * over, Vec3::UnitY()) * turned(lean, Vec3::UnitX());
        WorldBody body = can();
        body.body.orientation = at;
        body.body.position = at * Vec3(over * r, 0, h) + Vec3(0, 0, 0.02);
        body.body.angular_velocity = {0.1, -0.2, 0.3};
        const Ran ran = run_world(world_of({table(), body}, {Routh{.e = 0.3, .mu = mu}, mu, mu}), 0.25);
        ASSERT_TRUE(ran.ok);
        EXPECT_GT(ran.recording.of(EventKind::impact).size(), 2U);
        imbalance.add(ran.ledger.imbalance(), 0, m * gravity * h);
      }
  EXPECT_LT(imbalance.largest(), 1e-10);
}

TEST(CrossedCurves, OfARimAndAnEdge_HaveTheDistanceOfTheShapes_AndItsRates) {
  const WorldBody below = roof();
  const ShapePart part_a = make_part(below.shapes[0]), part_b = make_part(can().shapes[0]);
  const Pose a{below.body.position, below.body.orientation, Vec3::Zero(), Vec3::Zero()};
  Deviation distance("distance"), n_rate("n_rate"), point_rate("point_rate");
  for (const double lean : {0.05, -0.2})
    for (const double raised_by : {0.01, 0.3}) {
      Pose b;
      b.orientation = turned(raised_by, Vec3::UnitX()) * turned(lean, Vec3::UnitY());
      b.position = b.orientation * Vec3(0, r, h) + Vec3(0.3e-3, 0.2e-3, 1e-3);
      b.velocity = {0.3, -0.2, 0.1};
      b.angular_velocity = {0.5, 0.4, -0.7};
      const auto crossed_at = [&](double t) {
        Pose moved = b;
        moved.position += t * b.velocity;
        const double angle = t * b.angular_velocity.norm();
        moved.orientation = Quaternion(Eigen::AngleAxisd(angle, b.angular_velocity.normalized())) * b.orientation;
        double least = HUGE_VAL;
        CrossedCurves out;
        for (const CurveCrossing& one : curve_crossings({0, 0, &part_a, a}, {1, 0, &part_b, moved}))
          if (const double off = one.at.on_a.norm(); off < least && one.feature.part_b == 0) {
            least = off;
            out = one.at;
          }
        return out;
      };
      const CrossedCurves at = crossed_at(0);
      const auto touch = nearest(placed(part_a, a), placed(part_b, b));
      ASSERT_TRUE(touch);
      distance.add(std::abs(at.gap), touch->gap, r);
      const double step = 1e-5;
      const CrossedCurves before = crossed_at(-step), after = crossed_at(step);
      n_rate.add(at.n_rate, (after.n - before.n) / (2 * step), 1);
      point_rate.add(at.on_a_rate, (after.on_a - before.on_a) / (2 * step), 1);
    }
  EXPECT_LT(distance.largest(), 1e-8);
  EXPECT_LT(n_rate.largest(), 1e-7);
  EXPECT_LT(point_rate.largest(), 1e-7);
}

}  // namespace
}  // namespace ricochet::motion
