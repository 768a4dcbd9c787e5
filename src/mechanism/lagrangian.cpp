#include "ricochet/mechanism/lagrangian.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <memory>
#include <utility>

#include "ricochet/base/text.hpp"

namespace ricochet {
namespace {

Expected<void> check_size(const char* field, const VecX& x, int size) {
  if (x.size() != size)
    return fail(ErrorCode::wrong_type, field, std::to_string(x.size()),
                fmt::format("must have {} entries in this system", size));
  if (!x.allFinite()) return fail(ErrorCode::out_of_range, field, "", "every entry must be finite");
  return {};
}

Expected<void> check_configuration(const Lagrangian& system, const VecX& q) {
  if (auto fine = check_size("q", q, system.coordinates); !fine) return fine;
  return system.admits ? system.admits(q) : Expected<void>{};
}

Expected<void> check_mass(const MatX& mass) {
  if (mass.rows() != mass.cols() || mass.rows() == 0)
    return fail(ErrorCode::wrong_type, "mass", fmt::format("{} × {}", mass.rows(), mass.cols()), "must be square");
  if (!mass.allFinite()) return fail(ErrorCode::out_of_range, "mass", "", "every entry must be finite");
  if ((mass - mass.transpose()).cwiseAbs().maxCoeff() > 1e-12 * mass.cwiseAbs().maxCoeff())
    return fail(ErrorCode::invalid, "mass", "", "must be symmetric");
  return {};
}

struct Factored {
  MatX mass;
  Eigen::LLT<MatX> factor;
};

Expected<Factored> factored(const Lagrangian& system, const VecX& q) {
  if (auto fine = check_configuration(system, q); !fine) return tl::unexpected(fine.error());
  if (!system.mass) return fail(ErrorCode::missing, "mass", "", fmt::format("must be given for {}", system.name));
  Factored f;
  f.mass = system.mass(q);
  if (f.mass.rows() != system.dof || f.mass.cols() != system.dof)
    return fail(ErrorCode::wrong_type, "mass", fmt::format("{} × {}", f.mass.rows(), f.mass.cols()),
                fmt::format("must be {0} × {0} in this system", system.dof));
  if (auto fine = check_mass(f.mass); !fine) return tl::unexpected(fine.error());
  f.factor.compute(f.mass);
  if (f.factor.info() != Eigen::Success) return fail(ErrorCode::invalid, "mass", "", "must be positive definite");
  return f;
}

/// The point's position and velocity matrix; zero for the world.
struct Placed {
  Vec3 x = Vec3::Zero();
  MatX J;
};

Expected<Placed> place(const Lagrangian& system, const std::string& name, const VecX& q) {
  Placed placed;
  placed.J = MatX::Zero(3, system.dof);
  if (name == "world") return placed;
  const auto at =
      std::find_if(system.points.begin(), system.points.end(), [&](const SystemPoint& p) { return p.name == name; });
  if (at == system.points.end())
    return fail(ErrorCode::unknown_name, "point", name, fmt::format("is not a point of {}", system.name));
  if (!at->position || !at->jacobian)
    return fail(ErrorCode::missing, "point", "", fmt::format("{} must have a position and a jacobian", name));
  placed.x = at->position(q);
  placed.J = at->jacobian(q);
  if (placed.J.rows() != 3 || placed.J.cols() != system.dof)
    return fail(ErrorCode::wrong_type, "jacobian", fmt::format("{} × {}", placed.J.rows(), placed.J.cols()),
                fmt::format("must be 3 × {} at the point {}", system.dof, name));
  if (!placed.x.allFinite() || !placed.J.allFinite())
    return fail(ErrorCode::out_of_range, "point", name, "must have a finite position and jacobian");
  return placed;
}

}  // namespace

Expected<MatX> mass_matrix(const Lagrangian& system, const VecX& q) {
  return factored(system, q).map([](Factored&& f) { return std::move(f.mass); });
}

Expected<MassSolver> dense_solver(const MatX& mass) {
  if (auto fine = check_mass(mass); !fine) return tl::unexpected(fine.error());
  // Shared, because a std::function is copied and the factor of a large mechanism should not be.
  auto factor = std::make_shared<const Eigen::LLT<MatX>>(mass);
  if (factor->info() != Eigen::Success) return fail(ErrorCode::invalid, "mass", "", "must be positive definite");
  return MassSolver([factor](const MatX& X) -> MatX { return factor->solve(X); });
}

Expected<ContactPoint> contact_at(const Lagrangian& system, std::string_view contact, const VecX& q) {
  if (auto fine = check_configuration(system, q); !fine) return tl::unexpected(fine.error());
  const auto found = std::find_if(system.contacts.begin(), system.contacts.end(),
                                  [&](const SystemContact& c) { return c.name == contact; });
  if (found == system.contacts.end())
    return fail(ErrorCode::unknown_name, "contact", std::string(contact),
                fmt::format("is not a contact of {}", system.name));
  if (!found->normal)
    return fail(ErrorCode::missing, "normal", "", fmt::format("must be given for the contact {}", found->name));
  const auto first = place(system, found->first, q);
  if (!first) return tl::unexpected(first.error());
  const auto second = place(system, found->second, q);
  if (!second) return tl::unexpected(second.error());
  ContactPoint at;
  at.first = found->first;
  at.second = found->second;
  at.n = found->normal(q);
  if (!at.n.allFinite() || std::abs(at.n.norm() - 1) > 1e-9)
    return fail(ErrorCode::invalid, "normal", to_text(at.n),
                fmt::format("must be a unit vector at the contact {}", found->name));
  at.n.normalize();
  const bool both = at.first != "world" && at.second != "world";
  at.point = both ? Vec3(0.5 * (first->x + second->x)) : Vec3(first->x + second->x);
  at.on_first = at.first == "world" ? at.point : first->x;
  at.on_second = at.second == "world" ? at.point : second->x;
  if (found->gap) {
    at.gap = found->gap(q);
  } else if (both) {
    at.gap = at.n.dot(second->x - first->x);
  }
  at.J = second->J - first->J;
  return at;
}

Expected<Response> respond(const Lagrangian& system, std::string_view contact, const VecX& q, const VecX& u) {
  if (auto fine = check_size("u", u, system.dof); !fine) return tl::unexpected(fine.error());
  const auto at = contact_at(system, contact, q);
  if (!at) return tl::unexpected(at.error());
  const auto inertia = factored(system, q);
  if (!inertia) return tl::unexpected(inertia.error());
  return respond([&](const MatX& X) -> MatX { return inertia->factor.solve(X); }, *at, u);
}

Expected<double> kinetic_energy(const Lagrangian& system, const VecX& q, const VecX& u) {
  if (auto fine = check_size("u", u, system.dof); !fine) return tl::unexpected(fine.error());
  return mass_matrix(system, q).map([&](const MatX& mass) { return 0.5 * u.dot(mass * u); });
}

Expected<VecX> acceleration(const Lagrangian& system, const VecX& q, const VecX& u, std::string_view contact,
                            const Vec3& F) {
  if (auto fine = check_size("u", u, system.dof); !fine) return tl::unexpected(fine.error());
  const auto inertia = factored(system, q);
  if (!inertia) return tl::unexpected(inertia.error());
  VecX f = VecX::Zero(system.dof);
  if (system.force) {
    f = system.force(q, u);
    if (f.size() != system.dof || !f.allFinite())
      return fail(ErrorCode::wrong_type, "force", std::to_string(f.size()),
                  fmt::format("must have {} finite entries", system.dof));
  }
  if (!contact.empty()) {
    const auto at = contact_at(system, contact, q);
    if (!at) return tl::unexpected(at.error());
    f += at->J.transpose() * F;
  }
  return VecX(inertia->factor.solve(f));
}

Expected<Lagrangian> join(std::string_view name_A, const Lagrangian& A, std::string_view name_B, const Lagrangian& B) {
  if (name_A == name_B)
    return fail(ErrorCode::conflict, "name", std::string(name_A), "must differ between the two systems");
  if (!A.mass || !B.mass) return fail(ErrorCode::missing, "mass", "", "must be given for both systems");
  Lagrangian both;
  both.name = fmt::format("{} and {}", name_A, name_B);
  both.coordinates = A.coordinates + B.coordinates;
  both.dof = A.dof + B.dof;
  const int n_A = A.coordinates, n_B = B.coordinates, dof_A = A.dof, dof_B = B.dof;
  both.mass = [=, mass_A = A.mass, mass_B = B.mass](const VecX& q) {
    MatX mass = MatX::Zero(dof_A + dof_B, dof_A + dof_B);
    mass.topLeftCorner(dof_A, dof_A) = mass_A(q.head(n_A));
    mass.bottomRightCorner(dof_B, dof_B) = mass_B(q.tail(n_B));
    return mass;
  };
  if (A.force || B.force) {
    both.force = [=, force_A = A.force, force_B = B.force](const VecX& q, const VecX& u) {
      VecX f = VecX::Zero(dof_A + dof_B);
      if (force_A) f.head(dof_A) = force_A(q.head(n_A), u.head(dof_A));
      if (force_B) f.tail(dof_B) = force_B(q.tail(n_B), u.tail(dof_B));
      return f;
    };
  }
  if (A.admits || B.admits) {
    both.admits = [=, admits_A = A.admits, admits_B = B.admits](const VecX& q) -> Expected<void> {
      if (admits_A)
        if (auto fine = admits_A(q.head(n_A)); !fine) return fine;
      return admits_B ? admits_B(q.tail(n_B)) : Expected<void>{};
    };
  }
  const auto take = [&](std::string_view prefix, const Lagrangian& part, int q_at, int u_at) {
    const int q_size = part.coordinates, u_size = part.dof, dof = both.dof;
    const auto named = [&](const std::string& name) {
      return name == "world" ? name : fmt::format("{}.{}", prefix, name);
    };
    for (const SystemPoint& point : part.points) {
      SystemPoint shifted;
      shifted.name = named(point.name);
      if (point.position)
        shifted.position = [=, own = point.position](const VecX& q) { return own(q.segment(q_at, q_size)); };
      if (point.jacobian)
        shifted.jacobian = [=, own = point.jacobian](const VecX& q) {
          MatX J = MatX::Zero(3, dof);
          J.middleCols(u_at, u_size) = own(q.segment(q_at, q_size));
          return J;
        };
      both.points.push_back(std::move(shifted));
    }
    for (const SystemContact& contact : part.contacts) {
      SystemContact shifted{named(contact.name), named(contact.first), named(contact.second), {}, {}};
      if (contact.normal)
        shifted.normal = [=, own = contact.normal](const VecX& q) { return own(q.segment(q_at, q_size)); };
      if (contact.gap) shifted.gap = [=, own = contact.gap](const VecX& q) { return own(q.segment(q_at, q_size)); };
      both.contacts.push_back(std::move(shifted));
    }
  };
  take(name_A, A, 0, 0);
  take(name_B, B, n_A, dof_A);
  return both;
}

}  // namespace ricochet
