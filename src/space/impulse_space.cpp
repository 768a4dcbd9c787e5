#include "ricochet/space/impulse_space.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string text(const Vec3& v) { return fmt::format("[{}, {}, {}]", to_text(v.x()), to_text(v.y()), to_text(v.z())); }

Expected<void> check(const Contact& contact, double mu) {
  if (!(mu >= 0)) return fail(ErrorCode::out_of_range, "mu", to_text(mu), "must be at least 0, or inf");
  if (!(contact.approach_speed() > 0))
    return fail(ErrorCode::invalid, "V", text(contact.V),
                "must approach: there is no permissible region to speak of unless n·V < 0");
  return {};
}

}  // namespace

std::string_view name(Boundary boundary) {
  switch (boundary) {
    case Boundary::energy: return "energy";
    case Boundary::separation: return "separation";
    case Boundary::compression: return "compression";
    case Boundary::friction: return "friction";
    case Boundary::none: return "none";
  }
  return "unknown";
}

Plane ImpulseSpace::restitution_plane(double e) const {
  Plane plane = maximum_compression;
  plane.point = (1 + e) * P_I;
  plane.offset = (1 + e) * maximum_compression.offset;
  return plane;
}

Expected<ImpulseSpace> impulse_space(const Contact& contact, double mu) {
  if (const auto fine = check(contact, mu); !fine) return tl::unexpected(fine.error());
  ImpulseSpace space;
  space.contact = contact;
  space.mu = mu;
  const Vec3& n = contact.n;
  const Vec3 Wn = contact.W * n;
  const double k = contact.approach_speed();
  space.P_I = (k / n.dot(Wn)) * n;
  space.P_II = -(contact.M * contact.V);
  space.energy = -0.5 * contact.V.dot(space.P_II);

  // The input matrix is the one whose small eigenvalues are most accurate.
  space.ellipsoid.centre = space.P_II;
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(contact.mass_given ? contact.M : contact.W);
  const Vec3 lambda = eigen.eigenvalues();
  space.sticking.point = space.P_II;
  Vec3 n_in_range = n;
  for (int i = 0; i < 3; ++i) {
    const int j = contact.mass_given ? 2 - i : i;
    auto& axis = space.ellipsoid.half_axes[static_cast<std::size_t>(i)];
    axis.direction = eigen.eigenvectors().col(j);
    if (contact.immovable && lambda(j) <= singular_floor * lambda(2)) {
      axis.length = infinity;
      space.sticking.null[static_cast<std::size_t>(space.sticking.null_count++)] = axis.direction;
      n_in_range -= axis.direction * axis.direction.dot(n);
    } else {
      axis.length = std::sqrt(2 * space.energy * (contact.mass_given ? lambda(j) : 1 / lambda(j)));
    }
  }
  if ((n - n_in_range).norm() <= 1e-9) space.sticking.direction = (contact.M * n).normalized();

  const double length = Wn.norm();
  space.maximum_compression = {space.P_I, Wn / length, k / length};
  space.cone = {n, mu, std::atan(mu)};
  return space;
}

Certificate certify(const Contact& contact, const Vec3& P, double mu) {
  const Local<double> local = localize<double>(contact);
  return certify<double>(local.W, local.V, local.R.transpose() * P, mu);
}

Expected<BoundaryHit> boundary_along(const Contact& contact, double mu, const Vec3& from, const Vec3& direction) {
  if (const auto fine = check(contact, mu); !fine) return tl::unexpected(fine.error());
  if (!from.allFinite()) return fail(ErrorCode::out_of_range, "from", text(from), "every component must be finite");
  if (!direction.allFinite() || !(direction.stableNorm() > 0))
    return fail(ErrorCode::out_of_range, "direction", text(direction), "must be finite and not zero");
  const Local<double> local = localize<double>(contact);
  const Vec3 P = local.R.transpose() * from;
  const Vec3 d = local.R.transpose() * direction;
  if (!certify(contact, from, mu).permissible)
    return fail(ErrorCode::invalid, "from", text(from), "must lie in the permissible region");
  const Exit<double> exit = exit_along<double>(local.W, local.V, P, d, mu);
  BoundaryHit hit{exit.distance, exit.boundary, from};
  if (exit.boundary != Boundary::none) hit.P = from + exit.distance * direction;
  return hit;
}

Expected<CentroidResult<double>> centroid(const Contact& contact, double mu) {
  if (const auto fine = check(contact, mu); !fine) return tl::unexpected(fine.error());
  // Extended precision, for the Schur complement of an ill-conditioned W.
  const Local<long double> local = localize<long double>(contact);
  const CentroidResult<long double> found = centroid<long double>(local, mu);
  switch (found.status) {
    case RegionStatus::ok: break;
    case RegionStatus::separating:
      return fail(ErrorCode::invalid, "V", text(contact.V),
                  "must approach: there is no permissible region to speak of unless n·V < 0");
    case RegionStatus::unbounded:
      return fail(ErrorCode::invalid, "W", "",
                  "leaves the permissible region unbounded: a direction in which the contact cannot move lies in the "
                  "friction cone, so that the region has no centroid");
    case RegionStatus::not_converged:
      return fail(
          ErrorCode::not_converged, "mu", to_text(mu),
          fmt::format("gives a region whose centroid did not converge (relative error {:.1e} after {} evaluations)",
                      static_cast<double>(found.error), found.evaluations));
  }
  CentroidResult<double> out;
  out.P = (local.R * found.P).cast<double>();
  out.volume = static_cast<double>(found.volume);
  out.error = static_cast<double>(found.error);
  out.evaluations = found.evaluations;
  return out;
}

Expected<Rebound> highest_rebound(const Contact& contact, double mu) {
  if (const auto fine = check(contact, mu); !fine) return tl::unexpected(fine.error());
  // In the precision of the certificates: the impulse is on the boundary, and at grazing incidence that boundary is
  // only as well defined as n·V is.
  const Local<double> local = localize<double>(contact);
  const HighestRebound<double> best = highest_rebound(region_of(local, mu));
  Rebound out;
  out.e = best.e;
  out.P = local.R * best.P;
  out.boundary = best.boundary;
  if (!out.P.allFinite() || !std::isfinite(out.e))
    return fail(ErrorCode::overflow, "V", text(contact.V),
                "is too close to grazing for the greatest rebound to be a finite number");
  return out;
}

}  // namespace ricochet
