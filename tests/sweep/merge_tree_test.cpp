#include "ricochet/sweep/merge_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "ricochet/sweep/statistics.hpp"

namespace ricochet::sweep {
namespace {

struct Drawn {
  std::vector<double> numbers;
  std::vector<Moments> blocks;
};

Drawn draw(std::size_t blocks) {
  std::mt19937_64 random(3);
  std::lognormal_distribution<double> wide(0, 3);
  Drawn out;
  for (std::size_t b = 0; b < blocks; ++b) {
    std::vector<double> x(50);
    std::vector<std::uint64_t> at(50);
    for (std::size_t i = 0; i < 50; ++i) {
      x[i] = 1000 + wide(random);
      at[i] = 50 * b + i;
    }
    out.numbers.insert(out.numbers.end(), x.begin(), x.end());
    out.blocks.push_back(moments(x, at));
  }
  return out;
}

TEST(MergeTree, AnyOrderAndAnySplit_GiveTheSameBits) {
  const std::size_t blocks = 77;
  const Drawn drawn = draw(blocks);
  MergeTree<Moments> forward;
  for (std::size_t b = 0; b < blocks; ++b) forward.add(b, drawn.blocks[b]);
  const Moments expected = forward.total({});
  std::mt19937_64 random(5);
  bool other_orders_differ = false;
  for (int turn = 0; turn < 50; ++turn) {
    std::vector<std::size_t> order(blocks);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    MergeTree<Moments> tree;
    Moments plain;
    for (const std::size_t b : order) {
      tree.add(b, drawn.blocks[b]);
      plain.merge(drawn.blocks[b]);
    }
    // Two parts, merged apart and then together.
    const std::uint64_t cut = random() % blocks;
    MergeTree<Moments> left, right;
    for (std::uint64_t b = 0; b < blocks; ++b) (b < cut ? left : right).add(b, drawn.blocks[b]);
    EXPECT_TRUE(left.covers(0, cut));
    EXPECT_TRUE(right.covers(cut, blocks));
    for (const auto& [first, node] : right.nodes()) left.add(first, node);
    for (const MergeTree<Moments>* one : {&tree, &left}) {
      EXPECT_TRUE(one->covers(0, blocks));
      const Moments found = one->total({});
      EXPECT_EQ(found.mean, expected.mean);
      EXPECT_EQ(found.squares, expected.squares);
      EXPECT_EQ(found.least_at, expected.least_at);
      EXPECT_EQ(found.greatest_at, expected.greatest_at);
    }
    other_orders_differ |= plain.squares != expected.squares || plain.mean != expected.mean;
  }
  EXPECT_TRUE(other_orders_differ) << "the numbers are too tame to tell orders apart";
  EXPECT_LE(forward.nodes().size(), 7U);
}

TEST(MergeTree, MeanAndVariance_AreThoseOfAllNumbersInExtendedPrecision) {
  const Drawn drawn = draw(64);
  MergeTree<Moments> tree;
  for (std::size_t b = 0; b < 64; ++b) tree.add(b, drawn.blocks[b]);
  const Moments found = tree.total({});
  long double sum = 0, squares = 0;
  for (const double x : drawn.numbers) sum += x;
  const long double mean = sum / static_cast<long double>(drawn.numbers.size());
  for (const double x : drawn.numbers) squares += (x - mean) * (x - mean);
  EXPECT_EQ(found.count, drawn.numbers.size());
  EXPECT_NEAR(found.mean / static_cast<double>(mean), 1, 1e-15);
  EXPECT_NEAR(found.squares / static_cast<double>(squares), 1, 1e-14);
  EXPECT_EQ(found.least, *std::min_element(drawn.numbers.begin(), drawn.numbers.end()));
  EXPECT_EQ(drawn.numbers[found.greatest_at], *std::max_element(drawn.numbers.begin(), drawn.numbers.end()));
}

TEST(MergeTree, AGapIsNoCover) {
  MergeTree<Moments> tree;
  tree.add(0, Moments{});
  tree.add(2, Moments{});
  EXPECT_FALSE(tree.covers(0, 3));
  tree.add(1, Moments{});
  EXPECT_TRUE(tree.covers(0, 3));
  EXPECT_FALSE(tree.covers(0, 4));
}

TEST(Statistics, EqualNumbers_HaveNoVariance_AndInfiniteOnesAreCountedApart) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> x{0.1, 0.1, inf, 0.1, nan};
  const std::vector<std::uint64_t> at{0, 1, 2, 3, 4};
  const Moments m = moments(x, at);
  EXPECT_EQ(m.count, 3U);
  EXPECT_EQ(m.infinite, 1U);
  EXPECT_EQ(m.mean, 0.1);
  EXPECT_EQ(m.variance(), 0);
}

TEST(Statistics, AHistogramCountsItsUpperEnd_AndWhatIsOutside) {
  const Bins bins{0, 1, 4};
  Histogram h;
  h.counts.resize(4);
  for (const double x : {-0.1, 0.0, 0.25, 0.4999, 0.75, 1.0, 1.0000001}) h.add(bins, x);
  EXPECT_EQ(h.below, 1U);
  EXPECT_EQ(h.above, 1U);
  EXPECT_EQ(h.counts, (std::vector<std::uint64_t>{1, 2, 0, 2}));
}

}  // namespace
}  // namespace ricochet::sweep
