#pragma once
/// The table of laws: what each law is called, where it comes from, which parameters it takes, what it promises.
/// Range checks, keys of files, `ricochet laws`, the controls of the page and the tables of docs/laws/ follow from it.

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "ricochet/base/parameter.hpp"
#include "ricochet/law/check_parameters.hpp"
#include "ricochet/law/law.hpp"
#include "ricochet/law/law_parameters.hpp"

namespace ricochet {

/// What the law guarantees.
struct Guarantees {
  bool energy = false;
  bool separation = false;
  bool friction = false;  ///< cone and n·P ≥ 0
};

/// What a law acts on.
enum class LawDomain : std::uint8_t {
  contact,           ///< any contact: a law of the variant `Law`
  planar_mechanism,  ///< generalised speeds of a planar impact (law/planar_closed_forms.hpp)
};
/// "contact", "planar mechanism"
[[nodiscard]] std::string_view name(LawDomain domain);

struct LawInfo {
  std::string_view name = {};  ///< on the command line
  std::string_view title = {};
  std::string_view source = {};
  std::span<const ParameterInfo> parameters = {};
  std::string_view cone = {};    ///< the parameter that is the friction of the certificate's cone; empty: no friction
  Guarantees guarantees = {};    ///< for all parameters in range; `guarantees(law)` may promise more
  std::string_view caveat = {};  ///< where a promise depends on parameters or contacts are refused; empty: nowhere
  bool planar = false;           ///< requires a planar contact
  LawDomain domain = LawDomain::contact;
};

[[nodiscard]] std::span<const LawInfo> laws();
[[nodiscard]] const LawInfo* find_law(std::string_view name);
[[nodiscard]] const LawInfo& info_of(const Law& law);
[[nodiscard]] const LawInfo& info_of(const BaseLaw& law);

/// What is wrong with a name that no law has.
[[nodiscard]] Error unknown_law(std::string_view name);

/// What the law guarantees with these parameters, if they are in range.
[[nodiscard]] Guarantees guarantees(const Law& law);

/// The friction coefficient that the law's own certificate uses: sticking friction where the law tells the two apart.
/// Where it varies with the velocity (graded-sledge), the largest that any contact has.
[[nodiscard]] double cone_friction(const Law& law);

/// The parameters that the law has, by name, defaults included. A composite law has those of its two parts too: they
/// make the same law again.
[[nodiscard]] std::vector<std::pair<std::string_view, Value>> parameters_of(const Law& law);

}  // namespace ricochet
