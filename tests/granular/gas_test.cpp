/// Granular gas against closed forms of kinetic theory and against a simulation that tries all pairs
/// (docs/granular.md).

#include "ricochet/granular/gas.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>
#include <set>

#include "ricochet/base/indexed_heap.hpp"

namespace ricochet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(IndexedHeap, FirstIsTheEarliest_AsInASortedSet) {
  constexpr std::uint32_t count = 300;
  std::mt19937_64 random(3);
  IndexedHeap heap(count);
  std::vector<double> time(count, infinity);
  std::set<std::pair<double, std::uint32_t>> sorted;
  for (std::uint32_t i = 0; i < count; ++i) sorted.insert({infinity, i});
  for (int step = 0; step < 20000; ++step) {
    const auto i = static_cast<std::uint32_t>(random() % count);
    const double t = random() % 10 == 0 ? infinity : static_cast<double>(random() % 100000);
    sorted.erase({time[i], i});
    sorted.insert({t, i});
    time[i] = t;
    heap.change(i, t);
    ASSERT_EQ(heap.time(heap.first()), sorted.begin()->first);
    ASSERT_EQ(heap.time(i), t);
  }
}

/// Every pair in every image is tried before every collision, and all spheres move.
struct AllPairs {
  std::vector<Vec3> x, v, w;
  double edge, radius, mass, q;
  Law law;
  double time = 0;

  explicit AllPairs(const Gas& gas, const Law& by)
      : edge(gas.edge()), radius(gas.spec().radius), mass(gas.spec().mass), q(gas.spec().inertia_ratio), law(by) {
    for (std::uint32_t i = 0; i < gas.spec().spheres; ++i) {
      x.push_back(gas.position(i));
      v.push_back(gas.velocity(i));
      w.push_back(gas.angular_velocity(i));
    }
  }
  void next() {
    double first = infinity;
    std::size_t a = 0, b = 0;
    Vec3 shift = Vec3::Zero();
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t j = i + 1; j < x.size(); ++j)
        for (int image = 0; image < 27; ++image) {
          const Vec3 by = edge * Vec3(image % 3 - 1, image / 3 % 3 - 1, image / 9 - 1);
          const Vec3 r = x[j] + by - x[i], u = v[j] - v[i];
          // Smaller root of |r + u t|² = 4 radius², where they approach.
          const double A = u.dot(u), B = 2 * r.dot(u), C = r.dot(r) - 4 * radius * radius;
          const double D = B * B - 4 * A * C;
          if (B >= 0 || D <= 0) continue;
          const double t = (-B - std::sqrt(D)) / (2 * A);
          if (t > -1e-9 && t < first) {
            first = t;
            a = i;
            b = j;
            shift = by;
          }
        }
    time += first;
    for (std::size_t i = 0; i < x.size(); ++i)
      for (int k = 0; k < 3; ++k) {
        x[i](k) += first * v[i](k);
        if (i != a && i != b) x[i](k) -= edge * std::floor(x[i](k) / edge);
      }
    const Vec3 n = (x[b] + shift - x[a]).normalized();
    const Mat3 tangential = Mat3::Identity() - n * n.transpose();
    const Mat3 W = 2 / mass * (Mat3::Identity() + tangential / q);
    const Vec3 V = v[b] - w[b].cross(radius * n) - v[a] - w[a].cross(radius * n);
    const auto contact = contact_from_mobility(W, V, n);
    ASSERT_TRUE(contact);
    const auto hit = collide(law, *contact);
    ASSERT_TRUE(hit);
    v[b] += hit->P / mass;
    v[a] -= hit->P / mass;
    const double I = q * mass * radius * radius;
    w[b] += (-radius * n).cross(hit->P) / I;
    w[a] += (radius * n).cross(-hit->P) / I;
  }
};

TEST(Gas, EventsAreThoseOfAllPairs) {
  const std::vector<Law> laws{Frictionless{.e = 0.8}, ChatterjeeRuina{.e = 0.9, .e_t = 0.4, .mu = 0.3},
                              Routh{.e = 0.7, .mu = 0.5}};
  for (const Law& law : laws)
    for (const double fraction : {0.02, 0.2, 0.32}) {
      const GasSpec spec{.spheres = 40, .fraction = fraction, .radius = 0.3, .mass = 2, .spin = 1.5, .settle = 2};
      auto gas = Gas::make(spec, law);
      ASSERT_TRUE(gas) << gas.error().message();
      AllPairs reference(*gas, law);
      for (int k = 0; k < 60; ++k) {
        reference.next();
        ASSERT_TRUE(gas->advance(1));
        // Collisions amplify rounding.
        ASSERT_NEAR(gas->state().time, reference.time, 1e-7) << fraction << " " << k;
      }
      double worst = 0;
      for (std::uint32_t i = 0; i < spec.spheres; ++i)
        worst = std::max(
            {worst, (gas->velocity(i) - reference.v[i]).norm(), (gas->angular_velocity(i) - reference.w[i]).norm()});
      EXPECT_LT(worst, 1e-5) << fraction;
    }
}

