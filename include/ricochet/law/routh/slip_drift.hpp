#pragma once
/// How slip along an invariant direction reacts to a small change of anything (DV6, DV7), docs/derivatives.md.
///
/// Slip along an invariant direction φ does not turn, but slip beside it does. With s = s₀ + g λ, ρ = s/s₀ and the
/// slope h_φ of (R4) the change δφ of the direction obeys s δφ' = h_φ δφ + δh, so that
///   δφ = ρ^p δφ₀ + (ρ^p − 1)/h_φ · δh,   p = h_φ/g,
/// and Φ = ∫ δφ dλ is what P_t gains across the direction.

#include <cmath>

#include "ricochet/base/gauss_legendre.hpp"

namespace ricochet::routh {

/// Of slip that turns by the full equations, or cannot turn.
struct NoDrift {
  static constexpr bool any = false;
};

template <class T>
struct SlipDrift {
  static constexpr bool any = true;
  double s0, g, h_phi;
  T phi0, dh;     ///< δφ₀ and δh, of value zero
  T by_n, by_s;   ///< what Φ adds to V_n and to s
  Vec2T<T> pull;  ///< what Φ adds to P_t

  /// Whether δφ grows faster than the slip dies, so that its integral has no bound where the slip stops.
  [[nodiscard]] bool unbounded_at_stop() const { return g < 0 && !(g + h_phi < 0); }

  /// Φ from the start to λ.
  [[nodiscard]] T turned(double lambda) const {
    const Weights w = weights(lambda);
    return phi0 * w.start + dh * w.forcing;
  }
  /// ∫ Φ dλ from the start to λ.
  [[nodiscard]] T turned_twice(double lambda) const {
    const auto& gauss = gauss_legendre<double>();
    Weights sum{0, 0};
    for (std::size_t i = 0; i < GaussLegendre<double>::size; ++i) {
      const double x = i % 2 == 0 ? 1 + gauss.x[i / 2] : 1 - gauss.x[i / 2];
      const Weights w = weights(lambda * x / 2);
      sum.start += gauss.w[i / 2] / 2 * w.start;
      sum.forcing += gauss.w[i / 2] / 2 * w.forcing;
    }
    return phi0 * (lambda * sum.start) + dh * (lambda * sum.forcing);
  }

 private:
  struct Weights {
    double start, forcing;  ///< of δφ₀ and δh
  };
  [[nodiscard]] Weights weights(double lambda) const {
    const double sum = g + h_phi;
    const double rho = 1 + g * lambda / s0;
    if (!(rho > 1e-15)) return {-s0 / sum, -lambda / sum};
    const double length = g != 0 ? std::log1p(g * lambda / s0) / g : lambda / s0;  // ∫ dλ/s
    const double start = sum != 0 ? s0 * std::expm1(sum * length) / sum : s0 * length;
    const double grown = h_phi != 0 ? std::expm1(h_phi * length) / h_phi : length;
    if (std::abs(sum) > 1e-6 * (std::abs(g) + std::abs(h_phi))) return {start, (s0 * rho * grown - lambda) / sum};
    return {start, h_phi != 0 ? (start - lambda) / h_phi : lambda * lambda / (2 * s0)};
  }
};

}  // namespace ricochet::routh
