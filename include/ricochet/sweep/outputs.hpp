#pragma once
/// The numbers of an answer that a sweep records.

#include <array>
#include <cstddef>
#include <string_view>

#include "ricochet/base/linear.hpp"

namespace ricochet::sweep {

/// V is V⁺, as in every answer; P_n = n·P, P_t = ‖P − P_n n‖, and so V_n and V_t.
inline constexpr std::array<std::string_view, 17> output_names{"P[1]",
                                                               "P[2]",
                                                               "P[3]",
                                                               "V[1]",
                                                               "V[2]",
                                                               "V[3]",
                                                               "P_n",
                                                               "P_t",
                                                               "V_n",
                                                               "V_t",
                                                               "energy_change",
                                                               "normal_work",
                                                               "friction_work",
                                                               "margins.energy",
                                                               "margins.separation",
                                                               "margins.compression",
                                                               "margins.friction"};
inline constexpr std::size_t all_outputs = output_names.size();

}  // namespace ricochet::sweep
