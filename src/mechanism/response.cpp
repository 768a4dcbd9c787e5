#include "ricochet/mechanism/response.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "ricochet/base/constants.hpp"

namespace ricochet {
namespace {

/// V = J u without its parts along axes in which W = J 𝓜⁻¹Jᵀ vanishes to rounding. J vanishes there only to the root of
/// that, so that V may have more than a rounding, but no more than the root of one.
Vec3 movable_part(const Mat3& W, const ContactPoint& at, const VecX& u, const Vec3& V) {
  const double terms = (at.J.cwiseAbs() * u.cwiseAbs()).norm();
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(W);
  Vec3 out = V;
  for (int i = 0; i < 3; ++i) {
    const Vec3 axis = eigen.eigenvectors().col(i);
    if (eigen.eigenvalues()(i) > singular_floor * eigen.eigenvalues()(2)) continue;
    if (std::abs(axis.dot(V)) <= 2 * std::sqrt(singular_floor) * terms) out -= axis.dot(out) * axis;
  }
  return out;
}

}  // namespace

Expected<Response> respond(const MassSolver& solve, const ContactPoint& at, const VecX& u) {
  if (at.J.rows() != 3 || at.J.cols() != u.size()) {
    return fail(ErrorCode::wrong_type, "u", std::to_string(u.size()),
                fmt::format("must have as many entries as the contact Jacobian has columns, {}", at.J.cols()));
  }
  if (!u.allFinite()) return fail(ErrorCode::out_of_range, "u", "", "every entry must be finite");
  Response r;
  r.u = u;
  r.L = solve(at.J.transpose());
  r.W = at.J * r.L;
  r.W = Mat3(0.5 * (r.W + r.W.transpose()));
  r.V = at.J * u;
  auto contact = contact_from_mobility(r.W, r.V, at.n);
  if (!contact && contact.error().path == "V") {
    r.V = movable_part(r.W, at, u, r.V);
    contact = contact_from_mobility(r.W, r.V, at.n);
  }
  if (!contact) return tl::unexpected(contact.error());
  r.contact = *contact;
  return r;
}

}  // namespace ricochet
