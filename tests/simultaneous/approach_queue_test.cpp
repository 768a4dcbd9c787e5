#include "ricochet/simultaneous/approach_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "random_contact.hpp"

namespace ricochet {
namespace {

using namespace testing;

/// Against a plain search through all entries.
TEST(ApproachQueue, AnyChanges_TheTopIsTheFastestThenTheHighestRankThenTheFirst) {
  Rng rng(9);
  for (int trial = 0; trial < 50; ++trial) {
    const std::uint32_t n = 1 + static_cast<std::uint32_t>(rng() % 40);
    ApproachQueue queue(n);
    std::map<std::uint32_t, std::pair<double, std::uint64_t>> all;
    for (int step = 0; step < 400; ++step) {
      const auto i = static_cast<std::uint32_t>(rng() % n);
      if (chance(rng, 0.3)) {
        queue.remove(i);
        all.erase(i);
      } else {
        const auto key = static_cast<double>(rng() % 6);
        const std::uint64_t rank = rng() % 3;
        queue.set(i, key, rank);
        all[i] = {key, rank};
      }
      ASSERT_EQ(queue.size(), all.size());
      ASSERT_EQ(queue.contains(i), all.contains(i));
      if (all.empty()) continue;
      const auto best = std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return std::tuple(a.second, -static_cast<long>(a.first)) < std::tuple(b.second, -static_cast<long>(b.first));
      });
      ASSERT_EQ(queue.top(), best->first);
      ASSERT_EQ(queue.key(best->first), best->second.first);
    }
  }
}

}  // namespace
}  // namespace ricochet
