#include "ricochet/sweep/spec_toml.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

namespace ricochet::sweep {
namespace {

const std::string good = R"(title = "t"
[sweep]
law = ["chatterjee-ruina", "routh"]
sampling = "sobol"
count = 1000
seed = 3
indices = true
outputs = ["V_n", "P[1]"]
columns = "csv"
bins = 20
[base]
M = [[2, 0.7, 0.2], [0.7, 1.5, -0.3], [0.2, -0.3, 1.1]]
V = [-1, -1.4, 0.3]
n = [1, 0, 0]
mu = 0.3
[[axis]]
field = "e"
range = [0, 1]
[[axis]]
field = "V[1]"
distribution = "normal"
mean = -1
deviation = 0.1
[[axis]]
field = "mu"
values = [0.1, 0.3, inf]
[[histogram]]
output = "V_n"
range = [0, 1]
bins = 5
)";

TEST(SweepToml, EveryKeyIsRead) {
  const auto spec = read_sweep_toml(good);
  ASSERT_TRUE(spec) << spec.error().error.message();
  EXPECT_EQ(spec->laws.size(), 2U);
  EXPECT_EQ(spec->sampling, Sampling::sobol);
  EXPECT_EQ(spec->count, 1000U);
  EXPECT_EQ(spec->seed, 3U);
  EXPECT_TRUE(spec->indices);
  EXPECT_EQ(spec->columns, ColumnFormat::csv);
  ASSERT_EQ(spec->axes.size(), 3U);
  EXPECT_EQ(spec->axes[1].distribution.kind, DistributionKind::normal);
  EXPECT_EQ(spec->axes[1].distribution.deviation, 0.1);
  EXPECT_EQ(spec->axes[2].distribution.values.size(), 3U);
  ASSERT_EQ(spec->histograms.size(), 2U);
  EXPECT_EQ(spec->histograms[0].bins, 5U);
  EXPECT_EQ(spec->histograms[0].range->second, 1);
  EXPECT_EQ(spec->histograms[1].bins, 20U);
  EXPECT_FALSE(spec->histograms[1].range);
}

TEST(SweepToml, MutilatedSpecs_AreReadOrRefusedWithAMessage) {
  std::mt19937_64 random(11);
  const std::array<std::string, 12> pieces{"[",  "]",     "[[", "\"", "=",  "nan",
                                           "-1", "1e400", "[]", "{}", "\n", "99999999999999999999"};
  std::size_t read = 0, refused = 0;
  for (int turn = 0; turn < 5000; ++turn) {
    std::string text = good;
    for (std::uint64_t k = 0; k <= random() % 3; ++k) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0: text[at] = static_cast<char>(random() % 256); break;
        case 1: text.erase(at, 1 + random() % 20); break;
        default: text.insert(at, pieces[random() % pieces.size()]);
      }
      if (text.empty()) text = "x";
    }
    const auto spec = read_sweep_toml(text);
    if (spec) {
      ++read;
      EXPECT_GT(spec->count, 0U);
      EXPECT_FALSE(spec->axes.empty());
    } else {
      ++refused;
      EXPECT_FALSE(spec.error().error.message().empty());
    }
  }
  EXPECT_GT(read, 0U);
  EXPECT_GT(refused, 1000U);
}

}  // namespace
}  // namespace ricochet::sweep
