#pragma once
/// A mechanism in a state, the contacts within reach, and the impact at the one of them that is struck.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/scene/answer.hpp"
#include "ricochet/scene/machine.hpp"
#include "ricochet/scene/planar_answer.hpp"
#include "ricochet/scene/robot_scene.hpp"

namespace ricochet {

/// A contact within reach.
struct CandidateContact {
  ContactPoint at;
  Vec3 V;                  ///< of second's point relative to first's
  double rounding = 0;     ///< of the approach speed: no slower one is an approach
  std::string law;         ///< its own, where it was stated with one
  LawParameters settings;  ///< its own, before those of the collision
  [[nodiscard]] double approach() const { return 0 - at.n.dot(V); }  // 0, not −0, at rest
  [[nodiscard]] bool closes() const { return approach() > rounding; }
  [[nodiscard]] bool separates() const { return -approach() > rounding; }
  [[nodiscard]] std::string pair() const;  ///< "FIRST:SECOND"
};

/// Whether this names a mechanism: a bundled system, or a file with the extension of a robot file.
[[nodiscard]] bool is_mechanism(std::string_view name);

/// A bundled system with these sizes, or a robot file, which has none.
[[nodiscard]] Expected<std::unique_ptr<Machine>> open_machine(const std::string& name,
                                                              const std::vector<NamedNumbers>& sizes,
                                                              const RobotOptions& options = {});

/// The input of the laws: everything on which an answer depends.
struct MechanismImpact {
  std::shared_ptr<Machine> machine;  ///< in the state (q, u)
  VecX q, u;
  std::optional<ConvexShape> floor;        ///< a half space beside what the machine has, "floor" in contacts
  std::optional<ContactPoint> tap;         ///< on a surface that a robot touches with this point only
  std::vector<CandidateContact> contacts;  ///< within reach, or the one that was stated
  std::vector<Error> uncertain;            ///< pairs of which it is not known whether they are within reach
  std::size_t chosen = 0;                  ///< which of them is struck
  Response response;
  Collision collision;

  [[nodiscard]] double energy(const VecX& speeds) const { return 0.5 * speeds.dot(machine->mass_matrix() * speeds); }

  /// Every law of the table, and the planar closed forms where the contact is planar.
  [[nodiscard]] std::vector<Answer> ask_laws() const { return ask_all(collision); }
  [[nodiscard]] std::vector<PlanarAnswer> ask_planar_laws() const;
};

/// The joints, by their speeds, that were given and stay as they are when loops are closed; empty: none.
struct HeldJoints {
  std::vector<bool> q, u;
};

/// The machine takes up q and u, moved to the nearest state with closed loops where `assemble` is set.
[[nodiscard]] Expected<void> place(MechanismImpact& impact, VecX q, VecX u, bool assemble, const HeldJoints& held = {});

/// Contacts with a gap up to `reach` [m]; with `moving_only` none between bodies that move as one piece. Of a robot
/// that taps, only that.
[[nodiscard]] Expected<void> find_contacts(MechanismImpact& impact, double reach, bool moving_only = false);
[[nodiscard]] Expected<void> find_contacts(MechanismImpact& impact, const StatedContact& stated);
/// Those that a scene states. Paths of errors are "contact[1]".
[[nodiscard]] Expected<void> find_contacts(MechanismImpact& impact, std::span<const SceneContact> stated);

/// The parameters of a contact: those of the collision, and its own in their place.
[[nodiscard]] LawParameters parameters_of(const MechanismImpact& impact, std::size_t contact);

/// Chooses the contact that is struck: `wanted` is its number in the list from 1, "FIRST:SECOND" (names of shapes or of
/// bodies), or empty for the only one that closes. Fails where it does not close.
[[nodiscard]] Expected<void> strike(MechanismImpact& impact, const std::string& wanted);

/// The contacts that close.
[[nodiscard]] std::vector<std::size_t> closing(const MechanismImpact& impact);

/// The contacts that are resolved together: those that close and, because they may pass on an impulse, all others that
/// are not within one mechanism.
[[nodiscard]] std::vector<std::size_t> taking_part(const MechanismImpact& impact);
/// Whether an answer at one contact would leave out another: several close, or one does and another is at rest.
[[nodiscard]] bool several_take_part(const MechanismImpact& impact);

/// Why no contact closes, and what would make one close.
[[nodiscard]] Error nothing_closes(const MechanismImpact& impact);

}  // namespace ricochet
