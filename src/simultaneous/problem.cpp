#include "ricochet/simultaneous/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "body_jacobian.hpp"
#include "ricochet/base/constants.hpp"
#include "ricochet/base/error_path.hpp"

namespace ricochet {
namespace {

constexpr double fastest = 1e150;  ///< m/s; the square of anything slower is finite

/// J u of one side.
Vec3 side_velocity(const double* J, const double* u, int dof) {
  Vec3 V = Vec3::Zero();
  if (dof == static_cast<int>(body_dof)) {
    for (int r = 0; r < 3; ++r, J += body_dof)
      V(r) = ((J[0] * u[0] + J[1] * u[1]) + (J[2] * u[2] + J[3] * u[3])) + (J[4] * u[4] + J[5] * u[5]);
    return V;
  }
  // Three sums at a time, since each addition waits for the one before it.
  for (int c = 0; c < dof; ++c, ++J)
    for (int r = 0; r < 3; ++r) V(r) += J[r * dof] * u[c];
  return V;
}

}  // namespace

Expected<std::size_t> Problem::add(const RigidBody& body, std::string_view path) {
  if (const auto fine = check(body, path); !fine) return tl::unexpected(fine.error());
  DynamicSystem system;
  system.first = u_.size();
  system.body = static_cast<int>(bodies_.size());
  Mat3 inverse = Mat3::Zero();
  if (!body.fixed) {
    system.dof = static_cast<int>(body_dof);
    for (const double x : body.velocity) u_.push_back(x);
    for (const double x : body.angular_velocity) u_.push_back(x);
    const auto found = inverse_inertia(body, path);
    if (!found) return tl::unexpected(found.error());
    inverse = *found;
  }
  bodies_.push_back(body);
  inverse_inertia_.push_back(inverse);
  systems_.push_back(std::move(system));
  on_.emplace_back();
  return systems_.size() - 1;
}

Expected<std::size_t> Problem::add(MassSolver solve, const VecX& u) {
  if (!solve) return fail(ErrorCode::missing, "solve", "", "must be a function");
  if (!u.allFinite()) return fail(ErrorCode::out_of_range, "u", "", "every speed must be finite");
  DynamicSystem system;
  system.dof = static_cast<int>(u.size());
  system.first = u_.size();
  system.solve = std::move(solve);
  u_.insert(u_.end(), u.begin(), u.end());
  systems_.push_back(std::move(system));
  on_.emplace_back();
  return systems_.size() - 1;
}

void Problem::add_side(ProblemContact& place, std::size_t system, const RigidBody& body, double sign) {
  if (body.fixed) {
    place.drift += sign * velocity_at(body, place.point);
    return;
  }
  const Vec3 r = place.point - body.position;
  const Eigen::Matrix<double, 3, 6> J = sign * body_jacobian(r);
  Eigen::Matrix<double, 6, 3> L;
  L << Mat3(Mat3::Identity() * (sign / body.mass)),
      Mat3(sign * inverse_inertia_[static_cast<std::size_t>(systems_[system].body)] * cross_matrix(r));
  place.sides[static_cast<std::size_t>(place.side_count++)] = {static_cast<std::uint32_t>(system), J_.size()};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 6; ++j) J_.push_back(J(i, j));
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 3; ++j) L_.push_back(L(i, j));
}

void Problem::add_side(ProblemContact& contact, std::size_t system, double sign, const MatX& J, const MatX& L) {
  contact.sides[static_cast<std::size_t>(contact.side_count++)] = {static_cast<std::uint32_t>(system), J_.size()};
  for (Eigen::Index i = 0; i < 3; ++i)
    for (Eigen::Index j = 0; j < J.cols(); ++j) J_.push_back(sign * J(i, j));
  for (Eigen::Index i = 0; i < L.rows(); ++i)
    for (Eigen::Index j = 0; j < 3; ++j) L_.push_back(sign * L(i, j));
}

