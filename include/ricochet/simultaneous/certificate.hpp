#pragma once
/// The four conditions of CR98 section 3.2 on the impulses of many contacts, judged as those of one contact are
/// (space/certificate.hpp). Energy is a condition on the whole: one contact may gain what others lose.

#include <vector>

#include "ricochet/simultaneous/problem.hpp"
#include "ricochet/space/certificate.hpp"

namespace ricochet {

struct SystemImpact;

struct SystemCertificate {
  Margins margins;           ///< energy of the whole; of the others the least of all contacts, 0 without contacts
  ConditionSet violated;     ///< of the whole: energy, and what one contact violates or more
  bool permissible = false;  ///< `violated` is empty, and the margins are those of an answer
  /// Of each contact, hinges included, whose impulse may have any direction. The margin of energy is the work ½ G·(V⁻ +
  /// V⁺) that this contact takes; it is not judged, and `violated` never has it.
  std::vector<Certificate> contacts;
};

/// How exact an answer is. The rounding of a single law is always allowed for.
struct AnswerAccuracy {
  std::size_t summands = 0;  ///< impulses that were added up: each addition rounds
  /// Of impulses and speeds, as the method states it, relative to the largest of them; 0 where each is exact by itself.
  double error = 0;
};

/// Judges each contact by the cone of its law (law/law_table.hpp).
[[nodiscard]] SystemCertificate certify(const Problem& problem, const SystemImpact& impact,
                                        const AnswerAccuracy& accuracy);

}  // namespace ricochet
