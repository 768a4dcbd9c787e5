#include "ricochet/simultaneous/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "ricochet/contact/between.hpp"
#include "ricochet/mechanism/loops.hpp"

namespace ricochet {
namespace {

constexpr std::size_t body_dof = 6;
constexpr double fastest = 1e150;  ///< m/s; the square of anything slower is finite

/// (v, ω) of a rigid body ↦ velocity of the point with arm r: [I, −S(r)].
Eigen::Matrix<double, 3, 6> body_jacobian(const Vec3& r) {
  Eigen::Matrix<double, 3, 6> J;
  J << Mat3::Identity(), -cross_matrix(r);
  return J;
}

/// J u of one side.
Vec3 side_velocity(const double* J, const double* u, int dof) {
  Vec3 V = Vec3::Zero();
  if (dof == static_cast<int>(body_dof)) {
    for (int r = 0; r < 3; ++r, J += body_dof)
      V(r) = ((J[0] * u[0] + J[1] * u[1]) + (J[2] * u[2] + J[3] * u[3])) + (J[4] * u[4] + J[5] * u[5]);
    return V;
  }
  for (int r = 0; r < 3; ++r, J += dof)
    for (int c = 0; c < dof; ++c) V(r) += J[c] * u[c];
  return V;
}

}  // namespace

Expected<std::size_t> Problem::add(const RigidBody& body, std::string_view prefix) {
  if (const auto fine = check(body, prefix); !fine) return tl::unexpected(fine.error());
  Mover mover;
  mover.first = u_.size();
  mover.body = static_cast<int>(bodies_.size());
  Mat3 inverse = Mat3::Zero();
  if (!body.fixed) {
    mover.dof = static_cast<int>(body_dof);
    for (const double x : body.velocity) u_.push_back(x);
    for (const double x : body.angular_velocity) u_.push_back(x);
    const auto found = inverse_inertia(body, prefix);
    if (!found) return tl::unexpected(found.error());
    inverse = *found;
  }
  bodies_.push_back(body);
  inverse_inertia_.push_back(inverse);
  movers_.push_back(std::move(mover));
  on_.emplace_back();
  return movers_.size() - 1;
}

Expected<std::size_t> Problem::add(MassSolver solve, const VecX& u) {
  if (!solve) return fail("solve", "", "must be a function");
  if (!u.allFinite()) return fail("u", "", "every speed must be finite");
  Mover mover;
  mover.dof = static_cast<int>(u.size());
  mover.first = u_.size();
  mover.solve = std::move(solve);
  u_.insert(u_.end(), u.begin(), u.end());
  movers_.push_back(std::move(mover));
  on_.emplace_back();
  return movers_.size() - 1;
}

void Problem::add_side(ContactPlace& place, std::size_t mover, const RigidBody& body, double sign) {
  if (body.fixed) {
    place.drift += sign * velocity_at(body, place.point);
    return;
  }
  const Vec3 r = place.point - body.position;
  const Eigen::Matrix<double, 3, 6> J = sign * body_jacobian(r);
  Eigen::Matrix<double, 6, 3> L;
  L << Mat3(Mat3::Identity() * (sign / body.mass)),
      Mat3(sign * inverse_inertia_[static_cast<std::size_t>(movers_[mover].body)] * cross_matrix(r));
  place.sides[static_cast<std::size_t>(place.side_count++)] = {static_cast<std::uint32_t>(mover), J_.size()};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 6; ++j) J_.push_back(J(i, j));
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 3; ++j) L_.push_back(L(i, j));
}

void Problem::add_side(ContactPlace& place, std::size_t mover, const MatX& J) {
  const MatX L = movers_[mover].solve(J.transpose());
  place.sides[static_cast<std::size_t>(place.side_count++)] = {static_cast<std::uint32_t>(mover), J_.size()};
  for (Eigen::Index i = 0; i < 3; ++i)
    for (Eigen::Index j = 0; j < J.cols(); ++j) J_.push_back(J(i, j));
  for (Eigen::Index i = 0; i < L.rows(); ++i)
    for (Eigen::Index j = 0; j < 3; ++j) L_.push_back(L(i, j));
}

