#include "packs.hpp"

#include <array>
#include <cstddef>

namespace ricochet {

namespace batch_detail {

namespace {

/// In the order of PackLaw.
constexpr std::array<std::string_view, pack_laws> names{"frictionless", "chatterjee-ruina", "bilinear", "brach",
                                                        "pfeiffer-glocker"};

}  // namespace

std::optional<PackLaw> pack_law(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<PackLaw>(i);
  return std::nullopt;
}

template <>
PackLoop<double> loop_of<double>(PackLaw law, PackWidth width) {
  const auto place = static_cast<std::size_t>(law);
#if defined(__x86_64__)
  if (width == PackWidth::avx512) return double_loops_avx512()[place];
  if (width == PackWidth::avx2) return double_loops_avx2()[place];
#endif
  return double_loops_sse2()[place];
}

template <>
PackLoop<float> loop_of<float>(PackLaw law, PackWidth width) {
  const auto place = static_cast<std::size_t>(law);
#if defined(__x86_64__)
  if (width == PackWidth::avx512) return float_loops_avx512()[place];
  if (width == PackWidth::avx2) return float_loops_avx2()[place];
#endif
  return float_loops_sse2()[place];
}

}  // namespace batch_detail

std::string_view name(PackWidth width) {
  switch (width) {
    case PackWidth::sse2: return "SSE2, 2 doubles or 4 floats";
    case PackWidth::avx2: return "AVX2, 4 doubles or 8 floats";
    case PackWidth::avx512: return "AVX-512, 8 doubles or 16 floats";
  }
  return "unknown";
}

PackWidth widest_packs() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw"))
    return PackWidth::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return PackWidth::avx2;
#endif
  return PackWidth::sse2;
}

bool runs_in_packs(std::string_view law) { return batch_detail::pack_law(law).has_value(); }

}  // namespace ricochet
