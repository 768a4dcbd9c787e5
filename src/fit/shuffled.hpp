#pragma once
/// 0 to count − 1 in an order that a seed fixes.

#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace ricochet {

[[nodiscard]] inline std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  // Not std::shuffle, whose order depends on the library.
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

}  // namespace ricochet