Expected<std::size_t> Problem::keep(ContactPlace place) {
  const auto index = static_cast<std::uint32_t>(contacts_.size());
  const Vec3& n = place.contact.n;
  place.inert = !place.hinge && !(n.dot(place.contact.W * n) > 1e-14 * place.contact.W.cwiseAbs().maxCoeff());
  contacts_.push_back(std::move(place));
  const ContactPlace& kept = contacts_.back();
  // Lengths and energies square the speeds.
  if (const double terms = velocity_terms(index, u()); !(terms < fastest)) {
    contacts_.pop_back();
    return fail("V", fmt::format("{} m/s", to_text(terms)), "is too large for double precision; use other units");
  }
  for (int s = 0; s < kept.side_count; ++s) on_[kept.sides[static_cast<std::size_t>(s)].mover].push_back(index);
  return index;
}

Expected<std::size_t> Problem::touch(std::size_t first, std::size_t second, const Vec3& point, const Vec3& n,
                                     const Law& law) {
  for (const std::size_t i : {first, second})
    if (i >= movers_.size() || movers_[i].body < 0)
      return fail("bodies", std::to_string(i), "must be the index of a rigid body of this problem");
  if (first == second) return fail("bodies", fmt::format("{}, {}", first, second), "must be two different bodies");
  const RigidBody& A = bodies_[static_cast<std::size_t>(movers_[first].body)];
  const RigidBody& B = bodies_[static_cast<std::size_t>(movers_[second].body)];
  auto contact = contact_between(A, B, point, n);
  if (!contact) return tl::unexpected(contact.error());
  ContactPlace place;
  place.point = point;
  place.contact = *std::move(contact);
  place.law = law;
  add_side(place, first, A, -1);
  add_side(place, second, B, 1);
  return keep(std::move(place));
}

Expected<std::size_t> Problem::hinge(std::size_t first, std::size_t second, const Vec3& point) {
  auto index = touch(first, second, point, Vec3::UnitX(), Frictionless{});
  if (!index) return index;
  contacts_[*index].hinge = true;
  contacts_[*index].inert = false;
  return index;
}

Expected<std::size_t> Problem::touch(std::size_t mechanism, const ContactPoint& at, const Law& law) {
  if (mechanism >= movers_.size() || movers_[mechanism].body >= 0)
    return fail("mechanism", std::to_string(mechanism), "must be the index of a mechanism of this problem");
  const Mover& mover = movers_[mechanism];
  const VecX speeds = u().segment(static_cast<Eigen::Index>(mover.first), mover.dof);
  auto response = respond(mover.solve, at, speeds);
  if (!response) return tl::unexpected(response.error());
  ContactPlace place;
  place.point = at.point;
  place.contact = response->contact;
  place.law = law;
  add_side(place, mechanism, at.J);
  return keep(std::move(place));
}

