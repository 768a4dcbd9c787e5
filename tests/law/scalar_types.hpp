#pragma once
/// A law's kernel in every scalar: float and long double against double, and the derivatives that dual numbers give
/// against differences in extended precision.

#include <gtest/gtest.h>

#include <cmath>

#include "random_contact.hpp"
#include "ricochet/base/dual.hpp"
#include "ricochet/contact/inverse_spd.hpp"
#include "ricochet/contact/localize_kernel.hpp"
#include "ricochet/law/solution.hpp"

namespace ricochet::testing {

/// M, V and n on a line through given ones, so that a derivative along the line is one number for each result.
struct ContactLine {
  Mat3 M, dM;
  Vec3 V, dV;
  Vec3 n;

  template <class T>
  [[nodiscard]] Local<T> at(const T& x) const {
    Mat3T<T> M_x, W_x;
    Vec3T<T> V_x;
    for (int i = 0; i < 3; ++i) {
      V_x(i) = T(V(i)) + x * T(dV(i));
      for (int j = 0; j < 3; ++j) M_x(i, j) = T(M(i, j)) + x * T(dM(i, j));
    }
    EXPECT_TRUE(inverse_spd<T>(M_x, W_x));
    return localize<T>(M_x, W_x, V_x, n.cast<T>(), false);
  }
};

/// Slipping, approaching at 0.2 to 1.2 rad, cond(M) ≤ 10: away from the borders between kinds of motion, mostly.
inline ContactLine random_line(Rng& rng) {
  ContactLine line;
  line.M = random_mass(rng, 1);
  line.n = random_unit(rng);
  Vec3 t = line.n.cross(random_unit(rng));
  while (t.norm() < 1e-2) t = line.n.cross(random_unit(rng));
  const double angle = uniform(rng, 0.2, 1.2);
  line.V = std::cos(angle) * t.normalized() - std::sin(angle) * line.n;
  const Mat3 S = random_mass(rng, 1);
  line.dM = S * (line.M.norm() / S.norm());
  line.dV = random_unit(rng);
  return line;
}

/// The same with local axis 3 uncoupled and no change across the plane, for planar laws.
inline ContactLine random_planar_line(Rng& rng) {
  ContactLine line;
  const Contact c = random_planar_contact(rng, 1);
  line.M = c.M;
  line.n = c.n;
  const double angle = uniform(rng, 0.2, 1.2);
  line.V = Vec3(-std::sin(angle), std::cos(angle), 0);
  line.dM = 0.3 * random_planar_contact(rng, 1).M;
  line.dV = Vec3(uniform(rng, -1, 1), uniform(rng, -1, 1), 0);
  return line;
}

struct ScalarChecks {
  int contacts = 40;
  double float_tolerance = 1e-3;       ///< relative to ‖P‖
  double extended_tolerance = 1e-10;   ///< as above
  double derivative_tolerance = 1e-6;  ///< relative to ‖P‖ + ‖dP‖
  double difference_step = 1e-5;
};

/// `make(rng)` is a law with random parameters, `draw(rng)` a ContactLine. The derivative is compared where the same
/// kind of motion is found on both sides; at least two thirds of the contacts must allow it.
template <class Make, class Draw>
void expect_every_scalar(const Make& make, const Draw& draw, const ScalarChecks& checks = {}) {
  Rng rng(5);
  int smooth = 0;
  for (int i = 0; i < checks.contacts; ++i) {
    const auto law = make(rng);
    const ContactLine line = draw(rng);
    const auto in_double = solve(law, line.at<double>(0.0));
    SCOPED_TRACE(::testing::Message() << "contact " << i << ", P = " << in_double.P.transpose());
    ASSERT_NE(in_double.termination, Termination::no_solution);
    ASSERT_NE(in_double.termination, Termination::not_converged);
    const double size = in_double.P.norm();

    const auto in_float = solve(law, line.at<float>(0.0F));
    EXPECT_EQ(in_float.mode, in_double.mode);
    EXPECT_LE((in_float.P.template cast<double>() - in_double.P).norm(), checks.float_tolerance * size);

    const auto extended = solve(law, line.at<long double>(0.0L));
    EXPECT_EQ(extended.mode, in_double.mode);
    EXPECT_LE((extended.P.template cast<double>() - in_double.P).norm(), checks.extended_tolerance * size);

    using D = Dual<1>;
    const auto dual = solve(law, line.at<D>(D::variable(0, 0)));
    EXPECT_EQ(dual.mode, in_double.mode);
    const auto h = static_cast<long double>(checks.difference_step);
    const auto before = solve(law, line.at<long double>(-h));
    const auto after = solve(law, line.at<long double>(h));
    if (before.mode != in_double.mode || after.mode != in_double.mode) continue;
    ++smooth;
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(dual.P(k).v, in_double.P(k), 1e-9 * size);
      const auto slope = double((after.P(k) - before.P(k)) / (2 * h));
      EXPECT_NEAR(dual.P(k).d[0], slope, checks.derivative_tolerance * (size + std::abs(slope))) << "component " << k;
    }
  }
  EXPECT_GE(3 * smooth, 2 * checks.contacts);
}

}  // namespace ricochet::testing
