#include "ricochet/fit/component_noise.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "ricochet/fit/fit_law.hpp"

namespace ricochet {
namespace {

Mat3 world_inertia(const ReducedImpact& row) {
  const Mat3 R = row.measured.body.orientation.toRotationMatrix();
  return R * row.measured.body.inertia * R.transpose();
}

/// What turns the scaled residual into rad/s: its lower half is Lᵀ Δω over ‖u⁻‖.
Mat3 to_spin(const ReducedImpact& row) {
  const Eigen::LLT<Mat3> root(world_inertia(row));
  return root.matrixU().solve(Mat3::Identity()) * (row.speed * std::sqrt(row.measured.body.mass));
}

/// The deviation of normal numbers with mean zero, from the median of their sizes.
double deviation_of(std::vector<double> sizes) {
  return sizes.empty() ? 0 : quantile(std::move(sizes), 0.5) / 0.674490;
}

}  // namespace

ComponentNoise component_noise(std::span<const ReducedImpact> rows, std::span<const ReducedImpact::Vec6> residuals) {
  std::vector<double> normal, tangential, spin;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ReducedImpact& row = rows[i];
    const Vec3 n = row.contact.n, v = row.speed * residuals[i].head<3>();
    normal.push_back(std::abs(n.dot(v)));
    const Vec3 t = row.measured.planar ? Vec3(n.cross(Vec3::UnitZ())) : Vec3(n.unitOrthogonal());
    tangential.push_back(std::abs(t.dot(v)));
    if (!row.measured.planar) tangential.push_back(std::abs(n.cross(t).dot(v)));
    if (!row.measured.spin_measured) continue;
    const Vec3 w = to_spin(row) * residuals[i].tail<3>();
    for (int k = row.measured.planar ? 2 : 0; k < 3; ++k) spin.push_back(std::abs(w(k)));
  }
  const bool spins = !spin.empty();
  ComponentNoise out{deviation_of(std::move(normal)), deviation_of(std::move(tangential)),
                     deviation_of(std::move(spin))};
  const double gyration = std::sqrt(world_inertia(rows[0]).trace() / 3 / rows[0].measured.body.mass);
  const double least = std::max({out.normal, out.tangential, out.spin * gyration, 1e-10}) / 100;
  out.normal = std::max(out.normal, least);
  out.tangential = std::max(out.tangential, least);
  if (spins) out.spin = std::max(out.spin, least / gyration);
  return out;
}

ReducedImpact in_units_of(const ComponentNoise& noise, const ReducedImpact& row) {
  ReducedImpact out = row;
  const Mat3 along = row.contact.n * row.contact.n.transpose();
  const Mat3 velocity = row.speed * (along / noise.normal + (Mat3::Identity() - along) / noise.tangential);
  out.A.topRows<3>() = velocity * row.A.topRows<3>();
  out.b.head<3>() = velocity * row.b.head<3>();
  if (!row.measured.spin_measured) return out;
  const Mat3 spin = to_spin(row) / noise.spin;
  out.A.bottomRows<3>() = spin * row.A.bottomRows<3>();
  out.b.tail<3>() = spin * row.b.tail<3>();
  return out;
}

}  // namespace ricochet
