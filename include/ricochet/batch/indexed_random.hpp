#pragma once
/// Random numbers by index: the draws of collision i follow from the seed and i alone, so that every thread, shard and
/// machine sees the same collision under the same index.

#include <cmath>
#include <cstdint>

#include "ricochet/base/linear.hpp"

namespace ricochet {

/// Draw k of index i is mix(s_k + i γ): for each k the sequence of SplitMix64 (Steele, Lea & Flood 2014) with an offset
/// s_k of its own.
class IndexedRandom {
 public:
  RICOCHET_HD IndexedRandom(std::uint64_t seed, std::uint64_t index) : seed_(mix(seed)), steps_(index * golden) {}

  [[nodiscard]] RICOCHET_HD std::uint64_t bits() { return mix(mix(seed_ + ++draw_) + steps_); }
  /// What `bits` returns first is bits_after(first_offset(seed) + way(index)), of which loops keep the first two.
  [[nodiscard]] RICOCHET_HD static std::uint64_t first_offset(std::uint64_t seed) { return mix(mix(seed) + 1); }
  [[nodiscard]] RICOCHET_HD static std::uint64_t way(std::uint64_t index) { return index * golden; }
  [[nodiscard]] RICOCHET_HD static std::uint64_t bits_after(std::uint64_t sum) { return mix(sum); }
  /// Uniform on [low, high).
  [[nodiscard]] RICOCHET_HD double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53);
  }
  /// True with the given probability.
  [[nodiscard]] RICOCHET_HD bool chance(double probability) { return uniform(0, 1) < probability; }
  /// 10^x, x uniform on [low, high).
  [[nodiscard]] RICOCHET_HD double log_uniform(double low, double high) { return std::pow(10.0, uniform(low, high)); }
  /// 0 to count − 1.
  [[nodiscard]] RICOCHET_HD std::uint64_t below(std::uint64_t count) { return bits() % count; }

 private:
  static constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;
  [[nodiscard]] RICOCHET_HD static std::uint64_t mix(std::uint64_t x) {
    x += golden;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
  }
  std::uint64_t seed_, steps_, draw_ = 0;
};

}  // namespace ricochet
