#pragma once
/// Choice without a branch, so that one kernel serves a single number and a pack of them (base/pack.hpp). A comparison
/// of packs has a verdict for each lane; `select` chooses lane by lane, and `any` tells whether rare work is needed at
/// all:
///   if (any(length != T(1))) n = select(length != T(1), n / length, n);
/// For a single number this is the usual branch.

#include <type_traits>
#include <utility>

#include "ricochet/base/linear.hpp"

namespace ricochet {

/// What a comparison of two T gives: bool, or a verdict for each lane.
template <class T>
using MaskOf = std::decay_t<decltype(std::declval<const T&>() < std::declval<const T&>())>;

/// Whether T is a single number.
template <class T>
inline constexpr bool is_single = std::is_same_v<MaskOf<T>, bool>;

/// What a type of numbers says of its lanes; a pack has a specialisation.
template <class T>
struct LaneTraits {
  using Number = T;  ///< of one lane
  template <class E>
  using Each = E;  ///< an enumerator for each lane
};
template <class T>
using LaneNumber = typename LaneTraits<T>::Number;
/// A value of the enumeration E for each lane of T.
template <class T, class E>
using PerLane = typename LaneTraits<T>::template Each<E>;

[[nodiscard]] RICOCHET_HD constexpr bool any(bool verdict) { return verdict; }
[[nodiscard]] RICOCHET_HD constexpr bool all(bool verdict) { return verdict; }

template <class T>
[[nodiscard]] RICOCHET_HD constexpr T select(bool verdict, const T& yes, const T& no) {
  return verdict ? yes : no;
}

/// Component by component.
template <class Mask, class T>
[[nodiscard]] RICOCHET_HD Vec3T<T> select3(const Mask& verdict, const Vec3T<T>& yes, const Vec3T<T>& no) {
  return Vec3T<T>(select(verdict, yes(0), no(0)), select(verdict, yes(1), no(1)), select(verdict, yes(2), no(2)));
}

}  // namespace ricochet
