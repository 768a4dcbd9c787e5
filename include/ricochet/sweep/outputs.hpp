#pragma once
/// The numbers of an answer that a sweep records.

#include <array>
#include <cstddef>
#include <string_view>

#include "ricochet/base/linear.hpp"
#include "ricochet/base/product3.hpp"
#include "ricochet/space/certificate.hpp"

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

/// An answer, n of unit length.
struct AnswerNumbers {
  Vec3 P, V;
  double energy_change, normal_work, friction_work;
  Margins margins;
};

/// Output k in the order of `output_names`.
[[nodiscard]] RICOCHET_HD inline double output(std::size_t k, const AnswerNumbers& a, const Vec3& n) {
  const auto tangential = [&](const Vec3& v) {
    const double v_n = dot3<double>(n, v);
    return norm3<double>(Vec3(v(0) - v_n * n(0), v(1) - v_n * n(1), v(2) - v_n * n(2)));
  };
  switch (k) {
    case 0: return a.P(0);
    case 1: return a.P(1);
    case 2: return a.P(2);
    case 3: return a.V(0);
    case 4: return a.V(1);
    case 5: return a.V(2);
    case 6: return dot3<double>(n, a.P);
    case 7: return tangential(a.P);
    case 8: return dot3<double>(n, a.V);
    case 9: return tangential(a.V);
    case 10: return a.energy_change;
    case 11: return a.normal_work;
    case 12: return a.friction_work;
    case 13: return a.margins.energy;
    case 14: return a.margins.separation;
    case 15: return a.margins.compression;
    default: return a.margins.friction;
  }
}

}  // namespace ricochet::sweep
