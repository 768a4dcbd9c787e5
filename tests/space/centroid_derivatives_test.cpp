#include "ricochet/space/centroid_derivatives.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "numbers.hpp"
#include "random_contact.hpp"
#include "ricochet/base/dual.hpp"
#include "ricochet/contact/localize_kernel.hpp"
#include "space/region_oracle.hpp"

namespace ricochet {
namespace {

using namespace testing;
using testing::infinity;
using Jacobian = Eigen::Matrix<double, 3, 9>;
using D = Dual<9>;

Local<D> variables(const Local<double>& c) {
  Local<D> out;
  int k = 0;
  for (int i = 0; i < 3; ++i) {
    out.V(i) = D::variable(c.V(i), 6 + i);
    for (int j = i; j < 3; ++j) out.W(i, j) = out.W(j, i) = D::variable(c.W(i, j), k++);
  }
  return out;
}

Jacobian jacobian_of(const Vec3T<D>& P) {
  Jacobian J;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 9; ++k) J(i, k) = P(i).d[static_cast<std::size_t>(k)];
  return J;
}

/// W and V have different units: each block by its own size.
double difference(const Jacobian& a, const Jacobian& b) {
  const auto of = [](const auto& x, const auto& y) { return (x - y).norm() / y.norm(); };
  return std::max(of(a.leftCols<6>(), b.leftCols<6>()), of(a.rightCols<3>(), b.rightCols<3>()));
}

TEST(CentroidDerivatives, AgreeWithDifferencesInExtendedPrecision) {
  Rng rng(3);
  int seen = 0;
  while (seen < 40) {
    const Contact contact = random_contact(rng, 1);
    if (contact.approach_speed() < 0.05 * contact.V.norm()) continue;
    ++seen;
    const double mu = seen % 5 == 0 ? infinity : uniform(rng, 0.1, 2);
    const Local<double> c = localize<double>(contact);
    const auto found = centroid_derivatives<double>(c, mu);
    ASSERT_EQ(found.status, RegionStatus::ok);
    Local<Real> at;
    at.W = c.W.cast<Real>();
    at.V = c.V.cast<Real>();
    const auto column = [&](auto&& shift, Real size) {
      const auto central = [&](Real step) {
        Local<Real> more = at, less = at;
        shift(more, step);
        shift(less, -step);
        return Vec3T<Real>((centroid<Real>(more, mu, 1e-18L).P - centroid<Real>(less, mu, 1e-18L).P) / (2 * step));
      };
      const Real step = 0x1p-12L * size;
      const Vec3T<Real> limit = (4 * central(step / 2) - central(step)) / 3;
      return Vec3(double(limit(0)), double(limit(1)), double(limit(2)));
    };
    Jacobian J;
    int k = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j)
        J.col(k++) = column(
            [&](Local<Real>& x, Real step) {
              x.W(i, j) += step;
              if (i != j) x.W(j, i) += step;
            },
            at.W.norm() / 8);
    for (int i = 0; i < 3; ++i)
      J.col(k++) = column([&](Local<Real>& x, Real step) { x.V(i) += step; }, at.V.norm() / 8);
    EXPECT_LT(difference(found.J, J), 1e-8) << "mu " << mu;
    EXPECT_LT((found.P - centroid<double>(c, mu).P).norm(), 1e-13 * found.P.norm());
  }
}

TEST(CentroidDerivatives, AreThoseOfDualNumbersThroughTheQuadrature) {
  Rng rng(14);
  int seen = 0;
  while (seen < 60) {
    const Contact contact = random_contact(rng, 3);
    if (contact.approach_speed() < 1e-3 * contact.V.norm()) continue;
    ++seen;
    const double mu = seen % 4 == 0 ? infinity : log_uniform(rng, -2, 1);
    const Local<double> c = localize<double>(contact);
    const auto found = centroid_derivatives<double>(c, mu);
    const auto dual = centroid<D>(variables(c), mu, D(1e-13));
    ASSERT_EQ(found.status, RegionStatus::ok);
    ASSERT_EQ(dual.status, RegionStatus::ok);
    const double condition = contact.M.norm() * contact.W.norm();
    EXPECT_LT(difference(found.J, jacobian_of(dual.P)), 1e-9 + 1e-13 * condition) << "mu " << mu;
  }
}

// The centroid of the half ellipsoid is known: P_II + ⅜ √(2E/W_nn) n.
TEST(CentroidDerivatives, HalfEllipsoid_ClosedForm) {
  Rng rng(23);
  int seen = 0;
  while (seen < 100) {
    const Contact contact = random_contact(rng, 1.5);
    const Local<double> c = localize<double>(contact);
    const Vec3 P_II = -(c.M * c.V);
    const double twice_energy = -c.V.dot(P_II);
    if (!(P_II(0) - std::sqrt(twice_energy * (c.M(0, 0) - 1 / c.W(0, 0))) > 0)) continue;
    ++seen;
    const Local<D> x = variables(c);
    Mat3T<D> adjoint;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const int a = (i + 1) % 3, b = (i + 2) % 3, p = (j + 1) % 3, q = (j + 2) % 3;
        adjoint(i, j) = x.W(a, p) * x.W(b, q) - x.W(a, q) * x.W(b, p);
      }
    const D determinant = x.W.row(0).dot(adjoint.row(0));
    Vec3T<D> P = adjoint * x.V / (-determinant);
    P(0) += 0.375 * sqrt(-x.V.dot(P) / x.W(0, 0));
    const auto found = centroid_derivatives<double>(c, infinity);
    ASSERT_EQ(found.status, RegionStatus::ok);
    EXPECT_LT(difference(found.J, jacobian_of(P)), 1e-9);
  }
}

TEST(CentroidDerivatives, DegreesInVelocityAndMobility) {
  Rng rng(31);
  for (int trial = 0; trial < 300; ++trial) {
    const Contact contact = random_contact(rng, 4);
    if (contact.approach_speed() < 1e-6 * contact.V.norm()) continue;
    const Local<double> c = localize<double>(contact);
    const auto found = centroid_derivatives<double>(c, log_uniform(rng, -6, 6));
    ASSERT_EQ(found.status, RegionStatus::ok);
    Eigen::Matrix<double, 6, 1> W;
    W << c.W(0, 0), c.W(0, 1), c.W(0, 2), c.W(1, 1), c.W(1, 2), c.W(2, 2);
    const auto by_V = found.J.rightCols<3>();
    const auto by_W = found.J.leftCols<6>();
    EXPECT_LT((by_V * c.V - found.P).norm(), 1e-12 * (by_V.norm() * c.V.norm() + found.P.norm()));
    EXPECT_LT((by_W * W + found.P).norm(), 1e-12 * (by_W.norm() * W.norm() + found.P.norm()));
  }
}

}  // namespace
}  // namespace ricochet
