#pragma once
/// Many contacts at once, docs/simultaneous.md: movers (bodies, mechanisms) with speeds u, and contacts between them,
///   U = J u + d,   W = J 𝓜⁻¹ Jᵀ,   W G = U_f − U_i.                                          CR98 Eq. 15 (Q1)

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "ricochet/body/rigid_body.hpp"
#include "ricochet/law/registry.hpp"
#include "ricochet/mechanism/response.hpp"

namespace ricochet {

/// Anything that an impulse sets in motion.
struct Mover {
  int dof = 0;            ///< 6 for a free body, 0 for a fixed one
  std::size_t first = 0;  ///< place of its speeds in Problem::u
  MassSolver solve = {};  ///< of a mechanism
  int body = -1;          ///< index in Problem::bodies; −1: a mechanism
};

/// What a contact has of one mover: V gets J u of it, and it gets L P, L = 𝓜⁻¹Jᵀ. Signs of first and second included.
struct ContactSide {
  std::uint32_t mover = 0;
  std::size_t at = 0;  ///< where the 3 dof numbers of J (by rows) and of L (by rows) begin in Problem::J, Problem::L
};

struct ContactPlace {
  std::array<ContactSide, 2> sides{};
  int side_count = 0;         ///< sides that can move
  Vec3 point = Vec3::Zero();  ///< world [m]
  Vec3 drift = Vec3::Zero();  ///< d: part of V that comes from fixed bodies [m/s]
  Contact contact;            ///< W_ii, V before and n: what the law is asked
  Law law = Frictionless{};   ///< not read for a hinge
  bool hinge = false;         ///< ends every motion of its point (Q7), n is not read
  bool inert = false;         ///< n·W n = 0: no normal impulse does anything
};

/// A value: movers and contacts are only added, each checked when it is.
class Problem {
 public:
  /// Index of the new mover. Field names in errors begin with `prefix`.
  [[nodiscard]] Expected<std::size_t> add(const RigidBody& body, std::string_view prefix = "");
  /// A mechanism with its own 𝓜. Several contacts call `solve` once each, here and never again.
  [[nodiscard]] Expected<std::size_t> add(MassSolver solve, const VecX& u);

  /// Contact between two rigid bodies, or one of them fixed; n from first to second, of any length but zero. Index of
  /// the contact. One body twice, two fixed ones and whatever contact_between refuses are errors.
  [[nodiscard]] Expected<std::size_t> touch(std::size_t first, std::size_t second, const Vec3& point, const Vec3& n,
                                            const Law& law);
  /// Contact within a mechanism, or of it with what does not move.
  [[nodiscard]] Expected<std::size_t> touch(std::size_t mechanism, const ContactPoint& at, const Law& law);
  /// Contact of any two movers: V = J_second u_second − J_first u_first (3 × dof each).
  [[nodiscard]] Expected<std::size_t> touch(std::size_t first, const MatX& J_first, std::size_t second,
                                            const MatX& J_second, const Vec3& point, const Vec3& n, const Law& law);
  /// Ball joint between two rigid bodies.
  [[nodiscard]] Expected<std::size_t> hinge(std::size_t first, std::size_t second, const Vec3& point);

  [[nodiscard]] const std::vector<Mover>& movers() const { return movers_; }
  [[nodiscard]] const std::vector<ContactPlace>& contacts() const { return contacts_; }
  [[nodiscard]] const std::vector<RigidBody>& bodies() const { return bodies_; }  ///< those that were added as such
  [[nodiscard]] Eigen::Map<const VecX> u() const {                                ///< speeds before
    return {u_.data(), static_cast<Eigen::Index>(u_.size())};
  }
  /// Contacts that the mover carries, in the order in which they were added.
  [[nodiscard]] const std::vector<std::uint32_t>& on(std::size_t mover) const { return on_[mover]; }
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
  void add_side(ContactPlace& place, std::size_t mover, const RigidBody& body, double sign);
  void add_side(ContactPlace& place, std::size_t mover, const MatX& J);
  Expected<std::size_t> keep(ContactPlace place);

  std::vector<Mover> movers_;
  std::vector<RigidBody> bodies_;
  std::vector<Mat3> inverse_inertia_;  ///< of bodies, world axes
  std::vector<ContactPlace> contacts_;
  std::vector<std::vector<std::uint32_t>> on_;
  std::vector<double> J_, L_;
  std::vector<double> u_;
};

/// W in blocks: block b of row i, start[i] ≤ b < start[i + 1], couples contact i to contact column[b]; columns ascend.
struct BlockMatrix {
  std::vector<std::size_t> start;
  std::vector<std::uint32_t> column;
  std::vector<Mat3> block;

  /// W G.
  [[nodiscard]] std::vector<Vec3> times(const std::vector<Vec3>& G) const;
};
[[nodiscard]] BlockMatrix mobility(const Problem& problem);

/// Bodies with explicit contacts and hinges, as a scene states them.
struct Touch {
  std::size_t first = 0, second = 0;  ///< indices of bodies
  Vec3 point = Vec3::Zero();
  Vec3 n = Vec3::UnitZ();  ///< from first to second
  Law law = Frictionless{};
};
struct Hinge {
  std::size_t first = 0, second = 0;
  Vec3 point = Vec3::Zero();
};
struct Arrangement {
  std::vector<RigidBody> bodies;
  std::vector<Touch> contacts;
  std::vector<Hinge> hinges;
};

/// CR98 6.5: hinges as contacts of the sequence, or kept exactly by the mechanism that they make of the bodies.
enum class Hinges : std::uint8_t { in_sequence, intact };

/// A problem whose contacts are those of the arrangement in their order, followed, in sequence, by the hinges.
struct Assembled {
  Problem problem;
  std::vector<std::ptrdiff_t> speeds;  ///< of each body: where its (v, ω) begins in u; −1: fixed
  Hinges hinges = Hinges::in_sequence;
};

/// Errors name fields as "contact 3 point", "body 2 mass", "hinge 1 bodies", counted from 1. With `intact`, speeds that
/// break a hinge by more than 1e-9 of the largest are refused.
[[nodiscard]] Expected<Assembled> assemble(const Arrangement& arrangement, Hinges hinges = Hinges::in_sequence);

/// The bodies at speeds u.
[[nodiscard]] std::vector<RigidBody> moved(const Arrangement& arrangement, const Assembled& assembled, const VecX& u);

}  // namespace ricochet
