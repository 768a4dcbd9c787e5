#include "ricochet/fit/contact_offset.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ricochet/contact/between.hpp"
#include "ricochet/fit/fit_law.hpp"
#include "ricochet/fit/rank_laws.hpp"

namespace ricochet {
namespace {

struct OffsetData {
  std::vector<ReducedImpact> rows;  ///< reduced with the stated point
  std::vector<Vec3> offsets;        ///< of the point that was struck
};

/// Impacts of a small body by a law, struck off the stated point by a normal offset of this deviation along the ground.
OffsetData offset_impacts(const Law& law, std::size_t count, double deviation, double noise, std::uint64_t seed,
                          bool planar = true) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-1, 1);
  constexpr double gyration = 0.02;
  OffsetData out;
  while (out.rows.size() < count) {
    MeasuredImpact impact;
    impact.planar = planar;
    impact.body.mass = 0.05;
    impact.body.inertia = Mat3::Identity() * 0.05 * gyration * gyration;
    const auto vector = [&](double along, double up) {
      const double x = along * uniform(random), across = planar ? 0 : along * uniform(random);
      return planar ? Vec3(x, up, 0) : Vec3(x, across, up);
    };
    const auto noisy = [&](double size) {
      const double x = size * normal(random), y = size * normal(random), z = planar ? 0 : size * normal(random);
      return Vec3(x, y, z);
    };
    impact.n = planar ? Vec3::UnitY() : Vec3::UnitZ();
    impact.arm = vector(0.012, -0.02);
    impact.body.velocity = vector(1.5, -1.5 + 0.5 * uniform(random));
    impact.body.angular_velocity = planar ? Vec3(0, 0, 15 * uniform(random)) : vector(15, 15 * uniform(random));
    const double x = deviation * normal(random), y = planar ? 0 : deviation * normal(random);
    const Vec3 offset(x, y, 0);
    RigidBody ground;
    ground.fixed = true;
    const auto struck = contact_between(ground, impact.body, impact.arm + offset, impact.n);
    if (!struck || struck->approach_speed() <= 0.1) continue;
    const auto hit = collide(law, *struck);
    if (!hit) continue;
    const auto after = apply_impulse(impact.body, impact.arm + offset, hit->P);
    impact.velocity = after->velocity + noisy(noise);
    const Vec3 spin = noisy(noise / gyration);
    impact.angular_velocity = after->angular_velocity + (planar ? Vec3(0, 0, spin.x()) : spin);
    const auto row = reduce(impact, {.unbalanced = 1e9});
    if (!row || row->separates_before) continue;
    out.rows.push_back(*row);
    out.offsets.push_back(offset);
  }
  return out;
}

const EstimatedParameter& parameter(const LawFit& fit, const std::string& name) {
  for (const EstimatedParameter& p : fit.parameters)
    if (p.name == name) return p;
  throw std::runtime_error("no parameter " + name);
}

TEST(ContactOffset, AShiftedContactPointIsFoundFromTheAngularMomentumItLeaves) {
  MeasuredImpact impact;
  impact.body.mass = 1;
  impact.body.inertia = Mat3::Identity() * 0.01;
  impact.body.velocity = {0.5, 0, -2};
  const Vec3 P(-0.2, 0.1, 3), shift(0.004, -0.003, 0);
  impact.arm = Vec3(0.02, 0, -0.1);
  const auto after = apply_impulse(impact.body, impact.arm + shift, P);
  impact.velocity = after->velocity;
  impact.angular_velocity = after->angular_velocity;
  EXPECT_NEAR((contact_offset(impact, 1, 1e-6) - shift).norm(), 0, 1e-6);  // a loose prior
  EXPECT_LT(contact_offset(impact, 1e-6, 1).norm(), 1e-8);                 // a tight one
}

/// q at z deviations along the ground, by a way of its own: a moved impact, reduced anew.
double square_at(const Law& law, const ReducedImpact& row, const OffsetPrior& prior, double z) {
  MeasuredImpact moved = row.measured;
  moved.arm.x() += prior.deviation * z;
  const auto reduced = reduce(moved, {.unbalanced = 1e9});
  const auto hit = reduced ? collide(law, reduced->contact) : Expected<Outcome>(tl::unexpected(Error{}));
  if (!hit) return std::numeric_limits<double>::infinity();
  return std::pow(reduced->error_of(hit->P), 2) + std::pow(prior.noise * z, 2);
}

TEST(ContactOffset, NoOtherOffsetIsMoreProbable) {
  const Law law = Smith{.e = 0.5, .mu = 0.3};
  const OffsetPrior prior{.deviation = 0.002, .noise = 0.01};
  int moved = 0;
  for (const ReducedImpact& row : offset_impacts(law, 60, 0.002, 0.02, 1).rows) {
    const OffsetRow found = offset_row(law, row, prior);
    double least = std::numeric_limits<double>::infinity();
    for (int i = -400; i <= 400; ++i) least = std::min(least, square_at(law, row, prior, 1e-2 * i));
    const double q = found.residual.squaredNorm();
    EXPECT_NEAR(q, square_at(law, row, prior, found.offset.x() / prior.deviation), 1e-9 + 1e-9 * q);
    EXPECT_LT(q, least * (1 + 1e-3) + 1e-9);
    moved += std::abs(found.offset.x()) > 0.5 * prior.deviation ? 1 : 0;
  }
  EXPECT_GT(moved, 20);
}

