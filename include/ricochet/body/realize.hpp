#pragma once
/// Constructs two bodies with a given local mass matrix; such a pair always exists (CR98b).

#include "ricochet/body/rigid_body.hpp"

namespace ricochet {

/// Both bodies are free, at rest, of finite mass and inertia, and touch at `point`.
struct Realization {
  RigidBody A, B;
  Vec3 point = Vec3::Zero();
};

/// M must be symmetric positive definite, with a condition number up to 1e14.
///
/// With the eigenpairs (wᵢ, eᵢ) of W = M⁻¹, w₁ ≤ w₂ ≤ w₃, and c = w₁/2, body A has its contact arm along e₁ and B
/// along e₂, both 1 m long:
///   W_A = I/m + diag(0, a₂, a₃),   W_B = I/m + diag(b₁, 0, b₃),   2/m = c                              (B4)
///   b₁ = w₁ − c,   a₂ = w₂ − c,   (a₃, b₃) = (w₃ − c) (a₂, b₁) / (a₂ + b₁)
/// Every term is at least w₁/4, so nothing cancels, the inverse of the pair's W is M to rounding, and equal eigenvalues
/// need no special case. The moment about the arm has no effect and is chosen so that the body is physically possible.
///
/// Read the pair's mass matrix in the common axes of the two bodies, where it is diagonal. In other axes W is rounded
/// before it is inverted, which amplifies the error by the condition number of M.
[[nodiscard]] Expected<Realization> realize(const Mat3& M);

}  // namespace ricochet
