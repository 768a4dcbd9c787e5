#pragma once
/// Rigid bodies with explicit contacts and hinges, as a scene states them: the input of `assemble`.

#include <cstdint>
#include <vector>

#include "ricochet/body/rigid_body.hpp"
#include "ricochet/law/registry.hpp"

namespace ricochet {

struct ContactSpec {
  std::size_t first = 0, second = 0;  ///< indices of bodies
  Vec3 point = Vec3::Zero();
  Vec3 n = Vec3::UnitZ();  ///< from first to second
  Law law = Frictionless{};
};
struct Hinge {
  std::size_t first = 0, second = 0;
  Vec3 point = Vec3::Zero();
};
struct BodyScene {
  std::vector<RigidBody> bodies;
  std::vector<ContactSpec> contacts;
  std::vector<Hinge> hinges;
};

/// CR98 6.5: hinges as contacts of the sequence, or eliminated so that they hold exactly.
enum class Hinges : std::uint8_t { in_sequence, intact };

}  // namespace ricochet
