/// Derivatives of the laws that refer to the permissible region: its centroid by moments of its section, its boundary
/// in closed form.

#include <cmath>
#include <limits>

#include "local_derivatives.hpp"
#include "ricochet/space/centroid_derivatives.hpp"
#include "ricochet/space/region.hpp"

namespace ricochet::derivatives {
namespace {

constexpr int columns_of_region = of_parameters + 4;
using RegionDual = Dual<columns_of_region>;

/// The conditions at P but the one that holds with equality, each by the size of its terms.
void add_conditions(const DualContact<columns_of_region>& c, const Vec3T<RegionDual>& P, const RegionDual& mu,
                    Boundary but, LocalDerivatives& out) {
  using D = RegionDual;
  const Vec3T<D> after = c.V + c.W * P;
  const double size = values_of(P).norm(), speed = values_of(c.V).norm() + (values_of(c.W) * values_of(P)).norm();
  const double tangential = std::hypot(P(1).v, P(2).v);
  if (but != Boundary::energy)
    out.add("which condition limits the impulse: energy", -energy_change<D>(c.W, c.V, P) / D(size * speed));
  if (but != Boundary::separation) out.add("which condition limits the impulse: separation", after(0) / D(speed));
  if (but != Boundary::compression) out.add("which condition limits the impulse: compression", P(0) / D(size));
  if (but != Boundary::friction && mu.v < std::numeric_limits<double>::infinity() && mu.v > 0 && tangential > 0)
    out.add("which condition limits the impulse: friction",
            (mu * P(0) - sqrt(P(1) * P(1) + P(2) * P(2))) / D((1 + mu.v) * size));
}

/// The centroid depends on W, V and μ, on the latter by (DV11).
Expected<Vec3T<RegionDual>> centre_of(const Local<double>& local, double mu) {
  const CentroidDerivatives<double> centre = centroid_derivatives<double>(local, mu);
  if (centre.status != RegionStatus::ok)
    return fail(ErrorCode::not_converged, "", "",
                "the quadrature of the derivatives of the centroid did not reach 1e-12");
  const bool stretches = mu < std::numeric_limits<double>::infinity();
  Vec3T<RegionDual> out;
  for (int i = 0; i < 3; ++i) {
    const auto row = centre.J.row(i);
    out(i).v = centre.P(i);
    for (int j = 0; j < of_parameters; ++j) out(i).d[static_cast<std::size_t>(j)] = row(j);
    if (stretches) out(i).d[of_parameters + 3] = (by_stretching(row, local) + (i > 0 ? out(i).v : 0)) / mu;
  }
  return out;
}

Expected<void> check_friction(double mu) {
  if (mu > 0) return {};
  return fail(ErrorCode::invalid, "mu", "0", "must be positive for derivatives of this law: its region is a segment");
}

}  // namespace

Expected<void> differentiate(const PermissiblePoint& law, const Local<double>& local, const Outcome&,
                             LocalDerivatives& out) {
  using D = RegionDual;
  constexpr int N = columns_of_region;
  if (const Expected<void> fine = check_friction(law.mu); !fine) return fine;
  out.by = By::W;
  const DualContact<N> c(Seeds(local, out.by), false);
  const D psi_1 = parameter<N>(law.psi_1, 0), psi_2 = parameter<N>(law.psi_2, 1), rho = parameter<N>(law.rho, 2);
  const D mu = parameter<N>(law.mu, 3);
  const auto centre = centre_of(local, law.mu);
  if (!centre) return tl::unexpected(centre.error());
  // Local axis 2 turns with the slip.
  Vec2T<D> t{D(1), D(0)};
  if (local.V(1) != 0) {
    const D s = sqrt(c.V(1) * c.V(1) + c.V(2) * c.V(2));
    t = Vec2T<D>(-c.V(1) / s, -c.V(2) / s);
  } else if (law.rho > 0) {
    out.kink = "no slip before the impact: its direction, from which psi_2 is counted, is not defined";
  }
  const D along = sin(psi_1) * cos(psi_2), across = sin(psi_1) * sin(psi_2);
  const Vec3T<D> d(cos(psi_1), along * t(0) - across * t(1), along * t(1) + across * t(0));
  const Exit<D> exit = exit_along<D, D>(c.W, c.V, *centre, d, mu);
  if (law.rho > 0) add_conditions(c, *centre + d * exit.distance, mu, exit.boundary, out);
  out.take<N>(*centre + d * (rho * exit.distance));
  return {};
}

Expected<void> differentiate(const Projected& law, const Local<double>& local, const Outcome& outcome,
                             LocalDerivatives& out) {
  using D = RegionDual;
  constexpr int N = columns_of_region;
  out.by = By::W;
  const DualContact<N> c(Seeds(local, out.by), false);
  const Vec3 wanted = local.R.transpose() * law.target;
  const Vec3T<D> target(parameter<N>(wanted(0), 0), parameter<N>(wanted(1), 1), parameter<N>(wanted(2), 2));
  const D mu = parameter<N>(law.mu, 3);
  // The answer of a permissible target is the target.
  if ((outcome.P - law.target).norm() <= 1e-14 * law.target.norm()) {
    add_conditions(c, target, mu, Boundary::none, out);
    out.take<N>(target);
    return {};
  }
  if (const Expected<void> fine = check_friction(law.mu); !fine) return fine;
  const auto centre = centre_of(local, law.mu);
  if (!centre) return tl::unexpected(centre.error());
  const Vec3T<D> d = target - *centre;
  const Exit<D> exit = exit_along<D, D>(c.W, c.V, *centre, d, mu);
  const Vec3T<D> P = *centre + d * exit.distance;
  add_conditions(c, P, mu, exit.boundary, out);
  out.add("whether the target is permissible", D(1) - exit.distance);
  out.take<N>(P);
  return {};
}

}  // namespace ricochet::derivatives
