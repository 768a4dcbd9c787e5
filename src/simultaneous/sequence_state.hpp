#pragma once
/// Speeds and contact velocities while a sequence of collisions goes on.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "contact_state.hpp"
#include "ricochet/law/outcome.hpp"

namespace ricochet {

class SequenceState {
 public:
  /// Contacts begin as the problem states them, so that a single one is what its law would be asked; at other speeds u
  /// than the problem's own they are computed.
  SequenceState(const Problem& problem, const VecX& u);

  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const VecX& u() const { return u_; }
  [[nodiscard]] const ContactState& contact(std::uint32_t i) const { return contacts_[i]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(contacts_.size()); }
  [[nodiscard]] double speed() const { return speed_; }  ///< the largest contact speed before [m/s]
  /// The largest terms that a contact velocity was made of, before [m/s].
  [[nodiscard]] double terms() const { return terms_; }

  [[nodiscard]] double approach(std::uint32_t i) const { return contacts_[i].approach(); }
  /// Whether contact i approaches by more than the rounding of the terms of V. A body that rotates about its contact
  /// has V = v + ω × r = 0 up to rounding.
  [[nodiscard]] bool approaches(std::uint32_t i) const {
    const double a = approach(i);
    if (!(a > rest * speed_)) return false;
    if (a > 1e-8 * terms_) return true;  // avoids the sum in most cases: terms do not grow by a factor of a million
    return a > rest * terms_of(i);
  }

  /// Impulse and mode by the law of contact i, or by its hinge.
  [[nodiscard]] Expected<std::pair<Vec3, Mode>> ask(std::uint32_t i) const;

  /// Changes the speeds; contacts must then be updated.
  void apply(std::uint32_t i, const Vec3& P) {
    problem_.apply(i, P, u_);
    started_ = true;
  }
  /// V of contact i from the speeds.
  void update(std::uint32_t i) {
    ContactState& contact = contacts_[i];
    if (!contact.rigid) {
      contact.V = problem_.velocity(i, u_);
      return;
    }
    Vec3 V = contact.drift;
    for (std::size_t s = 0; s < static_cast<std::size_t>(contact.sides); ++s) {
      const Eigen::Map<const Vec3> v(u_.data() + contact.first[s]);
      const Eigen::Map<const Vec3> omega(u_.data() + contact.first[s] + 3);
      V += contact.sign[s] * (v + omega.cross(contact.arm[s]));
    }
    contact.V = V;
  }

  /// Visits the contacts that share a system with contact i, itself included.
  template <class Visit>
  void neighbours(std::uint32_t i, Visit visit) const {
    const ProblemContact& contact = problem_.contacts()[i];
    for (const std::uint32_t j : problem_.on(contact.sides[0].system)) visit(j);
    if (contact.side_count < 2) return;
    const std::uint32_t first = contacts_[i].first[0];
    for (const std::uint32_t j : problem_.on(contact.sides[1].system)) {
      const ContactState& other = contacts_[j];
      if (other.first[0] == first || (other.sides == 2 && other.first[1] == first)) continue;  // visited above
      visit(j);
    }
  }

  /// What impulses at some contacts disturb.
  struct Snapshot {
    std::vector<std::uint32_t> contacts;                   ///< those contacts and their neighbours, ascending
    std::vector<Vec3> V;                                   ///< of those
    std::vector<std::pair<std::uint32_t, double>> speeds;  ///< of the systems concerned: place in u, value
  };
  [[nodiscard]] Snapshot snapshot(const std::vector<std::uint32_t>& struck) const;
  void restore(const Snapshot& snapshot);

 private:
  static constexpr double rest = 32 * std::numeric_limits<double>::epsilon();

  [[nodiscard]] double terms_of(std::uint32_t i) const;

  const Problem& problem_;
  VecX u_;
  std::vector<ContactState> contacts_;
  double speed_;
  double terms_ = 0;
  std::optional<Vec3> across_;  ///< unit vector across the plane that a law asks for
  bool started_ = false;        ///< an impulse was applied
};

}  // namespace ricochet