Expected<std::size_t> Problem::store(ProblemContact place) {
  const auto index = static_cast<std::uint32_t>(contacts_.size());
  const Vec3& n = place.contact.n;
  place.inert = !place.hinge && !(n.dot(place.contact.W * n) > singular_floor * place.contact.W.cwiseAbs().maxCoeff());
  contacts_.push_back(std::move(place));
  const ProblemContact& stored = contacts_.back();
  // Norms and energies square the speeds.
  if (const double terms = velocity_terms(index, u()); !(terms < fastest)) {
    contacts_.pop_back();
    return fail(ErrorCode::overflow, "V", fmt::format("{} m/s", to_text(terms)),
                "is too large for double precision; use other units");
  }
  for (int s = 0; s < stored.side_count; ++s) on_[stored.sides[static_cast<std::size_t>(s)].system].push_back(index);
  return index;
}

Expected<std::size_t> Problem::touch(std::size_t first, std::size_t second, const Vec3& point, const Vec3& n,
                                     const Law& law, const ContactPaths& paths) {
  for (const std::size_t i : {first, second})
    if (i >= systems_.size() || systems_[i].body < 0)
      return fail(ErrorCode::out_of_range, "bodies", std::to_string(i),
                  "must be the index of a rigid body of this problem");
  if (first == second)
    return fail(ErrorCode::conflict, "bodies", fmt::format("{}, {}", first, second), "must be two different bodies");
  const RigidBody& A = bodies_[static_cast<std::size_t>(systems_[first].body)];
  const RigidBody& B = bodies_[static_cast<std::size_t>(systems_[second].body)];
  auto contact = contact_between(A, B, point, n, paths);
  if (!contact) return tl::unexpected(contact.error());
  ProblemContact place;
  place.point = point;
  place.contact = *std::move(contact);
  place.law = law;
  add_side(place, first, A, -1);
  add_side(place, second, B, 1);
  return store(std::move(place)).map_error([&](Error error) { return under(paths.contact, std::move(error)); });
}

Expected<std::size_t> Problem::hinge(std::size_t first, std::size_t second, const Vec3& point,
                                     const ContactPaths& paths) {
  auto index = touch(first, second, point, Vec3::UnitX(), Frictionless{}, paths);
  if (!index) return index;
  contacts_[*index].hinge = true;
  contacts_[*index].inert = false;
  return index;
}

Expected<std::size_t> Problem::touch(std::size_t mechanism, const ContactPoint& at, const Law& law) {
  if (mechanism >= systems_.size() || systems_[mechanism].body >= 0)
    return fail(ErrorCode::out_of_range, "mechanism", std::to_string(mechanism),
                "must be the index of a mechanism of this problem");
  const DynamicSystem& system = systems_[mechanism];
  const VecX speeds = u().segment(static_cast<Eigen::Index>(system.first), system.dof);
  auto response = respond(system.solve, at, speeds);
  if (!response) return tl::unexpected(response.error());
  ProblemContact place;
  place.point = at.point;
  place.contact = response->contact;
  place.law = law;
  add_side(place, mechanism, 1, at.J, response->L);
  return store(std::move(place));
}

