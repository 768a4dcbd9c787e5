#pragma once
/// Fills a plain struct of parameters from LawParameters, by its binding (base/parameter_binding.hpp).

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "ricochet/base/parameter_binding.hpp"
#include "ricochet/law/law_parameters.hpp"
#include "ricochet/law/parameter_slots.hpp"

namespace ricochet {

/// A parameter that `law` needs and that was not given.
[[nodiscard]] Error missing_parameter(const ParameterInfo& info, std::string_view law);

namespace detail {

/// Stores a value that lies within the bounds; `name` is the parameter by which it was given.
[[nodiscard]] Expected<void> fill_within(const ParameterInfo& info, std::string_view name, double value,
                                         double& member);

template <class Binding, std::size_t I, class Struct>
Expected<void> fill_number(Struct& values, const LawParameters& given, std::string_view law) {
  constexpr const ParameterInfo& info = Binding::parameters[I];
  double& member = values.*std::get<I>(Binding::members);
  if (const std::optional<double>& value = given.*slot_of(number_slots, info.name))
    return fill_within(info, info.name, *value, member);
  if constexpr (info.default_value.kind == ParameterDefault::Kind::number) {
    member = info.default_value.number;
    return {};
  } else if constexpr (may_be_unset<Binding, I>()) {
    member = values.*std::get<place_of<Binding>(info.default_value.text)>(Binding::members);
    return {};
  } else {
    if constexpr (info.default_value.kind == ParameterDefault::Kind::parameter) {
      constexpr std::string_view other = info.default_value.text;
      if (const std::optional<double>& value = given.*slot_of(number_slots, other))
        return fill_within(info, other, *value, member);
    }
    return tl::unexpected(missing_parameter(info, law));
  }
}

template <class Binding, std::size_t I, class Struct, class MakePart>
Expected<void> fill_member(Struct& values, const LawParameters& given, std::string_view law, MakePart make_part) {
  constexpr const ParameterInfo& info = Binding::parameters[I];
  auto& member = values.*std::get<I>(Binding::members);
  using Member = std::decay_t<decltype(member)>;
  if constexpr (info.kind == ParameterKind::number) {
    return fill_number<Binding, I>(values, given, law);
  } else if constexpr (info.kind == ParameterKind::vector) {
    const std::optional<Vec3>& value = given.*slot_of(vector_slots, info.name);
    if (!value) return tl::unexpected(missing_parameter(info, law));
    member = *value;
    return {};
  } else {
    static_assert(!info.needed());
    const std::optional<std::string>& value = given.*slot_of(word_slots, info.name);
    const std::string_view word = value ? std::string_view(*value) : info.default_value.text;
    if constexpr (std::is_enum_v<Member>) {
      const auto found = std::find(info.choices.begin(), info.choices.end(), word);
      if (found == info.choices.end()) return tl::unexpected(not_a_choice(info, word));
      member = static_cast<Member>(found - info.choices.begin());
      return {};
    } else {
      Expected<Member> part = make_part(info, word);
      if (!part) return tl::unexpected(std::move(part.error()));
      member = *std::move(part);
      return {};
    }
  }
}

}  // namespace detail

/// Takes what was given, or the default, for every parameter, and checks the whole. `make_part(info, word)` makes a
/// member that is neither a number, a vector nor an enumeration.
template <class Binding, class Struct, class MakePart>
Expected<void> fill_parameters(Struct& values, const LawParameters& given, std::string_view law, MakePart make_part) {
  Expected<void> fine;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (void)((fine = detail::fill_member<Binding, I>(values, given, law, make_part), fine.has_value()) && ...);
  }
  (std::make_index_sequence<Binding::parameters.size()>{});
  return fine ? check_members<Binding>(values) : fine;
}
template <class Binding, class Struct>
Expected<void> fill_parameters(Struct& values, const LawParameters& given, std::string_view law) {
  return fill_parameters<Binding>(values, given, law, nullptr);
}

}  // namespace ricochet
