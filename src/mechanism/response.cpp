#include "ricochet/mechanism/response.hpp"

#include <fmt/format.h>

namespace ricochet {

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
  if (!contact) return tl::unexpected(contact.error());
  r.contact = *contact;
  return r;
}

}  // namespace ricochet