Expected<std::size_t> Problem::touch(std::size_t first, const MatX& J_first, std::size_t second, const MatX& J_second,
                                     const Vec3& point, const Vec3& n, const Law& law) {
  if (first == second)
    return fail(ErrorCode::conflict, "systems", fmt::format("{}, {}", first, second),
                "must be two different ones; a mechanism that touches itself is one contact with one J");
  if (!point.allFinite()) return fail(ErrorCode::out_of_range, "point", "", "every component must be finite");
  ProblemContact place;
  place.point = point;
  place.law = law;
  Mat3 W = Mat3::Zero();
  Vec3 V = Vec3::Zero();
  const auto side = [&](std::size_t i, const MatX& J, double sign, const char* field) -> Expected<void> {
    if (i >= systems_.size())
      return fail(ErrorCode::out_of_range, "systems", std::to_string(i),
                  "must be the index of a body or mechanism of this problem");
    const DynamicSystem& system = systems_[i];
    if (system.body >= 0) {
      const RigidBody& body = bodies_[static_cast<std::size_t>(system.body)];
      const auto W_body = ricochet::mobility(body, point);
      if (!W_body) return tl::unexpected(W_body.error());
      W += *W_body;
      V += sign * velocity_at(body, point);
      add_side(place, i, body, sign);
      return {};
    }
    if (J.rows() != 3 || J.cols() != system.dof)
      return fail(ErrorCode::wrong_type, field, fmt::format("{} x {}", J.rows(), J.cols()),
                  fmt::format("must be 3 x {}", system.dof));
    if (!J.allFinite()) return fail(ErrorCode::out_of_range, field, "", "every entry must be finite");
    const MatX L = system.solve(J.transpose());
    add_side(place, i, sign, J, L);
    const Mat3 W_mechanism = J.lazyProduct(L);
    W += 0.5 * (W_mechanism + W_mechanism.transpose());
    V += sign * J.lazyProduct(u().segment(static_cast<Eigen::Index>(system.first), system.dof));
    return {};
  };
  if (const auto fine = side(first, J_first, -1, "J_first"); !fine) return tl::unexpected(fine.error());
  if (const auto fine = side(second, J_second, 1, "J_second"); !fine) return tl::unexpected(fine.error());
  auto contact = contact_from_mobility(W, V, n);
  if (!contact) return tl::unexpected(contact.error());
  place.contact = *std::move(contact);
  return store(std::move(place));
}

Vec3 Problem::velocity(std::size_t contact, const VecX& u) const {
  const ProblemContact& place = contacts_[contact];
  Vec3 V = place.drift;
  for (int s = 0; s < place.side_count; ++s) {
    const ContactSide& side = place.sides[static_cast<std::size_t>(s)];
    const DynamicSystem& system = systems_[side.system];
    V += side_velocity(J(side), u.data() + system.first, system.dof);
  }
  return V;
}

double Problem::velocity_terms(std::size_t contact, const Eigen::Ref<const VecX>& u) const {
  const ProblemContact& place = contacts_[contact];
  double terms = place.drift.lpNorm<1>();
  for (int s = 0; s < place.side_count; ++s) {
    const ContactSide& side = place.sides[static_cast<std::size_t>(s)];
    const DynamicSystem& system = systems_[side.system];
    const double* const rows = J(side);
    const double* const speeds = u.data() + system.first;
    Vec3 sums = Vec3::Zero();  // three at a time, as above
    for (int c = 0; c < system.dof; ++c)
      for (int r = 0; r < 3; ++r) sums(r) += std::abs(rows[r * system.dof + c] * speeds[c]);
    terms += sums.sum();
  }
  return terms;
}

void Problem::apply(std::size_t contact, const Vec3& P, VecX& u) const {
  const ProblemContact& place = contacts_[contact];
  for (int s = 0; s < place.side_count; ++s) {
    const ContactSide& side = place.sides[static_cast<std::size_t>(s)];
    const DynamicSystem& system = systems_[side.system];
    const double* L_row = L(side);
    double* speeds = u.data() + system.first;
    for (int i = 0; i < system.dof; ++i, L_row += 3)
      speeds[i] += L_row[0] * P.x() + L_row[1] * P.y() + L_row[2] * P.z();
  }
}

double Problem::speed() const {
  double largest = 0;
  for (const ProblemContact& place : contacts_) {
    largest = std::max({largest, place.drift.norm(), place.contact.V.norm()});
    for (int s = 0; s < place.side_count; ++s) {
      const ContactSide& side = place.sides[static_cast<std::size_t>(s)];
      const DynamicSystem& system = systems_[side.system];
      largest = std::max(largest, side_velocity(J(side), u_.data() + system.first, system.dof).norm());
    }
  }
  return largest;
}

}  // namespace ricochet
