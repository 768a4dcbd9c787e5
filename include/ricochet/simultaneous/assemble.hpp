#pragma once
/// From a scene of bodies to the problem that methods resolve, docs/simultaneous.md.

#include <cstddef>
#include <span>
#include <vector>

#include "ricochet/simultaneous/body_scene.hpp"
#include "ricochet/simultaneous/problem.hpp"

namespace ricochet {

/// A problem whose contacts are those of the arrangement in their order, followed, in sequence, by the hinges.
struct Assembled {
  Problem problem;
  std::vector<std::ptrdiff_t> speeds;  ///< of each body: where its (v, ω) begins in u; −1: fixed
  Hinges hinges = Hinges::in_sequence;
};

/// Errors have paths such as "contact[3].point", "body[2].mass", "hinge[1].bodies", counted from 1. With `intact`,
/// speeds that break a hinge by more than 1e-9 of the largest are refused.
[[nodiscard]] Expected<Assembled> assemble(const BodyScene& scene, Hinges hinges = Hinges::in_sequence);

struct HingeImpulse {
  Vec3 P = Vec3::Zero();  ///< on its second body [N s]
  bool unique = true;     ///< no other impulses at the hinges would keep them closed as well
};

/// What the hinges of an intact mechanism carry under the impulses at the contacts of the scene, (Q10) of
/// docs/simultaneous.md; the smallest ones where a hinge too many leaves them open.
[[nodiscard]] Expected<std::vector<HingeImpulse>> hinge_impulses(const BodyScene& scene,
                                                                 std::span<const Vec3> contact_impulses);

/// The bodies at speeds u.
[[nodiscard]] std::vector<RigidBody> moved(const BodyScene& scene, const Assembled& assembled, const VecX& u);

}  // namespace ricochet
