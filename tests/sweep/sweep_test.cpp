#include "ricochet/sweep/sweep.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "ricochet/io/collision_toml.hpp"
#include "ricochet/sweep/outputs.hpp"
#include "ricochet/sweep/spec_toml.hpp"
#include "ricochet/sweep/sweep_json.hpp"

namespace ricochet::sweep {
namespace {

Sweep sweep_of(const std::string& text) {
  auto spec = read_sweep_toml(text);
  if (!spec) throw std::runtime_error(spec.error().error.message());
  return Sweep::make(*std::move(spec)).value();
}

const std::string contact = R"(
[base]
M = [[2, 0.7, 0.2], [0.7, 1.5, -0.3], [0.2, -0.3, 1.1]]
V = [-1, -1.4, 0.3]
n = [1, 0, 0]
spin = [0, 3, 1]
e = 0.5
mu = 0.3
)";

/// Rows as maps from the name of a column.
double number(const Sweep& sweep, const BlockResult& result, std::size_t row, const std::string& column) {
  const auto names = sweep.column_names();
  const auto place = std::find(names.begin(), names.end(), column);
  EXPECT_NE(place, names.end()) << column;
  return result.rows.at(row * names.size() + static_cast<std::size_t>(place - names.begin()));
}

/// Every answer of the first block is the one that `collide` gives for a document with the numbers of its row.
void expect_answers_of_documents(const Sweep& sweep, const std::function<std::string(std::size_t row)>& document,
                                 const BlockResult& result, std::size_t step) {
  for (std::size_t row = 0; row < sweep.spec().count; row += step) {
    const auto collision = read_toml(document(row));
    ASSERT_TRUE(collision) << collision.error().error.message();
    for (const std::string& name : sweep.spec().laws) {
      const auto expected = collide(make_law(name, collision->settings).value(), collision->contact);
      const auto found = [&](const char* output) { return number(sweep, result, row, name + "/" + output); };
      if (!expected) {
        EXPECT_EQ(found("status"), static_cast<double>(expected.error().code) + 1) << name << row;
        EXPECT_TRUE(std::isnan(found("P[1]")));
        continue;
      }
      EXPECT_EQ(found("status"), 0) << name << row;
      for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(found(fmt::format("P[{}]", k + 1).c_str()), expected->P(k)) << name << row;
        EXPECT_EQ(found(fmt::format("V[{}]", k + 1).c_str()), expected->V(k)) << name << row;
      }
      EXPECT_EQ(found("energy_change"), expected->energy_change);
      EXPECT_EQ(found("margins.friction"), expected->certificate.margins.friction);
      EXPECT_EQ(found("mode"), static_cast<double>(expected->mode));
      EXPECT_EQ(found("permissible"), expected->certificate.permissible ? 1 : 0);
      EXPECT_NEAR(found("V_n"), collision->contact.n.dot(expected->V), 1e-14);
    }
  }
}

TEST(Sweep, RowsOfAMatrix_AreTheAnswersOfCollide_BitForBit) {
  const Sweep sweep = sweep_of(R"(
[sweep]
law = ["chatterjee-ruina", "routh", "graded-region"]
sampling = "random"
count = 300
columns = "csv"
[[axis]]
field = "e"
range = [0, 1]
[[axis]]
field = "V[2]"
distribution = "normal"
mean = 0
deviation = 1
[[axis]]
field = "M[1][2]"
range = [-0.9, 0.9]
[[axis]]
field = "spin[2]"
range = [-50, 50]
)" + contact);
  const BlockResult result = sweep.evaluate(0);
  expect_answers_of_documents(
      sweep,
      [&](std::size_t row) {
        const auto x = [&](const char* field) { return number(sweep, result, row, std::string("input/") + field); };
        const double m = x("M[1][2]");
        return fmt::format(
            "M = [[2, {}, 0.2], [{}, 1.5, -0.3], [0.2, -0.3, 1.1]]\nV = [-1, {}, 0.3]\nn = [1, 0, 0]\n"
            "spin = [0, {}, 1]\ne = {}\nmu = 0.3\n",
            m, m, x("V[2]"), x("spin[2]"), x("e"));
      },
      result, 7);
}

TEST(Sweep, RowsOfBodies_AreTheAnswersOfCollide_AndBadBodiesAreRefused) {
  const Sweep sweep = sweep_of(R"(
[sweep]
law = ["frictionless", "chatterjee-ruina", "smith"]
sampling = "sobol"
count = 200
columns = "csv"
[base]
point = [0, 0, 0]
n = [0, 0, 1]
e = 0.6
mu = 0.2
e_t = 0
[[base.body]]
fixed = true
[[base.body]]
mass = 1
inertia = [0.1, 0.12, 0.14]
position = [0.1, 0.05, 0.2]
velocity = [1, 0, -2]
[[axis]]
field = "body[2].mass"
range = [0.5, 2]
[[axis]]
field = "body[2].inertia[3]"
range = [0.1, 0.3]
[[axis]]
field = "body[2].angular_velocity[1]"
range = [-5, 5]
)");
  const BlockResult result = sweep.evaluate(0);
  std::size_t impossible = 0;
  for (std::size_t row = 0; row < 200; ++row)
    impossible += number(sweep, result, row, "input/body[2].inertia[3]") > 0.22 ? 1 : 0;
  for (const LawStatistics& law : result.statistics.laws) {
    EXPECT_EQ(law.answered, 200 - impossible);
    std::uint64_t refused = 0;
    for (const std::uint64_t n : law.refused) refused += n;
    EXPECT_EQ(refused, impossible);
  }
  EXPECT_GT(impossible, 50U);
  for (std::size_t row = 0; row < 200; row += 3) {
    const auto x = [&](const char* field) { return number(sweep, result, row, std::string("input/") + field); };
    if (x("body[2].inertia[3]") > 0.22) continue;
    const auto collision = read_toml(
        fmt::format("point = [0, 0, 0]\nn = [0, 0, 1]\ne = 0.6\nmu = 0.2\n[[body]]\nfixed = true\n[[body]]\nmass = {}\n"
                    "inertia = [0.1, 0.12, {}]\nposition = [0.1, 0.05, 0.2]\nvelocity = [1, 0, -2]\nangular_velocity = "
                    "[{}, 0, 0]\n",
                    x("body[2].mass"), x("body[2].inertia[3]"), x("body[2].angular_velocity[1]")));
    ASSERT_TRUE(collision);
    for (const char* name : {"frictionless", "chatterjee-ruina", "smith"}) {
      const auto expected = collide(make_law(name, collision->settings).value(), collision->contact).value();
      EXPECT_EQ(number(sweep, result, row, std::string(name) + "/P[3]"), expected.P(2));
    }
  }
}

