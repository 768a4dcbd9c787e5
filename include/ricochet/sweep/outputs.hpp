#pragma once
/// The numbers of an answer that a sweep records.

#include <array>
#include <cstddef>
#include <cstdint>
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

/// `put(k, x)` for every output k of those that are wanted, a bit for each.
template <class Put>
RICOCHET_HD void each_output(const AnswerNumbers& a, const Vec3& n, std::uint32_t wanted, const Put& put) {
  const auto is_wanted = [&](std::uint32_t k) { return (wanted >> k & 1U) != 0; };
  const auto parts = [&](const Vec3& v, std::uint32_t first, std::uint32_t normal, std::uint32_t tangential) {
    for (std::uint32_t k = 0; k < 3; ++k)
      if (is_wanted(first + k)) put(first + k, v(static_cast<Eigen::Index>(k)));
    if (!is_wanted(normal) && !is_wanted(tangential)) return;
    const double v_n = dot3<double>(n, v);
    if (is_wanted(normal)) put(normal, v_n);
    if (is_wanted(tangential))
      put(tangential, norm3<double>(Vec3(v(0) - v_n * n(0), v(1) - v_n * n(1), v(2) - v_n * n(2))));
  };
  parts(a.P, 0, 6, 7);
  parts(a.V, 3, 8, 9);
  const double rest[]{a.energy_change,      a.normal_work,         a.friction_work,   a.margins.energy,
                      a.margins.separation, a.margins.compression, a.margins.friction};
  for (std::uint32_t k = 0; k < 7; ++k)
    if (is_wanted(10 + k)) put(10 + k, rest[k]);
}

}  // namespace ricochet::sweep
