#include "ricochet/law/law_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "law_rows.hpp"
#include "ricochet/base/suggest.hpp"
#include "ricochet/law/parameter_slots.hpp"
#include "ricochet/law/planar_closed_forms.hpp"

namespace ricochet {
namespace {

template <class... L>
constexpr std::array<LawInfo, sizeof...(L)> rows_of(const std::variant<L...>*) {
  return {LawRow<L>::info...};
}
constexpr auto table = rows_of(static_cast<const Law*>(nullptr));

constexpr auto names = [] {
  std::array<std::string_view, table.size()> out{};
  for (std::size_t i = 0; i < table.size(); ++i) out[i] = table[i].name;
  return out;
}();

constexpr std::size_t alias_count = [] {
  std::size_t count = 0;
  for (const LawInfo& info : table)
    for (const ParameterInfo& p : info.parameters) count += p.alias.empty() ? 0 : 1;
  return count;
}();
constexpr auto aliases = [] {
  std::array<ParameterAlias, alias_count> out{};
  std::size_t i = 0;
  for (const LawInfo& info : table)
    for (const ParameterInfo& p : info.parameters)
      if (!p.alias.empty()) out[i++] = {p.alias, p.name};
  return out;
}();

/// Files and --set reach a parameter through LawParameters: each row must find its parameters there, of its own kind.
constexpr bool every_parameter_has_a_slot() {
  for (const LawInfo& info : table) {
    for (const ParameterInfo& p : info.parameters) {
      const bool found = p.kind == ParameterKind::number ? slot_of(number_slots, p.name) != nullptr
                         : p.kind == ParameterKind::word ? slot_of(word_slots, p.name) != nullptr
                                                         : slot_of(vector_slots, p.name) != nullptr;
      if (!found) return false;
    }
  }
  return true;
}
static_assert(every_parameter_has_a_slot());

template <class L, std::size_t I>
Value value_of(const L& law) {
  constexpr const ParameterInfo& info = LawRow<L>::parameters[I];
  const auto& member = law.*std::get<I>(LawRow<L>::members);
  using Member = std::decay_t<decltype(member)>;
  if constexpr (std::is_same_v<Member, double>) {
    return bound_number<LawRow<L>, I>(law);
  } else if constexpr (std::is_enum_v<Member>) {
    return std::string(info.choices[static_cast<std::size_t>(member)]);
  } else if constexpr (std::is_same_v<Member, Vec3>) {
    return std::vector<double>(member.begin(), member.end());
  } else {
    return std::string(info_of(member).name);
  }
}

/// Those of the law's row that are not in the list yet: the parts of a composite law share some.
template <class L>
void add_parameters(const L& law, std::vector<std::pair<std::string_view, Value>>& out) {
  const auto add = [&](std::string_view name, Value value) {
    const bool known = std::any_of(out.begin(), out.end(), [&](const auto& one) { return one.first == name; });
    if (!known) out.emplace_back(name, std::move(value));
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) { (add(LawRow<L>::parameters[I].name, value_of<L, I>(law)), ...); }
  (std::make_index_sequence<LawRow<L>::parameters.size()>{});
}

}  // namespace

template <class L>
Expected<void> check_parameters(const L& law) {
  return check_members<LawRow<L>>(law);
}
template Expected<void> check_parameters(const Frictionless&);
template Expected<void> check_parameters(const ChatterjeeRuina&);
template Expected<void> check_parameters(const Bilinear&);
template Expected<void> check_parameters(const Routh&);
template Expected<void> check_parameters(const Whittaker&);
template Expected<void> check_parameters(const Smith&);
template Expected<void> check_parameters(const Brach&);
template Expected<void> check_parameters(const PfeifferGlocker&);
template Expected<void> check_parameters(const AnitescuPotra&);
template Expected<void> check_parameters(const PermissiblePoint&);
template Expected<void> check_parameters(const Projected&);
template Expected<void> check_parameters(const SpringSledge&);
template Expected<void> check_parameters(const GradedSledge&);
template Expected<void> check_parameters(const GradedRegion&);
template Expected<void> check_parameters(const Composite&);

std::span<const ParameterAlias> parameter_aliases() { return aliases; }

std::span<const LawInfo> laws() { return table; }

const LawInfo* find_law(std::string_view name) {
  for (const LawInfo& info : table)
    if (info.name == name) return &info;
  return nullptr;
}

const LawInfo& info_of(const Law& law) { return table[law.index()]; }
const LawInfo& info_of(const BaseLaw& law) { return table[law.index()]; }

std::string_view name(LawDomain domain) { return domain == LawDomain::contact ? "contact" : "planar mechanism"; }

Error unknown_law(std::string_view name) {
  if (const LawInfo* form = find_planar_closed_form(name))
    return {ErrorCode::invalid, "law", std::string(name),
            fmt::format("is for mechanisms (ricochet impact): {}", form->caveat)};
  return {ErrorCode::unknown_name, "law", std::string(name), not_among("law", name, names)};
}

Guarantees guarantees(const Law& law) {
  return std::visit(
      []<class L>(const L& l) {
        if constexpr (requires { LawRow<L>::promised(l); }) {
          return LawRow<L>::promised(l);
        } else {
          return LawRow<L>::info.guarantees;
        }
      },
      law);
}

double cone_friction(const Law& law) {
  return std::visit(
      []<class L>(const L& l) {
        constexpr std::string_view cone = LawRow<L>::info.cone;
        if constexpr (cone.empty()) {
          return 0.0;
        } else if constexpr (requires { LawRow<L>::widest_cone(l); }) {
          return LawRow<L>::widest_cone(l);
        } else {
          static_assert(has_parameter<LawRow<L>>(cone));
          return bound_number<LawRow<L>, place_of<LawRow<L>>(cone)>(l);
        }
      },
      law);
}

std::vector<std::pair<std::string_view, Value>> parameters_of(const Law& law) {
  std::vector<std::pair<std::string_view, Value>> out;
  std::visit([&](const auto& l) { add_parameters(l, out); }, law);
  if (const auto* composite = std::get_if<Composite>(&law))
    for (const BaseLaw* part : {&composite->first, &composite->second})
      std::visit([&](const auto& l) { add_parameters(l, out); }, *part);
  return out;
}

}  // namespace ricochet
