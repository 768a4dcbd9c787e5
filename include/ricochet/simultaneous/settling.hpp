#pragma once
/// Detects repeating patterns in a sequence of collisions and predicts their limit, or a cycle. docs/simultaneous.md
/// (Q4).

#include <cstdint>
#include <vector>

#include "ricochet/base/linear.hpp"
#include "ricochet/law/outcome.hpp"

namespace ricochet {

class Settling {
 public:
  /// Successive predictions of a limit must agree to this, relative to all impulses of the pattern.
  static constexpr double agreement = 1e-12;

  enum class Prediction : std::uint8_t {
    none,
    limit,  ///< `tail` is the sum of all future periods
    cycle,  ///< every period equals the previous one: `pattern` is a cycle
  };

  /// To be called after every collision of one connected set of contacts, n being zero for a hinge. A limit is offered
  /// only if all future periods are compressive; call `decline` if it is rejected for other reasons, and the next offer
  /// comes after twice as many periods.
  [[nodiscard]] Prediction note(std::uint32_t contact, Mode mode, const Vec3& P, const Vec3& n);
  void decline();
  /// Resets, after the tail was applied.
  void restart();

  [[nodiscard]] const std::vector<std::uint32_t>& contacts() const { return contacts_; }  ///< of the pattern, once each
  [[nodiscard]] const std::vector<Vec3>& tail() const { return tail_; }                   ///< of each of them
  /// Times to come at which the pattern should still hold, as what each of `contacts` will have received by then: the
  /// next period, the one after, the fourth, the eighth and so on, until only one decaying term is left.
  [[nodiscard]] const std::vector<std::vector<Vec3>>& ahead() const { return ahead_; }
  [[nodiscard]] Mode mode(std::size_t step) const { return static_cast<Mode>(pattern_[step] & 7U); }
  [[nodiscard]] std::vector<std::uint32_t> pattern() const;               ///< contacts in the order of one period
  [[nodiscard]] std::size_t stored_sums() const { return sums_.size(); }  ///< sums of periods that are held: 24 at most

 private:
  using Period = std::vector<Vec3>;        ///< impulses of one period, or of several merged, step by step
  using Recurrence = std::vector<double>;  ///< c_0 … c_d of (Q4), c_d = 1

  void look_for_pattern();
  [[nodiscard]] Prediction end_period();
  [[nodiscard]] bool extrapolate();
  [[nodiscard]] bool fit(std::size_t last, std::size_t order, Recurrence& c) const;
  [[nodiscard]] bool sum_up(std::size_t last, const Recurrence& c, Period& tail) const;
  [[nodiscard]] bool keeps_pushing(const Recurrence& c);
  [[nodiscard]] std::vector<Vec3> by_contact(const Period& period) const;

  std::vector<std::uint64_t> history_;  ///< contact and mode of recent collisions; a ring once it is full
  std::size_t count_ = 0;
  std::size_t next_look_ = 24;

  std::vector<std::uint64_t> pattern_;  ///< empty: none is being watched
  std::vector<std::uint32_t> slot_;     ///< of each step of the pattern: its place in contacts_
  std::vector<Vec3> normal_;            ///< of each step; zero: a hinge, or not met yet
  std::vector<std::uint32_t> contacts_;
  std::size_t step_ = 0;
  std::size_t periods_ = 0;     ///< seen since the pattern was found
  std::size_t stride_ = 1;      ///< periods in each entry of sums_
  std::size_t open_ = 0;        ///< periods in the last, unfinished entry
  std::size_t next_offer_ = 0;  ///< in periods
  Period running_;              ///< the period that is under way
  Period gathered_;             ///< finished periods that do not fill an entry yet
  std::vector<Period> sums_;
  std::vector<Vec3> tail_;
  std::vector<std::vector<Vec3>> ahead_;
};

}  // namespace ricochet
