#pragma once
/// Which member of LawParameters holds the parameter of a name.

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "ricochet/law/law_parameters.hpp"

namespace ricochet {

template <class T>
struct ParameterSlot {
  std::string_view name;
  std::optional<T> LawParameters::*member;
};

inline constexpr std::array<ParameterSlot<double>, 33> number_slots{{
    {"e", &LawParameters::e},           {"e_t", &LawParameters::e_t},       {"mu", &LawParameters::mu},
    {"mu_s", &LawParameters::mu_s},     {"e_k", &LawParameters::e_k},       {"nu", &LawParameters::nu},
    {"mu_2", &LawParameters::mu_2},     {"mu_3", &LawParameters::mu_3},     {"psi_1", &LawParameters::psi_1},
    {"psi_2", &LawParameters::psi_2},   {"rho", &LawParameters::rho},       {"sigma", &LawParameters::sigma},
    {"smooth", &LawParameters::smooth}, {"kappa", &LawParameters::kappa},   {"e_v", &LawParameters::e_v},
    {"e_i", &LawParameters::e_i},       {"mu_v", &LawParameters::mu_v},     {"mu_i", &LawParameters::mu_i},
    {"e_vv", &LawParameters::e_vv},     {"e_ii", &LawParameters::e_ii},     {"e_r", &LawParameters::e_r},
    {"e_ir", &LawParameters::e_ir},     {"e_c", &LawParameters::e_c},       {"e_m", &LawParameters::e_m},
    {"tau", &LawParameters::tau},       {"tau_v", &LawParameters::tau_v},   {"tau_c", &LawParameters::tau_c},
    {"tau_ic", &LawParameters::tau_ic}, {"tau_m", &LawParameters::tau_m},   {"chi_c", &LawParameters::chi_c},
    {"chi_ic", &LawParameters::chi_ic}, {"chi_rc", &LawParameters::chi_rc}, {"chi_m", &LawParameters::chi_m},
}};
inline constexpr std::array<ParameterSlot<std::string>, 4> word_slots{{
    {"restitution", &LawParameters::restitution},
    {"first", &LawParameters::first},
    {"second", &LawParameters::second},
    {"damper", &LawParameters::damper},
}};
inline constexpr std::array<ParameterSlot<Vec3>, 1> vector_slots{{{"target", &LawParameters::target}}};

/// The member for `name`; null where there is none.
template <class T, std::size_t N>
constexpr std::optional<T> LawParameters::*slot_of(const std::array<ParameterSlot<T>, N>& slots,
                                                   std::string_view name) {
  for (const ParameterSlot<T>& slot : slots)
    if (slot.name == name) return slot.member;
  return nullptr;
}

}  // namespace ricochet