/// V_n⁺ = e v for independent e and v has a variance of σ_e² v̄² + ē² σ_v² + σ_e² σ_v².
TEST(Sweep, SensitivityOfAFrictionlessRebound_IsThatOfAProduct) {
  for (const char* sampling : {"sobol", "random"}) {
    const Sweep sweep = sweep_of(fmt::format(R"(
[sweep]
law = "frictionless"
sampling = "{}"
count = 16384
indices = true
outputs = ["V_n", "P_t"]
[base]
M = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
V = [0, 0.5, -1]
n = [0, 0, 1]
[[axis]]
field = "e"
range = [0, 1]
[[axis]]
field = "V[3]"
range = [-3, -1]
[[axis]]
field = "V[1]"
range = [-1, 1]
)",
                                             sampling));
    MergeTree<Statistics> tree;
    for (std::uint64_t b = 0; b < sweep.blocks(); ++b) tree.add(b, sweep.evaluate(b).statistics);
    const Statistics total = tree.total(sweep.nothing());
    const double var_e = 1.0 / 12, var_v = 4.0 / 12, both = var_e * var_v;
    const double by_e = var_e * 4, by_v = 0.25 * var_v, variance = by_e + by_v + both;
    const OutputStatistics& rebound = total.laws[0].outputs[0];
    const bool quasi = std::string(sampling) == "sobol";
    EXPECT_NEAR(rebound.moments.mean, 1, quasi ? 1e-4 : 0.02);
    EXPECT_NEAR(rebound.moments.variance(), variance, quasi ? 1e-3 : 0.02);
    const double expected[][2] = {
        {by_e / variance, (by_e + both) / variance}, {by_v / variance, (by_v + both) / variance}, {0, 0}};
    for (std::size_t a = 0; a < 3; ++a) {
      const SensitivityIndex index = sensitivity_index(rebound.indices, a);
      // Four standard errors of independent samples; Sobol's are much nearer.
      EXPECT_NEAR(index.first, expected[a][0], quasi ? 2e-3 : 4 * index.first_error + 0.02) << sampling << a;
      EXPECT_NEAR(index.total, expected[a][1], quasi ? 2e-3 : 4 * index.total_error + 0.02) << sampling << a;
    }
    EXPECT_EQ(rebound.moments.count, 2 * 16384U);
    EXPECT_TRUE(std::isnan(sensitivity_index(total.laws[0].outputs[1].indices, 0).first)) << "P_t is zero";
  }
}

TEST(Sweep, AGridHasEveryCombinationOnce) {
  const Sweep sweep = sweep_of(R"(
[sweep]
law = "chatterjee-ruina"
sampling = "grid"
columns = "csv"
[[axis]]
field = "e"
range = [0, 1]
points = 3
[[axis]]
field = "mu"
values = [0, 0.5, inf]
)" + contact);
  ASSERT_EQ(sweep.spec().count, 9U);
  const BlockResult result = sweep.evaluate(0);
  for (std::size_t row = 0; row < 9; ++row) {
    EXPECT_EQ(number(sweep, result, row, "input/e"), 0.5 * static_cast<double>(row / 3));
    const double mu = number(sweep, result, row, "input/mu");
    EXPECT_EQ(mu, row % 3 == 2 ? std::numeric_limits<double>::infinity() : 0.5 * static_cast<double>(row % 3));
  }
  EXPECT_EQ(result.statistics.laws[0].answered, 9U);
}

TEST(Sweep, KeptStatistics_ReadBackTheSame) {
  const Sweep sweep = sweep_of(R"(
[sweep]
law = ["chatterjee-ruina", "whittaker"]
sampling = "random"
count = 3000
indices = true
[[axis]]
field = "e"
range = [0, 1]
[[axis]]
field = "mu"
values = [0.1, inf]
)" + contact);
  Tree tree;
  for (std::uint64_t b = 0; b < sweep.blocks(); ++b) tree.add(b, sweep.evaluate(b).statistics);
  const std::string text = tree_json(tree).dump();
  const auto again = tree_from_json(sweep, Json::parse(text));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(tree_json(*again).dump(), text);
  EXPECT_FALSE(tree_from_json(sweep, Json::parse("[{\"first\":0}]")));
  EXPECT_FALSE(tree_from_json(sweep, Json::parse("3")));
}

}  // namespace
}  // namespace ricochet::sweep