TEST(Gas, SpheresDoNotOverlap_EnergyIsTheWorkOfTheLaw_MomentumStays) {
  auto gas = Gas::make({.spheres = 500, .fraction = 0.3, .spin = 1}, ChatterjeeRuina{.e = 0.9, .e_t = 0.2, .mu = 0.4});
  ASSERT_TRUE(gas);
  const GasState before = gas->state();
  ASSERT_TRUE(gas->advance(10000));
  const GasState after = gas->state();
  EXPECT_LT(after.energy, 0.9 * before.energy);
  EXPECT_NEAR(after.energy - before.energy, after.work, 1e-10 * before.energy);
  EXPECT_LT((after.momentum - before.momentum).norm(), 1e-11 * 500);
  EXPECT_EQ(after.not_permissible, 0U);
  double least = infinity;
  for (std::uint32_t i = 0; i < 500; ++i)
    for (std::uint32_t j = 0; j < i; ++j) {
      Vec3 r = gas->position(i) - gas->position(j);
      for (int k = 0; k < 3; ++k) r(k) -= gas->edge() * std::round(r(k) / gas->edge());
      least = std::min(least, r.norm() - 1);
    }
  EXPECT_GT(least, -1e-10);
}

/// (GG4) with T and m of the default spec.
double collision_rate(const Gas& gas, double T) {
  const double phi = gas.spec().fraction, d = 2 * gas.spec().radius;
  const double density = gas.spec().spheres / std::pow(gas.edge(), 3);
  const double chi = (1 - phi / 2) / std::pow(1 - phi, 3);
  return 4 * density * d * d * chi * std::sqrt(std::numbers::pi * T / gas.spec().mass);
}

TEST(Gas, ElasticSpheresCollideAtEnskogsRate) {
  for (const double fraction : {0.01, 0.1, 0.3}) {
    auto gas = Gas::make({.spheres = 2000, .fraction = fraction, .settle = 20}, Frictionless{.e = 1});
    ASSERT_TRUE(gas);
    ASSERT_TRUE(gas->advance(60000));
    const GasState s = gas->state();
    EXPECT_NEAR(s.translational_temperature, 1, 1e-9);
    const double rate = 2.0 * static_cast<double>(s.collisions) / (2000 * s.time);
    // 60000 collisions leave a part in 250 to chance, Carnahan and Starling a part in 200.
    EXPECT_NEAR(rate / collision_rate(*gas, 1), 1, 0.015) << fraction;
  }
}

TEST(Gas, SmoothSpheresCoolByHaffsLaw) {
  for (const double e : {0.95, 0.85}) {
    auto gas = Gas::make({.spheres = 4000, .fraction = 0.05, .settle = 20}, Frictionless{.e = e});
    ASSERT_TRUE(gas);
    const double rate = collision_rate(*gas, 1);
    for (int k = 1; k <= 3; ++k) {
      ASSERT_TRUE(gas->advance(20000));  // ten of each sphere
      const GasState s = gas->state();
      const double decay = (1 - e * e) * 10 * k / 3;
      // Velocities are not quite Gaussian: the cumulants of second order are a few hundredths.
      EXPECT_NEAR(-std::log(s.translational_temperature) / decay, 1, 0.03) << e << " " << k;
      const double haff = 1 / std::pow(1 + (1 - e * e) * rate * s.time / 6, 2);
      EXPECT_NEAR(std::log(s.translational_temperature) / std::log(haff), 1, 0.03) << e << " " << k;
    }
  }
}

/// The positive root of (GG7).
double ratio_of_temperatures(double e, double e_t, double q) {
  const double eta = q * (1 + e_t) / (2 * (1 + q));
  const double A = (1 - e * e) / 4 + eta * (1 - eta), B = eta * eta / q, C = eta / q * (1 - eta / q);
  return ((A - C) + std::sqrt((A - C) * (A - C) + 4 * B * B)) / (2 * B);
}

struct RoughCase {
  double e, e_t, q, ratio;
};

