#pragma once
/// How the outcome of a collision changes with everything it depends on, docs/derivatives.md.
///
/// Exact derivatives of P, V⁺ and ΔE with respect to M or W, V, n, the law's parameters and, where the law depends on
/// it, the spin. Where the outcome has a
/// kink there are none, and the answer says so.

#include <Eigen/Core>
#include <array>
#include <string_view>

#include "ricochet/law/law.hpp"

namespace ricochet {

/// One input of a law: the name by which files know it, and its columns.
struct DerivativeInput {
  std::string_view name;
  int first = 0;
  int count = 0;  ///< 6 of M and W (11, 12, 13, 22, 23, 33), 3 of a vector, 1 of a number
};

/// Something that changes its kind if the inputs change: stick to slip, an order of events, a choice among solutions.
struct ModeChange {
  static constexpr int columns = 44;
  std::string_view what;
  double distance = 0;                         ///< dimensionless, signed; zero at the change
  Eigen::Matrix<double, 1, columns> gradient;  ///< of the distance, by the columns of the inputs
};

struct Derivatives {
  static constexpr int columns = ModeChange::columns;
  static constexpr int most_inputs = 32;
  static constexpr int most_changes = 16;

  std::array<DerivativeInput, most_inputs> input;
  int inputs = 0;
  int width = 0;  ///< columns in use
  /// Rows: P, V⁺, ΔE. A column of NaN belongs to a parameter at an end of its range, where the law does not tell.
  Eigen::Matrix<double, 7, columns> jacobian;

  std::array<ModeChange, most_changes> change;
  int changes = 0;

  [[nodiscard]] const DerivativeInput* find(std::string_view name) const {
    for (int i = 0; i < inputs; ++i)
      if (input[static_cast<std::size_t>(i)].name == name) return &input[static_cast<std::size_t>(i)];
    return nullptr;
  }
  [[nodiscard]] auto P(const DerivativeInput& by) const { return jacobian.block(0, by.first, 3, by.count); }
  [[nodiscard]] auto V(const DerivativeInput& by) const { return jacobian.block(3, by.first, 3, by.count); }
  [[nodiscard]] auto energy_change(const DerivativeInput& by) const { return jacobian.block(6, by.first, 1, by.count); }

  /// The change that is nearest by its distance; null where there is none.
  [[nodiscard]] const ModeChange* nearest() const;

  /// Not defaulted: `Derivatives()` would first clear all of it.
  Derivatives() {}  // NOLINT(modernize-use-equals-default)
};

struct DifferentiatedOutcome {
  Outcome outcome;
  std::string_view kink;    ///< why there are no derivatives; empty: there are
  bool projected = false;   ///< W is singular: columns are along the part of a change that keeps what cannot move
  Derivatives derivatives;  ///< without a jacobian at a kink; the changes are known there, too

  /// As above: value-initialisation would clear ten kilobytes, which takes longer than most laws.
  DifferentiatedOutcome() {}  // NOLINT(modernize-use-equals-default)
};

/// A kink is a distance of rounding.
inline constexpr double kink_tolerance = 1e-12;

/// Fails where `collide` fails, for a W that is singular in a direction that is not tangential or that the law's
/// impulse depends on, and where rounding leaves no accuracy: the derivatives are checked by (DV8, DV9) and (DV12).
[[nodiscard]] Expected<DifferentiatedOutcome> collide_with_derivatives(const Law& law, const Contact& contact);

/// The derivatives on both sides of the nearest change of mode: those of contacts with another V, a little before and
/// a little after the change.
struct OneSidedDerivatives {
  std::string_view what;
  DifferentiatedOutcome below, above;  ///< where the distance is negative, and positive
};

/// Fails where the nearest change cannot be crossed by changing V alone.
[[nodiscard]] Expected<OneSidedDerivatives> one_sided_derivatives(const Law& law, const Contact& contact);

}  // namespace ricochet
