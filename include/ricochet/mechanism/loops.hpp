#pragma once
/// Closed loops: constraints G u = 0 that hold throughout the impact. docs/mechanisms.md.

#include "ricochet/mechanism/response.hpp"

namespace ricochet {

/// The mechanism with its loops closed,
///   𝓜_c⁻¹ = 𝓜⁻¹ − 𝓜⁻¹Gᵀ (G 𝓜⁻¹ Gᵀ)⁺ G 𝓜⁻¹.                                                               (G8)
/// Rows of G may be linearly dependent, as for every planar loop in space: the pseudo-inverse acts on the space that G
/// spans. Directions whose mobility is below 1e-12 of the largest count as not spanned.
class ClosedLoops {
 public:
  [[nodiscard]] static Expected<ClosedLoops> of(MassSolver open, const MatX& G);

  /// X ↦ 𝓜_c⁻¹ X; holds its own copy.
  [[nodiscard]] MassSolver solver() const;
  /// u without the part that violates the loops: the nearest admissible speeds in the metric of the kinetic energy.
  [[nodiscard]] VecX admissible(const VecX& u) const;
  /// What the loops carry under the generalised impulse f: 𝓜 Δu = f + Gᵀλ with G Δu = 0,
  ///   λ = −(G 𝓜⁻¹ Gᵀ)⁺ G 𝓜⁻¹ f,                                                                            (G12)
  /// the smallest λ where rows of G are dependent.
  [[nodiscard]] VecX loads(const VecX& f) const;
  /// Whether rows first … first + count − 1 of λ have one value only, whatever the other rows of G are.
  [[nodiscard]] bool unique(Eigen::Index first, Eigen::Index count) const;
  [[nodiscard]] int rank() const { return static_cast<int>(B_.cols()); }

 private:
  MassSolver open_;
  MatX G_;
  MatX Y_;  ///< 𝓜⁻¹Gᵀ
  MatX B_;  ///< (G Y)⁺ = B Bᵀ
};

}  // namespace ricochet
