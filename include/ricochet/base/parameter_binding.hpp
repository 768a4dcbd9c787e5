#pragma once
/// Checks a plain struct of parameters against their description.
///
/// A binding is a type with two static constants of the same length:
///   parameters  std::array of ParameterInfo
///   members     std::tuple of pointers to the members that hold them
/// A word is held by an enumeration whose values are the places of the choices. A number whose default is another
/// parameter of the same binding may be negative, below its range, which stands for that default.

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ricochet/base/linear.hpp"
#include "ricochet/base/parameter.hpp"
#include "ricochet/base/text.hpp"

namespace ricochet {

/// Where the parameter `name` stands in the binding; the number of parameters where it does not.
template <class Binding>
constexpr std::size_t place_of(std::string_view name) {
  std::size_t i = 0;
  while (i < Binding::parameters.size() && Binding::parameters[i].name != name) ++i;
  return i;
}

template <class Binding>
constexpr bool has_parameter(std::string_view name) {
  return place_of<Binding>(name) < Binding::parameters.size();
}

/// Whether a negative member stands for the default.
template <class Binding, std::size_t I>
constexpr bool may_be_unset() {
  constexpr const ParameterInfo& info = Binding::parameters[I];
  return info.default_value.kind == ParameterDefault::Kind::parameter &&
         has_parameter<Binding>(info.default_value.text);
}

/// The number at place I, with its default where it is unset.
template <class Binding, std::size_t I, class Struct>
constexpr double bound_number(const Struct& values) {
  const double value = values.*std::get<I>(Binding::members);
  if constexpr (may_be_unset<Binding, I>()) {
    if (value < 0) return bound_number<Binding, place_of<Binding>(Binding::parameters[I].default_value.text)>(values);
  }
  return value;
}

namespace detail {

template <class Binding, std::size_t I, class Struct>
bool member_fits(const Struct& values) {
  constexpr const ParameterInfo& info = Binding::parameters[I];
  const auto& member = values.*std::get<I>(Binding::members);
  using Member = std::decay_t<decltype(member)>;
  if constexpr (std::is_same_v<Member, double>) {
    static_assert(info.kind == ParameterKind::number);
    const double value = bound_number<Binding, I>(values);
    if (!info.bounds.contains(value)) return false;
    if constexpr (!info.not_below.empty()) {
      if (!(value >= bound_number<Binding, place_of<Binding>(info.not_below)>(values))) return false;
    }
    if constexpr (info.stricter_low.has_value()) {
      constexpr std::size_t other = place_of<Binding>(info.stricter_low->parameter);
      const auto word = static_cast<std::size_t>(values.*std::get<other>(Binding::members));
      const auto& choices = Binding::parameters[other].choices;
      const bool exempt = word < choices.size() && choices[word] == info.stricter_low->unless;
      if (!exempt && !(value >= info.stricter_low->low)) return false;
    }
    return true;
  } else if constexpr (std::is_enum_v<Member>) {
    static_assert(info.kind == ParameterKind::word);
    return static_cast<std::size_t>(member) < info.choices.size();
  } else if constexpr (std::is_same_v<Member, Vec3>) {
    static_assert(info.kind == ParameterKind::vector);
    return member.allFinite();
  } else {
    return true;  // a law within a law is checked where it is asked
  }
}

/// What is wrong with a member that does not fit.
template <class Binding, std::size_t I, class Struct>
Error member_error(const Struct& values) {
  constexpr const ParameterInfo& info = Binding::parameters[I];
  const auto& member = values.*std::get<I>(Binding::members);
  using Member = std::decay_t<decltype(member)>;
  if constexpr (std::is_same_v<Member, double>) {
    const double value = bound_number<Binding, I>(values);
    if (!info.bounds.contains(value)) return out_of_range(info, value);
    if constexpr (!info.not_below.empty()) {
      const double least = bound_number<Binding, place_of<Binding>(info.not_below)>(values);
      if (!(value >= least)) return below_parameter(info, value, least);
    }
    if constexpr (info.stricter_low.has_value()) return below_stricter_low(info, value);
    return out_of_range(info, value);
  } else if constexpr (std::is_enum_v<Member>) {
    return not_a_choice(info, "choice " + std::to_string(static_cast<int>(member)));
  } else if constexpr (std::is_same_v<Member, Vec3>) {
    return Error{ErrorCode::out_of_range, std::string(info.name), to_text(member), "every component must be finite"};
  } else {
    return Error{ErrorCode::invalid, std::string(info.name), "", "must be " + allowed_text(info)};
  }
}

}  // namespace detail

namespace detail {

/// What is wrong with the first member that does not fit. Kept out of the way of those that do.
template <class Binding, class Struct>
[[gnu::noinline, gnu::cold]] Expected<void> misfit(const Struct& values) {
  Error error;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (void)((!member_fits<Binding, I>(values) && (error = member_error<Binding, I>(values), true)) || ...);
  }
  (std::make_index_sequence<Binding::parameters.size()>{});
  return tl::unexpected(std::move(error));
}

template <class Binding, class Struct, std::size_t... I>
[[nodiscard]] bool members_fit(const Struct& values, std::index_sequence<I...>) {
  return (member_fits<Binding, I>(values) && ...);
}

}  // namespace detail

/// The first parameter that is out of range, if there is one.
template <class Binding, class Struct>
Expected<void> check_members(const Struct& values) {
  if (!detail::members_fit<Binding>(values, std::make_index_sequence<Binding::parameters.size()>{}))
    return detail::misfit<Binding>(values);
  Expected<void> fine;  // `{}` would first clear the room for an error
  return fine;
}

}  // namespace ricochet
