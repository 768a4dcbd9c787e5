#pragma once
/// Ties between equal approach speeds, CR98 6.4, docs/simultaneous.md, and the random numbers for them.

#include <cstdint>
#include <string_view>
#include <vector>

#include "ricochet/simultaneous/problem.hpp"

namespace ricochet {

enum class Ties : std::uint8_t {
  direction,  ///< the one farthest along a fixed direction
  random,     ///< any of them, by the seed
  perturb,    ///< initial speeds perturbed within their uncertainty, by the seed
};

[[nodiscard]] constexpr std::string_view name(Ties ties) {
  switch (ties) {
    case Ties::direction: return "direction";
    case Ties::random: return "random";
    case Ties::perturb: return "perturb";
  }
  return "";
}

/// SplitMix64 (Steele, Lea & Flood 2014): the same numbers on every platform.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// Independent numbers for each member of an ensemble, in any order of evaluation.
  Random(std::uint64_t seed, std::uint64_t member) : state_(Random(seed).next() ^ Random(~member).next()) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }
  /// Uniform on [−1, 1).
  double symmetric() { return static_cast<double>(next() >> 11U) * 0x1p-52 - 1; }

 private:
  std::uint64_t state_;
};

/// Contacts by their place along one fixed direction: the larger the rank, the earlier; equal places in file order.
[[nodiscard]] std::vector<std::uint64_t> ranks_along_direction(const Problem& problem);

/// The scale on which speeds of all kinds compare. Of a rigid body 1 for v, and for ω the longest arm of its contacts,
/// but no less than the root mean square distance of its mass from the centre; of a mechanism what a unit of each speed
/// moves a contact by, at most. Zero for systems without contacts.
[[nodiscard]] VecX contact_reach(const Problem& problem);

/// Speeds before, moved at random by at most `uncertainty` times the largest contact speed: of rigid bodies each speed
/// by that divided by its reach, of mechanisms by impulses at their contacts, so that hinges hold. Systems without
/// contacts are not perturbed.
[[nodiscard]] VecX perturbed(const Problem& problem, double uncertainty, Random& random);

/// Approach speeds that agree to 2⁻³³, or to a few roundings of `speed`, become one number. Being equal is transitive
/// on a grid, and a heap needs that; rounding to nearest keeps clear of simple numbers.
class TieGrid {
 public:
  explicit TieGrid(double speed);
  [[nodiscard]] double operator()(double approach) const;

 private:
  double shift_;
};

}  // namespace ricochet