TEST(Gas, RoughSpheresExchangeEnergyAsGaussianVelocitiesDo) {
  // From velocities and spins that are independent, as they are at the start, the first rates are those of (GG6).
  for (const RoughCase& c : {RoughCase{0.9, 0.5, 0.4, 0.5}, {0.7, -0.5, 0.4, 3}, {0.8, 0.9, 2.0 / 3, 0.2}}) {
    const double spin = std::sqrt(c.ratio / (c.q * 0.25));
    auto gas = Gas::make({.spheres = 20000, .fraction = 0.05, .inertia_ratio = c.q, .spin = spin, .settle = 4},
                         ChatterjeeRuina{.e = c.e, .e_t = c.e_t, .mu = infinity});
    ASSERT_TRUE(gas);
    const GasState before = gas->state();
    ASSERT_TRUE(gas->advance(500));
    const GasState after = gas->state();
    const double eta = c.q * (1 + c.e_t) / (2 * (1 + c.q)), T = before.translational_temperature;
    const double T_r = before.rotational_temperature;
    const double A = (1 - c.e * c.e) / 4 + eta * (1 - eta), B = eta * eta / c.q, C = eta / c.q * (1 - eta / c.q);
    const double k = 4.0 / 3 * 2 * 500 / 20000;
    // Of 500 collisions; the energy exchanged in one scatters by as much as its mean.
    const double scale = k * (A * T + B * T_r + B * T + C * T_r);
    EXPECT_NEAR((after.translational_temperature - T) / scale, k * (-A * T + B * T_r) / scale, 0.08) << c.e_t;
    EXPECT_NEAR((after.rotational_temperature - T_r) / scale, k * (B * T - C * T_r) / scale, 0.08) << c.e_t;
  }
}

TEST(Gas, RoughSpheresReachTheRatioOfRotationToTranslation) {
  EXPECT_NEAR(ratio_of_temperatures(1, 1, 0.4), 1, 1e-14);  // equipartition
  for (const RoughCase& c : {RoughCase{1, 1, 0.4, 0}, {0.9, 0.5, 0.4, 0}, {0.9, 0, 0.4, 0}, {0.9, 0.3, 2.0 / 3, 0}}) {
    auto gas = Gas::make({.spheres = 3000, .fraction = 0.02, .inertia_ratio = c.q},
                         ChatterjeeRuina{.e = c.e, .e_t = c.e_t, .mu = infinity});
    ASSERT_TRUE(gas);
    ASSERT_TRUE(gas->advance(60000));
    double ratio = 0;
    for (int k = 0; k < 10; ++k) {
      ASSERT_TRUE(gas->advance(1500));
      const GasState s = gas->state();
      ratio += 0.1 * s.rotational_temperature / s.translational_temperature;
    }
    // Spins and velocities of dissipative rough spheres are not independent, which (GG7) takes them to be: some per
    // cent.
    EXPECT_NEAR(ratio / ratio_of_temperatures(c.e, c.e_t, c.q), 1, c.e == 1 ? 0.02 : 0.08) << c.e_t << " " << c.q;
  }
}

TEST(Gas, CollapseIsReported) {
  auto gas = Gas::make({.spheres = 300, .fraction = 0.4}, Frictionless{.e = 0.05});
  ASSERT_TRUE(gas);
  const auto done = gas->advance(300000);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::not_converged);
  EXPECT_NE(done.error().message().find("inelastic collapse"), std::string::npos);
}

TEST(Gas, RefusesWhatIsNoGas) {
  const auto path = [](const GasSpec& spec) {
    const auto gas = Gas::make(spec, Frictionless{});
    return gas ? std::string("accepted") : gas.error().path;
  };
  EXPECT_EQ(path({.spheres = 1}), "spheres");
  EXPECT_EQ(path({.spheres = 5, .fraction = 0.4}), "spheres");
  EXPECT_EQ(path({.fraction = 0.6}), "fraction");
  EXPECT_EQ(path({.spheres = 40, .fraction = 0.45}), "fraction");  // 64 sites are too close to each other
  EXPECT_EQ(path({.radius = 0}), "radius");
  EXPECT_EQ(path({.mass = -1}), "mass");
  EXPECT_EQ(path({.inertia_ratio = 0.7}), "inertia_ratio");
  EXPECT_EQ(path({.speed = infinity}), "speed");
  EXPECT_EQ(path({.spin = -1}), "spin");
  EXPECT_EQ(path({.settle = -1}), "settle");
}

}  // namespace
}  // namespace ricochet