TEST(ContactOffset, AKnownPointIsTheRowAsStated) {
  const Law law = Smith{.e = 0.5, .mu = 0.3};
  for (const ReducedImpact& row : offset_impacts(law, 10, 0.002, 0.02, 2).rows) {
    const OffsetRow at = offset_row(law, row, {});
    EXPECT_EQ(at.offset.norm(), 0);
    EXPECT_DOUBLE_EQ(at.error(), row.error_of(collide(law, row.contact)->P));
  }
}

TEST(ContactOffset, ParametersAndOffsetsComeBackWhereAFitAtTheStatedPointIsBiased) {
  const Law law = Smith{.e = 0.5, .mu = 0.25};
  constexpr double deviation = 0.003;
  constexpr int repeats = 100;
  int inside_e = 0, inside_mu = 0;
  double bias = 0, plain_bias = 0, plain_square = 0, missed = 0, all = 0;
  FitOptions options;
  options.offset = deviation;
  for (int k = 0; k < repeats; ++k) {
    const OffsetData data = offset_impacts(law, 40, deviation, 0.01, 1000 + static_cast<std::uint64_t>(k));
    const auto fit = fit_law("smith", data.rows, options), plain = fit_law("smith", data.rows);
    ASSERT_TRUE(fit && plain);
    const auto &e = parameter(*fit, "e"), &mu = parameter(*fit, "mu");
    inside_e += e.low <= 0.5 && 0.5 <= e.high ? 1 : 0;
    inside_mu += mu.low <= 0.25 && 0.25 <= mu.high ? 1 : 0;
    bias += (e.value - 0.5) / repeats;
    const double off = parameter(*plain, "e").value - 0.5;
    plain_bias += off / repeats;
    plain_square += off * off / repeats;
    ASSERT_EQ(fit->at_offset.size(), data.rows.size());
    for (std::size_t i = 0; i < data.rows.size(); ++i) {
      missed += (fit->at_offset[i].offset - data.offsets[i]).squaredNorm();
      all += data.offsets[i].squaredNorm();
    }
  }
  // 95 % of 100, four deviations of the binomial below.
  EXPECT_GE(inside_e, 87);
  EXPECT_GE(inside_mu, 87);
  EXPECT_LT(inside_e + inside_mu, 2 * repeats);
  EXPECT_LT(std::sqrt(missed / all), 0.1);
  // At the stated point e is off by more than eight deviations of its mean; at the offsets by less than an eighth of
  // that.
  EXPECT_GT(std::abs(plain_bias), 8 * std::sqrt((plain_square - plain_bias * plain_bias) / repeats));
  EXPECT_LT(std::abs(bias), std::abs(plain_bias) / 8);
}

TEST(ContactOffset, TwoDirectionsAreFoundInSpaceAmongOutliers) {
  const Law law = Smith{.e = 0.5, .mu = 0.25};
  OffsetData data = offset_impacts(law, 60, 0.002, 0.005, 7, false);
  for (std::size_t i = 0; i < 6; ++i) data.rows[10 * i].b *= -1;
  FitOptions options;
  options.offset = 0.002;
  const auto fit = fit_law("smith", data.rows, options);
  ASSERT_TRUE(fit) << fit.error().message();
  EXPECT_NEAR(parameter(*fit, "e").value, 0.5, 4 * parameter(*fit, "e").deviation);
  EXPECT_NEAR(parameter(*fit, "mu").value, 0.25, 4 * parameter(*fit, "mu").deviation);
  EXPECT_LT(parameter(*fit, "e").deviation, 0.01);
  double missed = 0, all = 0;
  for (std::size_t i = 0; i < data.rows.size(); ++i) {
    if (i % 10 == 0) continue;
    EXPECT_EQ(fit->at_offset[i].offset.z(), 0);
    missed += (fit->at_offset[i].offset - data.offsets[i]).squaredNorm();
    all += data.offsets[i].squaredNorm();
  }
  EXPECT_LT(std::sqrt(missed / all), 0.3);
  // The noise is 0.005 m/s, relative to the speeds of the rows.
  std::vector<double> speeds;
  for (const ReducedImpact& row : data.rows) speeds.push_back(row.speed);
  EXPECT_NEAR(fit->prior.noise * quantile(speeds, 0.5) / 0.005, 1, 0.4);
}

TEST(ContactOffset, RefusesADeviationThatIsNone) {
  const auto data = offset_impacts(Smith{.e = 0.5, .mu = 0.25}, 10, 0.002, 0.005, 8);
  FitOptions options;
  options.offset = -1;
  EXPECT_EQ(fit_law("smith", data.rows, options).error().path, "offset");
}

}  // namespace
}  // namespace ricochet
