#pragma once
/// Many contacts at once as the explorer shows them, JSON (docs/explorer.md): bodies before and after as pictures, the
/// contacts, each with the collision that opens it in impulse space, and what every law makes of them.

#include <string>

#include "ricochet/scene/contact_answers.hpp"

namespace ricochet {

/// More are too many for a page.
constexpr std::size_t most_page_contacts = 500;

[[nodiscard]] std::string contacts_document(const Scene& scene, const ContactAnswers& answers);
[[nodiscard]] std::string contacts_document(const MechanismImpact& impact, std::span<const std::size_t> struck,
                                            const ContactAnswers& answers);

}  // namespace ricochet
