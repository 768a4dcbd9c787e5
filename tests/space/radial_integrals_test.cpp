#include "ricochet/space/radial_integrals.hpp"

#include <gtest/gtest.h>

#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>
#include <numbers>

namespace ricochet {
namespace {

using Real = long double;

/// By quadrature, in s = tan β/√u where the integrand has a narrow peak.
Real expected(int k, int m, Real u) {
  static boost::math::quadrature::tanh_sinh<Real> integrator;
  if (u < 1)
    return integrator.integrate([&](Real s) { return std::pow(s, k) * std::pow(1 + u * s * s, -m); }, Real(0), Real(1));
  const Real root = std::sqrt(u);
  return integrator.integrate(
             [&](Real beta) { return std::pow(std::sin(beta), k) * std::pow(std::cos(beta), 2 * m - 2 - k); }, Real(0),
             std::atan(root)) /
         std::pow(root, k + 1);
}

TEST(RadialIntegrals, AgreeWithQuadrature_FromNarrowToWide) {
  for (const Real u : {0.0L, 1e-30L, 1e-9L, 1e-3L, 0.1L, 0.7L, 3.0L, 50.0L, 1e4L, 1e8L, 1e12L}) {
    const RadialIntegrals<Real, true> E(Lanes<Real>::Constant(u), Lanes<Real>::Constant(1 / (1 + u)));
    const auto expect = [&](const Lanes<Real>& found, int k, int m) {
      const Real sought = expected(k, m, u);
      EXPECT_NEAR(double(found(0) / sought - 1), 0, 4e-17) << "E_" << k << m << " at " << double(u);
    };
    expect(E.E13, 1, 3), expect(E.E23, 2, 3), expect(E.E33, 3, 3), expect(E.E43, 4, 3);
    expect(E.E14, 1, 4), expect(E.E24, 2, 4), expect(E.E34, 3, 4), expect(E.E44, 4, 4);
    expect(E.E54, 5, 4), expect(E.E64, 6, 4);
    expect(E.E15, 1, 5), expect(E.E25, 2, 5), expect(E.E35, 3, 5), expect(E.E45, 4, 5);
    expect(E.E55, 5, 5), expect(E.E65, 6, 5), expect(E.E75, 7, 5), expect(E.E85, 8, 5);
  }
}

TEST(RadialIntegrals, EveryLaneIsTheNumberByItself) {
  Lanes<double> u, y;
  for (int i = 0; i < u.size(); ++i) u(i) = std::pow(10.0, i);
  y = 1 / (1 + u);
  const RadialIntegrals<double> all(u, y);
  for (int i = 0; i < u.size(); ++i) {
    const RadialIntegrals<double> one(Lanes<double>::Constant(u(i)), Lanes<double>::Constant(y(i)));
    EXPECT_EQ(all.E43(i), one.E43(0));
    EXPECT_EQ(all.E64(i), one.E64(0));
  }
}

}  // namespace
}  // namespace ricochet