Expected<std::size_t> Problem::touch(std::size_t first, const MatX& J_first, std::size_t second, const MatX& J_second,
                                     const Vec3& point, const Vec3& n, const Law& law) {
  if (first == second)
    return fail("movers", fmt::format("{}, {}", first, second),
                "must be two different ones; a mechanism that touches itself is one contact with one J");
  if (!point.allFinite()) return fail("point", "", "every component must be finite");
  ContactPlace place;
  place.point = point;
  place.law = law;
  Mat3 W = Mat3::Zero();
  Vec3 V = Vec3::Zero();
  const auto side = [&](std::size_t i, const MatX& J, double sign, const char* field) -> Expected<void> {
    if (i >= movers_.size()) return fail("movers", std::to_string(i), "must be the index of a mover of this problem");
    const Mover& mover = movers_[i];
    if (mover.body >= 0) {
      const RigidBody& body = bodies_[static_cast<std::size_t>(mover.body)];
      const auto W_body = ricochet::mobility(body, point);
      if (!W_body) return tl::unexpected(W_body.error());
      W += *W_body;
      V += sign * velocity_at(body, point);
      add_side(place, i, body, sign);
      return {};
    }
    if (J.rows() != 3 || J.cols() != mover.dof || !J.allFinite())
      return fail(field, fmt::format("{} x {}", J.rows(), J.cols()),
                  fmt::format("must be 3 x {} and finite", mover.dof));
    add_side(place, i, sign * J);
    const Mat3 W_mechanism = J.lazyProduct(mover.solve(J.transpose()));
    W += 0.5 * (W_mechanism + W_mechanism.transpose());
    V += sign * J.lazyProduct(u().segment(static_cast<Eigen::Index>(mover.first), mover.dof));
    return {};
  };
  if (const auto fine = side(first, J_first, -1, "J_first"); !fine) return tl::unexpected(fine.error());
  if (const auto fine = side(second, J_second, 1, "J_second"); !fine) return tl::unexpected(fine.error());
  auto contact = contact_from_mobility(W, V, n);
  if (!contact) return tl::unexpected(contact.error());
  place.contact = *std::move(contact);
  return keep(std::move(place));
}

Vec3 Problem::velocity(std::size_t contact, const VecX& u) const {
  const ContactPlace& place = contacts_[contact];
  Vec3 V = place.drift;
  for (int s = 0; s < place.side_count; ++s) {
    const ContactSide& side = place.sides[static_cast<std::size_t>(s)];
    const Mover& mover = movers_[side.mover];
    V += side_velocity(J(side), u.data() + mover.first, mover.dof);
  }
  return V;
}

double Problem::velocity_terms(std::size_t contact, const Eigen::Ref<const VecX>& u) const {
  const ContactPlace& place = contacts_[contact];
  double terms = place.drift.lpNorm<1>();
  for (int s = 0; s < place.side_count; ++s) {
    const ContactSide& side = place.sides[static_cast<std::size_t>(s)];
    const Mover& mover = movers_[side.mover];
    const double* row = J(side);
    for (int r = 0; r < 3; ++r, row += mover.dof)
      for (int c = 0; c < mover.dof; ++c) terms += std::abs(row[c] * u[static_cast<Eigen::Index>(mover.first) + c]);
  }
  return terms;
}

void Problem::apply(std::size_t contact, const Vec3& P, VecX& u) const {
  const ContactPlace& place = contacts_[contact];
  for (int s = 0; s < place.side_count; ++s) {
    const ContactSide& side = place.sides[static_cast<std::size_t>(s)];
    const Mover& mover = movers_[side.mover];
    const double* L_row = L(side);
    double* speeds = u.data() + mover.first;
    for (int i = 0; i < mover.dof; ++i, L_row += 3) speeds[i] += L_row[0] * P.x() + L_row[1] * P.y() + L_row[2] * P.z();
  }
}

double Problem::speed() const {
  double largest = 0;
  for (const ContactPlace& place : contacts_) {
    largest = std::max({largest, place.drift.norm(), place.contact.V.norm()});
    for (int s = 0; s < place.side_count; ++s) {
      const ContactSide& side = place.sides[static_cast<std::size_t>(s)];
      const Mover& mover = movers_[side.mover];
      largest = std::max(largest, side_velocity(J(side), u_.data() + mover.first, mover.dof).norm());
    }
  }
  return largest;
}

std::vector<Vec3> BlockMatrix::times(const std::vector<Vec3>& G) const {
  std::vector<Vec3> out(start.size() - 1, Vec3::Zero());
  for (std::size_t i = 0; i + 1 < start.size(); ++i)
    for (std::size_t b = start[i]; b < start[i + 1]; ++b) out[i] += block[b] * G[column[b]];
  return out;
}

