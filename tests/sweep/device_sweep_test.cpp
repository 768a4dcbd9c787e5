/// Sweeps on the CUDA device against the processor: the same statistics, bit for bit.

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "ricochet/batch/collide.hpp"
#include "ricochet/sweep/spec_toml.hpp"
#include "ricochet/sweep/sweep_json.hpp"

namespace ricochet::sweep {
namespace {

Sweep sweep_of(const std::string& text) {
  auto spec = read_sweep_toml(text);
  if (!spec) throw std::runtime_error(spec.error().error.message());
  return Sweep::make(*std::move(spec)).value();
}

const std::string ball = R"(
[base]
M = [[2, 0, 0], [0, 1.5, 0], [0, 0, 1.5]]
V = [-1, -1.4, 0.3]
n = [2, 0, 0]
e = 0.5
mu = 0.3
e_t = 0.2
)";
const std::string coupled = R"(
[base]
M = [[2, 0.7, 0.2], [0.7, 1.5, -0.3], [0.2, -0.3, 1.1]]
V = [-1, -1.4, 0.3]
n = [1, 0, 0]
e = 0.5
mu = 0.3
e_t = 0.2
)";

const std::vector<std::string> specs{
    // Matrix and n the same for all; normal velocities, some of which separate; some e out of range.
    R"([sweep]
law = ["frictionless", "chatterjee-ruina", "bilinear"]
sampling = "random"
count = 400001
[[axis]]
field = "e"
distribution = "normal"
mean = 0.5
deviation = 0.2
[[axis]]
field = "mu"
distribution = "log-uniform"
range = [0.01, 10]
[[axis]]
field = "V[1]"
distribution = "normal"
mean = -1
deviation = 0.7
)" + ball,
    // Matrices that are not all definite, and others that only eigenvalues judge.
    R"([sweep]
law = ["chatterjee-ruina", "brach"]
sampling = "sobol"
count = 300000
outputs = ["V_n", "P_t"]
[[axis]]
field = "M[1][2]"
range = [-1.9, 1.9]
[[axis]]
field = "M[3][3]"
distribution = "log-uniform"
range = [1e-14, 1]
[[axis]]
field = "n[2]"
range = [-1, 1]
[[axis]]
field = "mu_2"
range = [-0.1, 0.1]
[[axis]]
field = "mu_3"
range = [-0.1, 0.1]
)" + coupled,
    R"([sweep]
law = "chatterjee-ruina"
sampling = "grid"
outputs = ["P_n", "margins.friction", "energy_change"]
[[axis]]
field = "e"
range = [0, 1]
points = 101
[[axis]]
field = "mu"
values = [0, 0.5, inf]
[[axis]]
field = "V[2]"
distribution = "log-uniform"
range = [1e-6, 10]
points = 641
)" + coupled,
};

TEST(SweepOnDevice, HasTheBitsOfTheProcessor) {
  if (const auto there = cuda_device(); !there) GTEST_SKIP() << there.error().message();
  for (const std::string& text : specs) {
    const Sweep sweep = sweep_of(text);
    ASSERT_TRUE(sweep.check_device()) << sweep.check_device().error().message();
    Tree device, processor;
    std::uint64_t block = 0;
    for (BlockResult& result : sweep.evaluate(0, sweep.blocks(), 0))
      processor.add(block++, std::move(result.statistics));
    for (std::uint64_t first = 0; first < sweep.blocks();) {
      unsigned level = static_cast<unsigned>(std::bit_width(sweep.blocks() - first)) - 1;
      if (first > 0) level = std::min(level, static_cast<unsigned>(std::countr_zero(first)));
      auto result = sweep.evaluate_on_device(first, level);
      ASSERT_TRUE(result) << result.error().message();
      device.add(first, Tree::Node{level, *std::move(result)});
      first += std::uint64_t{1} << level;
    }
    const Statistics one = processor.total(sweep.nothing()), other = device.total(sweep.nothing());
    EXPECT_EQ(to_json(sweep, one).dump(1), to_json(sweep, other).dump(1));
    EXPECT_EQ(tree_json(processor).dump(1), tree_json(device).dump(1));
  }
}

TEST(SweepOnDevice, SaysWhatItDoesNotServe) {
  if (const auto there = cuda_device(); !there) GTEST_SKIP() << there.error().message();
  const Sweep routh = sweep_of(R"([sweep]
law = "routh"
count = 4
[[axis]]
field = "e"
range = [0, 1]
)" + ball);
  ASSERT_FALSE(routh.check_device());
  EXPECT_EQ(routh.check_device().error().value, "routh");
}

}  // namespace
}  // namespace ricochet::sweep
