#pragma once
/// Contacts that strike at one instant, each also as a collision by itself, and what every law makes of them in
/// sequence (docs/explorer.md).

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ricochet/scene/collision.hpp"
#include "ricochet/scene/mechanism_impact.hpp"
#include "ricochet/scene/scene.hpp"
#include "ricochet/simultaneous/sequence.hpp"

namespace ricochet {

struct BodySpeeds {
  Vec3 velocity = Vec3::Zero();               ///< of the centre [m/s]
  std::optional<Vec3> angular_velocity = {};  ///< of a body that is not a link [rad/s]
};

struct NamedBody {
  std::string name;
  bool fixed = false;
  BodySpeeds before;
};

/// A collision of the sequence.
struct AnsweredStep {
  SequenceStep step;
  bool hinge = false;                                    ///< the contact is a hinge that was hit
  std::optional<std::array<BodySpeeds, 2>> bodies = {};  ///< of a contact between bodies: just before the collision
};

struct ContactAnswer {
  std::string law = {};                  ///< empty: each contact by its own
  std::optional<Error> error = {};       ///< then there is no answer, and the rest is empty
  std::string verdict = {}, ties = {};   ///< for people; `ties` is empty where none was broken
  bool settled = false;                  ///< else impulses and speeds after are without meaning
  Resolution resolution = {};            ///< its first entries are those of the contacts
  std::vector<AnsweredStep> steps = {};  ///< the first of them; one that sums an infinite sequence is left out
  std::vector<BodySpeeds> after = {};    ///< as `ContactAnswers::bodies`
};

struct ContactAnswers {
  std::string title;
  std::string remark = {};  ///< what was assumed, for people; empty: nothing
  std::vector<NamedBody> bodies;
  std::vector<Vec3> points;  ///< of the contacts [m]
  std::vector<Collision>
      collisions;  ///< each contact alone: its W, V before, law and parameters, its bodies where free
  std::vector<ContactAnswer> answers;
};

constexpr std::size_t most_answered_steps = 60;

/// As the scene states it first, then by every law with each contact's own parameters. Hinges are hit in sequence.
[[nodiscard]] Expected<ContactAnswers> contact_answers(const Scene& scene);

/// Of these contacts of the list, by every law.
[[nodiscard]] Expected<ContactAnswers> contact_answers(const MechanismImpact& impact,
                                                       std::span<const std::size_t> struck, std::string title);

}  // namespace ricochet
