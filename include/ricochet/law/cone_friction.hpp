#pragma once
/// The friction coefficients of a law, or of a variant of laws (registry.hpp).

#include <variant>

namespace ricochet {

/// μ of a contact that slides; 0 for a law without friction.
template <class OneLaw>
[[nodiscard]] constexpr double sliding_friction(const OneLaw& law) {
  if constexpr (requires { law.mu; }) {
    return law.mu;
  } else {
    return 0;
  }
}

/// μ of the cone that the law's certificate is judged by: the largest ‖P_t‖ / P_n that the law allows. For a law that
/// distinguishes sticking it is μ_s, because a contact that sticks may use all of the static cone.
template <class OneLaw>
[[nodiscard]] constexpr double cone_friction(const OneLaw& law) {
  if constexpr (requires { law.mu_s; }) {
    return law.mu_s > law.mu ? law.mu_s : law.mu;
  } else {
    return sliding_friction(law);
  }
}

template <class... Laws>
[[nodiscard]] double sliding_friction(const std::variant<Laws...>& law) {
  return std::visit([](const auto& one) { return sliding_friction(one); }, law);
}
template <class... Laws>
[[nodiscard]] double cone_friction(const std::variant<Laws...>& law) {
  return std::visit([](const auto& one) { return cone_friction(one); }, law);
}

}  // namespace ricochet