BlockMatrix mobility(const Problem& problem) {
  using Map = Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>>;
  using MapL = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>>;
  BlockMatrix W;
  const auto& contacts = problem.contacts();
  W.start.push_back(0);
  std::vector<std::uint32_t> row;
  for (const ContactPlace& place : contacts) {
    row.clear();
    for (int s = 0; s < place.side_count; ++s) {
      const auto& there = problem.on(place.sides[static_cast<std::size_t>(s)].mover);
      row.insert(row.end(), there.begin(), there.end());
    }
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (const std::uint32_t j : row) {
      Mat3 block = Mat3::Zero();
      const ContactPlace& other = contacts[j];
      for (int s = 0; s < place.side_count; ++s)
        for (int t = 0; t < other.side_count; ++t) {
          const ContactSide& a = place.sides[static_cast<std::size_t>(s)];
          const ContactSide& b = other.sides[static_cast<std::size_t>(t)];
          if (a.mover != b.mover) continue;
          const int dof = problem.movers()[a.mover].dof;
          block += Map(problem.J(a), 3, dof).lazyProduct(MapL(problem.L(b), dof, 3));
        }
      W.column.push_back(j);
      W.block.push_back(block);
    }
    W.start.push_back(W.column.size());
  }
  return W;
}

namespace {

/// "A.mass" of the error of a pair becomes "body 3 mass".
Error in_words(Error error, const std::string& what, std::size_t first, std::size_t second) {
  bool of_a_body = false;
  for (const auto& [letter, index] : {std::pair{"A.", first}, std::pair{"B.", second}}) {
    for (auto at = error.field.find(letter); at != std::string::npos; at = error.field.find(letter)) {
      error.field.replace(at, 2, fmt::format("body {} ", index + 1));
      of_a_body = true;
    }
  }
  if (!of_a_body) error.field = what + " " + (error.field == "n" ? "normal" : error.field);
  return error;
}

Expected<void> check_pair(const Arrangement& arrangement, std::size_t first, std::size_t second,
                          const std::string& what) {
  for (const std::size_t i : {first, second})
    if (i >= arrangement.bodies.size())
      return fail(what + " bodies", fmt::format("body {}", i + 1),
                  fmt::format("is not there; there are {} bodies", arrangement.bodies.size()));
  if (first == second)
    return fail(what + " bodies", fmt::format("body {} twice", first + 1), "must be two different bodies");
  if (arrangement.bodies[first].fixed && arrangement.bodies[second].fixed)
    return fail(what + " bodies", fmt::format("body {} and body {}", first + 1, second + 1),
                "are both fixed; one of them must be able to move");
  return {};
}

std::size_t root_of(std::vector<std::size_t>& parent, std::size_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/// Bodies that hinges hold together, as one mechanism with u = (v, ω) of each in turn.
struct Group {
  std::vector<std::size_t> members;
  std::size_t mover = 0;
};

Expected<void> add_group(const Arrangement& a, const std::vector<Mat3>& inverse, Group& group, Assembled& out) {
  const auto dof = static_cast<Eigen::Index>(body_dof * group.members.size());
  std::vector<std::ptrdiff_t> place(a.bodies.size(), -1);
  VecX u(dof);
  std::vector<std::pair<double, Mat3>> inverse_masses;  // 1/m and J⁻¹ of each
  for (std::size_t k = 0; k < group.members.size(); ++k) {
    const RigidBody& body = a.bodies[group.members[k]];
    const auto at = static_cast<Eigen::Index>(body_dof * k);
    place[group.members[k]] = at;
    u.segment<3>(at) = body.velocity;
    u.segment<3>(at + 3) = body.angular_velocity;
    inverse_masses.emplace_back(1 / body.mass, inverse[group.members[k]]);
  }
  std::vector<std::size_t> hinges;
  for (std::size_t h = 0; h < a.hinges.size(); ++h)
    if (place[a.hinges[h].first] >= 0 || place[a.hinges[h].second] >= 0) hinges.push_back(h);
  MatX G = MatX::Zero(static_cast<Eigen::Index>(3 * hinges.size()), dof);
  VecX drift = VecX::Zero(G.rows());
  double speed = 0;
  for (std::size_t k = 0; k < hinges.size(); ++k) {
    const Hinge& hinge = a.hinges[hinges[k]];
    const auto row = static_cast<Eigen::Index>(3 * k);
    for (const auto& [i, sign] : {std::pair{hinge.first, -1.0}, std::pair{hinge.second, 1.0}}) {
      const RigidBody& body = a.bodies[i];
      const Vec3 V = velocity_at(body, hinge.point);
      // Of the terms that V is made of: at a hinge that stands still V itself is their rounding.
      speed = std::max({speed, body.velocity.norm(), (V - body.velocity).norm()});
      if (body.fixed) {
        drift.segment<3>(row) += sign * V;
      } else {
        G.block<3, 6>(row, place[i]) = sign * body_jacobian(hinge.point - body.position);
      }
    }
  }
  const VecX gap = G.lazyProduct(u) + drift;
  for (std::size_t k = 0; k < hinges.size(); ++k) {
    const Vec3 V = gap.segment<3>(static_cast<Eigen::Index>(3 * k));
    if (V.norm() > 1e-9 * speed)
      return fail(fmt::format("hinge {}", hinges[k] + 1), fmt::format("{} m/s", to_text(V.norm())),
                  "its two bodies move apart there before the impact; an intact mechanism cannot");
  }
  const auto free = [inverse_masses](const MatX& X) -> MatX {
    MatX Y(X.rows(), X.cols());
    if (Y.cols() == 0) return Y;  // no hinge: nothing to point into
    Eigen::Index at = 0;
    for (const auto& [inverse_m, inverse_J] : inverse_masses) {
      Y.middleRows<3>(at) = inverse_m * X.middleRows<3>(at);
      Y.middleRows<3>(at + 3) = inverse_J.lazyProduct(X.middleRows<3>(at + 3));
      at += static_cast<Eigen::Index>(body_dof);
    }
    return Y;
  };
  const auto closed = ClosedLoops::of(free, G);
  if (!closed) return tl::unexpected(closed.error());
  const auto first = out.problem.u().size();
  const auto mover = out.problem.add(closed->solver(), u);
  if (!mover) return tl::unexpected(mover.error());
  group.mover = *mover;
  for (const std::size_t i : group.members) out.speeds[i] = first + place[i];
  return {};
}

Expected<Assembled> assemble_intact(const Arrangement& a) {
  Assembled out;
  out.hinges = Hinges::intact;
  out.speeds.assign(a.bodies.size(), -1);
  std::vector<std::size_t> parent(a.bodies.size());
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  for (const Hinge& h : a.hinges)
    if (!a.bodies[h.first].fixed && !a.bodies[h.second].fixed)
      parent[root_of(parent, h.first)] = root_of(parent, h.second);
  std::vector<Mat3> inverse(a.bodies.size(), Mat3::Zero());
  std::vector<Group> groups(a.bodies.size());
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    if (a.bodies[i].fixed) continue;
    const auto found = inverse_inertia(a.bodies[i], fmt::format("body {} ", i + 1));
    if (!found) return tl::unexpected(found.error());
    inverse[i] = *found;
    groups[root_of(parent, i)].members.push_back(i);
  }
  for (Group& group : groups)
    if (!group.members.empty())
      if (const auto fine = add_group(a, inverse, group, out); !fine) return tl::unexpected(fine.error());
  for (std::size_t c = 0; c < a.contacts.size(); ++c) {
    const Touch& touch = a.contacts[c];
    const std::string what = fmt::format("contact {}", c + 1);
    // The pair as free bodies: refuses what no body can be struck at.
    if (const auto free = contact_between(a.bodies[touch.first], a.bodies[touch.second], touch.point, touch.n); !free)
      return tl::unexpected(in_words(free.error(), what, touch.first, touch.second));
    const auto jacobian = [&](std::size_t i, std::size_t mover) {
      const Mover& m = out.problem.movers()[mover];
      MatX J = MatX::Zero(3, m.dof);
      J.block<3, 6>(0, out.speeds[i] - static_cast<std::ptrdiff_t>(m.first)) =
          body_jacobian(touch.point - a.bodies[i].position);
      return J;
    };
    const auto mover_of = [&](std::size_t i) { return groups[root_of(parent, i)].mover; };
    const bool fixed_first = a.bodies[touch.first].fixed;
    const bool fixed_second = a.bodies[touch.second].fixed;
    Expected<std::size_t> added = std::size_t{0};
    if (fixed_first || fixed_second) {
      const std::size_t wall = fixed_first ? touch.first : touch.second;
      const std::size_t free = fixed_first ? touch.second : touch.first;
      const auto still = out.problem.add(a.bodies[wall]);
      if (!still) return tl::unexpected(in_words(still.error(), what, touch.first, touch.second));
      const std::size_t mover = mover_of(free);
      const MatX J = jacobian(free, mover);
      added = fixed_first ? out.problem.touch(*still, {}, mover, J, touch.point, touch.n, touch.law)
                          : out.problem.touch(mover, J, *still, {}, touch.point, touch.n, touch.law);
    } else if (mover_of(touch.first) == mover_of(touch.second)) {
      const std::size_t mover = mover_of(touch.first);
      ContactPoint at;
      at.point = touch.point;
      at.n = touch.n.normalized();
      at.J = jacobian(touch.second, mover) - jacobian(touch.first, mover);
      added = out.problem.touch(mover, at, touch.law);
    } else {
      const std::size_t A = mover_of(touch.first);
      const std::size_t B = mover_of(touch.second);
      added =
          out.problem.touch(A, jacobian(touch.first, A), B, jacobian(touch.second, B), touch.point, touch.n, touch.law);
    }
    if (!added) return tl::unexpected(in_words(added.error(), what, touch.first, touch.second));
  }
  return out;
}

}  // namespace

