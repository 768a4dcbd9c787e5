#pragma once
/// Random and extreme collisions by index, for checks in bulk (docs/batch.md).

#include <cstdint>

#include "ricochet/batch/draw_kernel.hpp"
#include "ricochet/law/law_parameters.hpp"
#include "ricochet/law/law_table.hpp"

namespace ricochet {

struct DrawnCollision {
  Mat3 A = Mat3::Identity();  ///< M where `mass_given`, else W
  bool mass_given = true;
  Vec3 V = Vec3::Zero(), n = Vec3::UnitX();
  LawParameters parameters;  ///< every one that a law of the table takes
};

/// What is drawn for the law.
[[nodiscard]] DrawKind draw_kind(const LawInfo& law);

/// Collision `index` for the law: any contact, or one of those that the law is made for (planar ones, spheres). It
/// approaches; condition numbers up to 1e10, equal eigenvalues, axes that are those of the input, grazing and normal
/// incidence, friction 0 to ∞ and restitution 0 to 1 with their ends are all frequent.
[[nodiscard]] DrawnCollision draw_collision(const LawInfo& law, std::uint64_t seed, std::uint64_t index);

}  // namespace ricochet
