#pragma once
/// Many contacts at once, docs/simultaneous.md: systems (bodies, mechanisms) with speeds u, and contacts between them,
///   U = J u + d,   W = J 𝓜⁻¹ Jᵀ,   W G = U_f − U_i.                                          CR98 Eq. 15 (Q1)

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "ricochet/body/rigid_body.hpp"
#include "ricochet/contact/between.hpp"
#include "ricochet/law/registry.hpp"
#include "ricochet/mechanism/response.hpp"

namespace ricochet {

/// A body or mechanism with its own speeds and mass matrix.
struct DynamicSystem {
  int dof = 0;            ///< 6 for a free body, 0 for a fixed one
  std::size_t first = 0;  ///< place of its speeds in Problem::u
  MassSolver solve = {};  ///< of a mechanism
  int body = -1;          ///< index in Problem::bodies; −1: a mechanism
};

/// What a contact has of one system: V gets J u of it, and it gets L P, L = 𝓜⁻¹Jᵀ. Signs of first and second included.
struct ContactSide {
  std::uint32_t system = 0;
  std::size_t at = 0;  ///< where the 3 dof numbers of J (by rows) and of L (by rows) begin in Problem::J, Problem::L
};

struct ProblemContact {
  std::array<ContactSide, 2> sides{};
  int side_count = 0;         ///< sides that can move
  Vec3 point = Vec3::Zero();  ///< world [m]
  Vec3 drift = Vec3::Zero();  ///< d: part of V that comes from fixed bodies [m/s]
  Contact contact;            ///< W_ii, V before and n: what the law is asked
  Law law = Frictionless{};   ///< not read for a hinge
  bool hinge = false;         ///< stops all motion of its point (Q7); n is ignored
  bool inert = false;         ///< n·W n = 0: a normal impulse has no effect
};

/// A value: systems and contacts are only added, each checked when it is.
class Problem {
 public:
  /// Index of the new system. `path` is that of the body in errors.
  [[nodiscard]] Expected<std::size_t> add(const RigidBody& body, std::string_view path = "");
  /// A mechanism with its own 𝓜. `solve` is called once for each contact.
  [[nodiscard]] Expected<std::size_t> add(MassSolver solve, const VecX& u);

  /// Contact between two rigid bodies, or one of them fixed; n from first to second, of any length but zero. Index of
  /// the contact. One body twice, two fixed bodies and errors of contact_between are errors.
  [[nodiscard]] Expected<std::size_t> touch(std::size_t first, std::size_t second, const Vec3& point, const Vec3& n,
                                            const Law& law, const ContactPaths& paths = {});
  /// Contact within a mechanism, or between it and the fixed world.
  [[nodiscard]] Expected<std::size_t> touch(std::size_t mechanism, const ContactPoint& at, const Law& law);
  /// Contact of any two systems: V = J_second u_second − J_first u_first (3 × dof each).
  [[nodiscard]] Expected<std::size_t> touch(std::size_t first, const MatX& J_first, std::size_t second,
                                            const MatX& J_second, const Vec3& point, const Vec3& n, const Law& law);
  /// Ball joint between two rigid bodies.
  [[nodiscard]] Expected<std::size_t> hinge(std::size_t first, std::size_t second, const Vec3& point,
                                            const ContactPaths& paths = {});

  [[nodiscard]] const std::vector<DynamicSystem>& systems() const { return systems_; }
  [[nodiscard]] const std::vector<ProblemContact>& contacts() const { return contacts_; }
  [[nodiscard]] const std::vector<RigidBody>& bodies() const { return bodies_; }  ///< those that were added as such
  [[nodiscard]] Eigen::Map<const VecX> u() const {                                ///< speeds before
    return {u_.data(), static_cast<Eigen::Index>(u_.size())};
  }
  /// Contacts that the system carries, in the order in which they were added.
  [[nodiscard]] const std::vector<std::uint32_t>& on(std::size_t system) const { return on_[system]; }
  [[nodiscard]] const double* J(const ContactSide& side) const { return J_.data() + side.at; }
  [[nodiscard]] const double* L(const ContactSide& side) const { return L_.data() + side.at; }

  /// V of a contact at speeds u.
  [[nodiscard]] Vec3 velocity(std::size_t contact, const VecX& u) const;
  /// Size of the terms that V is summed from, ‖d‖ + Σ |J| |u|: its rounding is a few ε of it, however small V is.
  [[nodiscard]] double velocity_terms(std::size_t contact, const Eigen::Ref<const VecX>& u) const;
  /// u ← u + 𝓜⁻¹ Jᵀ P.
  void apply(std::size_t contact, const Vec3& P, VecX& u) const;
  /// The largest ‖V‖ of a contact, or of one of its sides, before [m/s].
  [[nodiscard]] double speed() const;

 private:
  void add_side(ProblemContact& place, std::size_t system, const RigidBody& body, double sign);
  /// Of a mechanism, J and L = 𝓜⁻¹Jᵀ without the sign of first and second.
  void add_side(ProblemContact& contact, std::size_t system, double sign, const MatX& J, const MatX& L);
  Expected<std::size_t> store(ProblemContact place);

  std::vector<DynamicSystem> systems_;
  std::vector<RigidBody> bodies_;
  std::vector<Mat3> inverse_inertia_;  ///< of bodies, world axes
  std::vector<ProblemContact> contacts_;
  std::vector<std::vector<std::uint32_t>> on_;
  std::vector<double> J_, L_;
  std::vector<double> u_;
};

}  // namespace ricochet
