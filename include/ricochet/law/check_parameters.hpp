#pragma once
/// The range check of a law's parameters, made from its row in the table of laws.

#include "ricochet/base/error.hpp"

namespace ricochet {

/// The first parameter that is out of range, if there is one. Exists for each alternative of Law.
template <class L>
[[nodiscard]] Expected<void> check_parameters(const L& law);

}  // namespace ricochet
