/// Derivatives of the spring-sledge contact against differences in extended precision.
#include "derivative_differences.hpp"
#include "ricochet/law/graded_sledge_kernel.hpp"

namespace ricochet::testing {
namespace {

using compliant::Damper;

/// The last slip of a contact may be shorter than 1e-5 of it, and steps must be shorter than that takes to vanish.
DifferenceChecks sledge_checks(int contacts) { return {.contacts = contacts, .step = 0x1p-12L, .least_share = 0.3}; }

class SledgeDerivatives : public ::testing::TestWithParam<Damper> {
 protected:
  static SpringSledge some(Rng& rng) {
    return {.kappa = short_uniform(rng, 0.3, 2),
            .mu = short_uniform(rng, 0.1, 0.8),
            .e = short_uniform(rng, 0.3, 0.9),
            .damper = GetParam()};
  }
  static std::vector<MovableParameter<SpringSledge>> parameters() {
    return {{"kappa", &SpringSledge::kappa}, {"mu", &SpringSledge::mu}, {"e", &SpringSledge::e}};
  }
};

TEST_P(SledgeDerivatives, InSpace_AgreeWithDifferences) {
  expect_exact_derivatives<SpringSledge>(some, smooth_contact, parameters(), sledge_checks(2), ByKernelWithEvents{},
                                         KernelWithEvents<double>{});
}

TEST_P(SledgeDerivatives, InAPlane_AgreeWithDifferencesOutOfThePlane) {
  expect_exact_derivatives<SpringSledge>(some, smooth_planar_contact, parameters(), sledge_checks(2),
                                         ByKernelWithEvents{}, KernelWithEvents<double>{});
}

INSTANTIATE_TEST_SUITE_P(Dampers, SledgeDerivatives,
                         ::testing::Values(Damper::hysteretic, Damper::linear, Damper::hunt_crossley));

// Much friction on a soft spring: the last slip does not turn into the velocity before the contact ends, and all that
// the end moves shows in the direction. One of these contacts begins to slip right beside the end of compression, and
// longer steps of the differences would exchange the two.
TEST(SledgeDerivativesOfSlip, ThatEndsAcrossTheVelocity_AgreeWithDifferences) {
  const auto some = [](Rng& rng) {
    return SpringSledge{
        .kappa = short_uniform(rng, 0.3, 3), .mu = short_uniform(rng, 1, 3), .e = short_uniform(rng, 0.2, 0.6)};
  };
  expect_exact_derivatives<SpringSledge>(
      some, smooth_contact, {{"kappa", &SpringSledge::kappa}, {"mu", &SpringSledge::mu}, {"e", &SpringSledge::e}},
      sledge_checks(24), ByKernelWithEvents{}, KernelWithEvents<double>{});
}

// The order of events changes where P has a first derivative and no second one: from both sides the derivatives come to
// the same.
TEST(SledgeDerivativesOfSlip, ThatBeginsAtTheEndOfCompression_AreContinuous) {
  Rng rng(11);
  int crossed = 0;
  for (int i = 0; i < 400 && crossed < 2; ++i) {
    const SpringSledge law{.kappa = uniform(rng, 0.3, 3), .mu = uniform(rng, 1, 3), .e = uniform(rng, 0.2, 0.6)};
    const Contact c = smooth_contact(rng);
    const Vec3 way = 0.2 * c.V.norm() * random_unit(rng);
    const auto order = [&](double x) {
      Contact moved = c;
      moved.V += x * way;
      std::vector<Event> events;
      const auto outcome = collide(law, moved);
      for (const auto& point : outcome->path) events.push_back(point.event);
      return events;
    };
    const std::vector<Event> early{Event::start, Event::slip_resumes, Event::compression_ends, Event::end};
    const std::vector<Event> late{Event::start, Event::compression_ends, Event::slip_resumes, Event::end};
    const bool forth = order(0) == early && order(1) == late, back = order(0) == late && order(1) == early;
    if (!forth && !back) continue;
    double low = 0, high = 1;
    for (int k = 0; k < 45; ++k) {
      const double middle = (low + high) / 2;
      Contact moved = c;
      moved.V += middle * way;
      EXPECT_LT(solve(law, localize<double>(moved)).evaluations, 10'000) << i << ", " << k;
      (order(middle) == order(0) ? low : high) = middle;
    }
    const auto at = [&](double x) {
      Contact moved = c;
      moved.V += x * way;
      return collide_with_derivatives(law, moved);
    };
    // The jump becomes less in proportion to the distance, or faster.
    double jump[2] = {0, 0};
    bool fine = true;
    for (const int k : {0, 1}) {
      const double away = k == 0 ? 1e-4 : 1e-6;
      const auto before = at(low - away), after = at(high + away);
      fine = fine && before && after && before->kink.empty() && after->kink.empty() && order(low - away) == order(0) &&
             order(high + away) == order(1);
      if (!fine) break;
      const auto &one = before->derivatives.jacobian, &other = after->derivatives.jacobian;
      jump[k] = (other - one).leftCols<15>().norm() / one.leftCols<15>().norm();
    }
    if (!fine) continue;
    ++crossed;
    EXPECT_LT(jump[0], 0.02) << i;
    EXPECT_LT(jump[1], 0.02 * jump[0] + 1e-9) << i;
  }
  EXPECT_EQ(crossed, 2);
}

// The same contact by the closed forms of the plane and by the run in space, which sees it turned out of its plane by
// rounding: stiff and soft springs, long slip and short.
TEST(SledgeDerivativesInAPlane, AreThoseOfSpace) {
  Rng rng(31);
  int compared = 0;
  for (int i = 0; i < 120; ++i) {
    const SpringSledge law{
        .kappa = log_uniform(rng, -2, 2), .mu = log_uniform(rng, -2, 0.7), .e = uniform(rng, 0.05, 0.95)};
    const double c = log_uniform(rng, -0.5, 0.5), b = uniform(rng, -0.9, 0.9) * std::sqrt(c);
    Mat3 W;
    W << 1, b, 0, b, c, 0, 0, 0, log_uniform(rng, -0.5, 0.5);
    const Vec3 V(-1, log_uniform(rng, -2, 1), 0), n = Vec3::UnitX();
    Mat3 W_off = W;
    W_off(1, 2) = W_off(2, 1) = W_off(0, 2) = W_off(2, 0) = 1e-11;
    const auto flat = collide_with_derivatives(law, *contact_from_mobility(W, V, n));
    const auto off = collide_with_derivatives(law, *contact_from_mobility(W_off, V, n));
    ASSERT_TRUE(flat && off) << i;
    const Derivatives& d = flat->derivatives;
    if (!flat->kink.empty() || std::abs(d.nearest()->distance) < 0.02 || once_differentiable(d)) continue;
    ++compared;
    const auto by = d.jacobian.topRows<3>(), other = off->derivatives.jacobian.topRows<3>();
    for (int j = 0; j < 9; ++j)
      EXPECT_LT((by.col(j) - other.col(j)).norm(), 1e-7 * by.leftCols<9>().norm()) << i << " " << j;
  }
  EXPECT_GT(compared, 60);
}

TEST(GradedSledgeDerivatives, AgreeWithDifferences) {
  const auto some = [](Rng& rng) {
    return GradedSledge{.kappa = short_uniform(rng, 0.3, 2),
                        .mu = short_uniform(rng, 0.3, 0.6),
                        .mu_v = short_uniform(rng, -0.1, 0.1),
                        .mu_i = short_uniform(rng, -0.2, 0.2),
                        .e = short_uniform(rng, 0.4, 0.6),
                        .e_v = short_uniform(rng, -0.1, 0.1),
                        .e_i = short_uniform(rng, -0.1, 0.1)};
  };
  expect_exact_derivatives<GradedSledge>(some, smooth_contact,
                                         {{"kappa", &GradedSledge::kappa},
                                          {"mu", &GradedSledge::mu},
                                          {"mu_v", &GradedSledge::mu_v},
                                          {"mu_i", &GradedSledge::mu_i},
                                          {"e", &GradedSledge::e},
                                          {"e_v", &GradedSledge::e_v},
                                          {"e_i", &GradedSledge::e_i}},
                                         sledge_checks(3), ByKernelWithEvents{}, KernelWithEvents<double>{});
}

// Friction that would be negative is none, and a small change leaves it so.
TEST(GradedSledgeDerivatives, BeyondTheLimits_AreThoseOfTheFrictionlessLaw) {
  Rng rng(6);
  for (int i = 0; i < 6; ++i) {
    const Contact c = smooth_contact(rng);
    const double e = uniform(rng, 0.2, 0.9);
    const auto graded = collide_with_derivatives(GradedSledge{.mu = 0.1, .mu_i = -10, .e = e}, c);
    const auto rigid = collide_with_derivatives(Frictionless{.e = e}, c);
    ASSERT_TRUE(graded && rigid) << graded.error().message();
    ASSERT_EQ(graded->kink, "");
    const auto deviation = (graded->derivatives.jacobian.leftCols<12>() - rigid->derivatives.jacobian.leftCols<12>());
    EXPECT_LT(deviation.norm(), 1e-11 * rigid->derivatives.jacobian.leftCols<12>().norm());
    for (const char* name : {"mu", "mu_v", "mu_i"})
      EXPECT_EQ(graded->derivatives.P(*graded->derivatives.find(name)).norm(), 0) << name;
    const ModeChange* change = nullptr;
    for (int k = 0; k < graded->derivatives.changes; ++k)
      if (graded->derivatives.change[static_cast<std::size_t>(k)].what == "friction that reaches zero")
        change = &graded->derivatives.change[static_cast<std::size_t>(k)];
    ASSERT_NE(change, nullptr);
    EXPECT_LT(change->distance, 0);
  }
}

const ModeChange* nearest_of(const Derivatives& d, std::string_view what) {
  const ModeChange* best = nullptr;
  for (int i = 0; i < d.changes; ++i) {
    const ModeChange& one = d.change[static_cast<std::size_t>(i)];
    if (one.what == what && (best == nullptr || std::abs(one.distance) < std::abs(best->distance))) best = &one;
  }
  return best;
}

// P is continuous where the force of a sticking contact grazes the cone, so that its derivatives on the two sides agree
// along the border and differ by a matrix of rank one, c gᵀ, with the gradient g of the distance.
TEST(SledgeKink, GrazingTheCone_DerivativesJumpAcrossTheBorderOnly) {
  constexpr std::string_view graze = "a sticking contact that grazes the friction cone";
  Rng rng(21);
  int crossed = 0;
  for (int i = 0; i < 400 && crossed < 2; ++i) {
    const SpringSledge law{.kappa = uniform(rng, 2, 8), .mu = uniform(rng, 0.3, 0.8), .e = uniform(rng, 0.5, 1)};
    Contact c = smooth_contact(rng);
    bool near = false;
    for (int k = 0; k < 8 && !near; ++k) {
      const auto hit = collide_with_derivatives(law, c);
      const ModeChange* change = hit ? nearest_of(hit->derivatives, graze) : nullptr;
      if (change == nullptr || std::abs(change->distance) > 0.1) break;
      if (!hit->kink.empty()) break;
      near = std::abs(change->distance) < 1e-9;
      const Vec3 g = change->gradient.segment<3>(6).transpose();
      if (!near) c.V -= change->distance / g.squaredNorm() * g;
    }
    if (!near) continue;
    const auto sides = one_sided_derivatives(law, c);
    ASSERT_TRUE(sides) << sides.error().message();
    if (sides->what != graze || !sides->below.kink.empty() || !sides->above.kink.empty()) continue;
    ++crossed;
    const Derivatives &low = sides->below.derivatives, &high = sides->above.derivatives;
    EXPECT_LT(nearest_of(low, graze)->distance, 0);
    EXPECT_GT(nearest_of(high, graze)->distance, 0);
    const Eigen::Matrix<double, 3, 9> jump = (high.jacobian - low.jacobian).topLeftCorner<3, 9>();
    const Eigen::Matrix<double, 1, 9> g = nearest_of(high, graze)->gradient.head<9>();
    const Eigen::Matrix<double, 3, 9> along = jump * g.transpose() * g / g.squaredNorm();
    EXPECT_GT(jump.norm(), 1e-3 * high.jacobian.topLeftCorner(3, 9).norm());
    EXPECT_LT((jump - along).norm(), 1e-3 * jump.norm());
  }
  EXPECT_EQ(crossed, 2);
}

// Without friction the springs return e of the approach along n, as the law without friction does.
TEST(SledgeDerivativesLimits, WithoutFriction_AreThoseOfTheFrictionlessLaw) {
  Rng rng(5);
  for (int i = 0; i < 6; ++i) {
    const Contact c = smooth_contact(rng);
    const double e = uniform(rng, 0.2, 1);
    for (const Damper damper : {Damper::hysteretic, Damper::linear, Damper::hunt_crossley}) {
      const auto sledge = collide_with_derivatives(SpringSledge{.mu = 0, .e = e, .damper = damper}, c);
      const auto rigid = collide_with_derivatives(Frictionless{.e = e}, c);
      ASSERT_TRUE(sledge && rigid) << sledge.error().message();
      const auto deviation = (sledge->derivatives.jacobian.leftCols<12>() - rigid->derivatives.jacobian.leftCols<12>());
      EXPECT_LT(deviation.norm(), 1e-11 * rigid->derivatives.jacobian.leftCols<12>().norm());
      const auto by_e = [](const auto& hit) { return Vec3(hit->derivatives.P(*hit->derivatives.find("e"))); };
      EXPECT_LT((by_e(sledge) - by_e(rigid)).norm(), 1e-11 * by_e(rigid).norm());
      EXPECT_TRUE(std::isnan(sledge->derivatives.P(*sledge->derivatives.find("mu"))(1, 0)));
    }
  }
}

// A stiff tangential spring is Routh's law with Stronge's restitution: first order in 1/κ, and so are the derivatives.
TEST(SledgeDerivativesLimits, StiffSpring_ApproachesRouth) {
  Rng rng(8);
  int compared = 0;
  for (int i = 0; i < 30 && compared < 4; ++i) {
    const Contact c = smooth_planar_contact(rng);
    const auto rigid = collide_with_derivatives(Routh{.e = 0.6, .mu = 0.2, .restitution = Restitution::stronge}, c);
    ASSERT_TRUE(rigid);
    if (!rigid->kink.empty() || std::abs(rigid->derivatives.nearest()->distance) < 0.1) continue;
    if (rigid->outcome.mode != Mode::slip) continue;
    const auto deviation = [&](double kappa) {
      const auto soft = collide_with_derivatives(SpringSledge{.kappa = kappa, .mu = 0.2, .e = 0.6}, c);
      EXPECT_TRUE(soft) << soft.error().message();
      return (soft->derivatives.jacobian.leftCols<12>() - rigid->derivatives.jacobian.leftCols<12>()).norm() /
             rigid->derivatives.jacobian.leftCols<12>().norm();
    };
    ++compared;
    const double coarse = deviation(1e3), fine = deviation(1e4);
    EXPECT_LT(fine, 0.2 * coarse + 1e-9);
    EXPECT_LT(fine, 2e-2);
  }
  EXPECT_EQ(compared, 4);
}

}  // namespace
}  // namespace ricochet::testing