Expected<Assembled> assemble(const Arrangement& a, Hinges hinges) {
  for (std::size_t i = 0; i < a.bodies.size(); ++i)
    if (const auto fine = check(a.bodies[i], fmt::format("body {} ", i + 1)); !fine)
      return tl::unexpected(fine.error());
  for (std::size_t c = 0; c < a.contacts.size(); ++c)
    if (const auto fine = check_pair(a, a.contacts[c].first, a.contacts[c].second, fmt::format("contact {}", c + 1));
        !fine)
      return tl::unexpected(fine.error());
  for (std::size_t h = 0; h < a.hinges.size(); ++h)
    if (const auto fine = check_pair(a, a.hinges[h].first, a.hinges[h].second, fmt::format("hinge {}", h + 1)); !fine)
      return tl::unexpected(fine.error());
  if (hinges == Hinges::intact) return assemble_intact(a);

  Assembled out;
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    out.speeds.push_back(a.bodies[i].fixed ? -1 : static_cast<std::ptrdiff_t>(out.problem.u().size()));
    if (const auto added = out.problem.add(a.bodies[i], fmt::format("body {} ", i + 1)); !added)
      return tl::unexpected(added.error());
  }
  for (std::size_t c = 0; c < a.contacts.size(); ++c) {
    const Touch& t = a.contacts[c];
    if (const auto added = out.problem.touch(t.first, t.second, t.point, t.n, t.law); !added)
      return tl::unexpected(in_words(added.error(), fmt::format("contact {}", c + 1), t.first, t.second));
  }
  for (std::size_t h = 0; h < a.hinges.size(); ++h) {
    const Hinge& hinge = a.hinges[h];
    if (const auto added = out.problem.hinge(hinge.first, hinge.second, hinge.point); !added)
      return tl::unexpected(in_words(added.error(), fmt::format("hinge {}", h + 1), hinge.first, hinge.second));
  }
  return out;
}

std::vector<RigidBody> moved(const Arrangement& arrangement, const Assembled& assembled, const VecX& u) {
  std::vector<RigidBody> out = arrangement.bodies;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::ptrdiff_t at = assembled.speeds[i];
    if (at < 0) continue;
    out[i].velocity = u.segment<3>(at);
    out[i].angular_velocity = u.segment<3>(at + 3);
  }
  return out;
}

}  // namespace ricochet
