#pragma once
/// A contact that sticks on undamped springs, to first order in closed form: the modes and how they change (DV22).

#include <cmath>

#include "ricochet/compliant/spatial_state.hpp"
#include "ricochet/compliant/swing.hpp"
#include "sledge_directions.hpp"

namespace ricochet::derivatives {

/// Force, deflection and the impulse gained since the start.
struct StuckChange {
  SledgeDual N;
  Vec2T<SledgeDual> xi;
  Vec3T<SledgeDual> P;
};

class StickVariation {
  using D = SledgeDual;
  static constexpr int K = sledge_directions;
  using Modal = Eigen::Matrix<double, 3, K>;

 public:
  /// From force, deflection and velocity, with the modes of S = √K A √K: its eigenvectors and the roots of its
  /// eigenvalues.
  StickVariation(const compliant::SpatialSledge<D>& p, const D& k_n, const Mat3& axes, const Vec3& omega, const D& N,
                 const Vec2T<D>& xi, const Vec3T<D>& v)
      : root_(sqrt(k_n), sqrt(p.kappa), sqrt(p.kappa)), axes_(axes), lambda_(omega.cwiseProduct(omega)) {
    const Vec3T<D> z(-(N / root_(0)), root_(1) * xi(0), root_(2) * xi(1));
    Modal dz, dd;
    Vec3 d;
    for (int i = 0; i < 3; ++i) {
      const D rate = root_(i) * v(i);
      dz.row(i) = row_of(z(i));
      dd.row(i) = row_of(rate);
      d(i) = rate.v;
    }
    q_ = axes.transpose() * values_of(z);
    r_ = axes.transpose() * d;
    for (int i = 0; i < 3; ++i)
      if (!(omega(i) > 0)) r_(i) = 0;
    dq_ = axes.transpose() * dz;
    dr_ = axes.transpose() * dd;
    // S in the axes of the modes.
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) dS_[i].row(j) = row_of(D(root_(i) * p.A(i, j) * root_(j)));
    for (auto& rows : dS_) rows = (axes.transpose() * rows).eval();
    const std::array<Modal, 3> half = dS_;
    for (int i = 0; i < 3; ++i)
      dS_[static_cast<std::size_t>(i)] = axes(0, i) * half[0] + axes(1, i) * half[1] + axes(2, i) * half[2];
  }

  /// After the time t.
  [[nodiscard]] StuckChange after(double t) const {
    Vec3 z, sum;
    Modal dz, dsum;
    std::array<compliant::Swing<double>, 6> difference;
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j) difference[pair(i, j)] = compliant::swing_difference(lambda_(i), lambda_(j), t);
    for (int i = 0; i < 3; ++i) {
      const compliant::Swing<double> own = compliant::swing(lambda_(i), t);
      z(i) = own.C * q_(i) + own.S * r_(i);
      sum(i) = own.S * q_(i) + own.B * r_(i);
      dz.row(i) = own.C * dq_.row(i) + own.S * dr_.row(i);
      dsum.row(i) = own.S * dq_.row(i) + own.B * dr_.row(i);
      for (int j = 0; j < 3; ++j) {
        const compliant::Swing<double>& by = difference[i < j ? pair(i, j) : pair(j, i)];
        dz.row(i) += (by.C * q_(j) + by.S * r_(j)) * dS_[static_cast<std::size_t>(i)].row(j);
        dsum.row(i) += (by.S * q_(j) + by.B * r_(j)) * dS_[static_cast<std::size_t>(i)].row(j);
      }
    }
    const Vec3 z_out = axes_ * z, sum_out = axes_ * sum;
    const Modal dz_out = axes_ * dz, dsum_out = axes_ * dsum;
    StuckChange out;
    out.N = -(root_(0) * dual_of(z_out(0), dz_out.row(0)));
    for (int i = 0; i < 2; ++i) out.xi(i) = dual_of(z_out(1 + i), dz_out.row(1 + i)) / root_(1 + i);
    for (int i = 0; i < 3; ++i) out.P(i) = -(root_(i) * dual_of(sum_out(i), dsum_out.row(i)));
    return out;
  }

  /// Values only: force, deflection and velocity.
  struct Motion {
    double N;
    Vec2 xi;
    Vec3 v;
  };
  [[nodiscard]] Motion motion(double t) const {
    Vec3 z, d;
    for (int i = 0; i < 3; ++i) {
      const compliant::Swing<double> own = compliant::swing(lambda_(i), t);
      z(i) = own.C * q_(i) + own.S * r_(i);
      d(i) = own.C * r_(i) - lambda_(i) * own.S * q_(i);
    }
    const Vec3 z_out = axes_ * z, d_out = axes_ * d;
    return {-root_(0).v * z_out(0), Vec2(z_out(1) / root_(1).v, z_out(2) / root_(2).v),
            Vec3(d_out(0) / root_(0).v, d_out(1) / root_(1).v, d_out(2) / root_(2).v)};
  }

 private:
  static std::size_t pair(int i, int j) { return static_cast<std::size_t>(i == 0 ? j : i + j + 1); }

  Vec3T<D> root_;
  Mat3 axes_;
  Vec3 lambda_, q_, r_;
  Modal dq_, dr_;
  std::array<Modal, 3> dS_;  ///< dS_[i].row(j) is the change of S_ij
};

}  // namespace ricochet::derivatives
