#pragma once
/// The first collisions of a sequence as they happen, for contact_answers.hpp.

#include "ricochet/scene/contact_answers.hpp"

namespace ricochet {

constexpr std::size_t most_answered_collisions = 100'000;  ///< of each law

/// `bodies_of` gives the speeds of a contact's bodies at u, nothing for a link.
template <class BodiesOf>
class ContactRecorder {
 public:
  ContactRecorder(const Problem& problem, BodiesOf bodies_of)
      : problem_(problem), bodies_of_(bodies_of), u_(problem.u()) {}

  void observe(const SequenceStep& step) {
    if (step.limit || steps_.size() >= most_answered_steps) return;
    const bool hinge = problem_.contacts()[step.contact].hinge;
    AnsweredStep& one = steps_.emplace_back(AnsweredStep{step, hinge, {}});
    if (!hinge) one.bodies = bodies_of_(step.contact, u_);
    problem_.apply(step.contact, step.P, u_);
  }

  [[nodiscard]] std::vector<AnsweredStep> steps() && { return std::move(steps_); }

 private:
  const Problem& problem_;
  BodiesOf bodies_of_;
  VecX u_;
  std::vector<AnsweredStep> steps_;
};

}  // namespace ricochet
