#include "ricochet/law/spring_sledge.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "numbers.hpp"
#include "random_contact.hpp"
#include "ricochet/compliant/inclined_bar.hpp"
#include "ricochet/compliant/sledge_problem.hpp"
#include "ricochet/law/frictionless.hpp"
#include "ricochet/law/registry.hpp"
#include "ricochet/law/routh.hpp"

namespace ricochet {
namespace {

using compliant::Damper;
using testing::log_uniform;
using testing::Rng;
using testing::uniform;

using testing::infinity;

/// REG's bar: unit mass, half length √3 ρ, 30° from the normal, falling with equal speeds down and along the surface.
Contact bar(double degrees = 30, double incidence_degrees = 45) {
  const double a = incidence_degrees * std::numbers::pi / 180;
  const auto contact =
      compliant::inclined_bar(1, std::sqrt(3.0), degrees * std::numbers::pi / 180, Vec2(-std::cos(a), std::sin(a)));
  return contact.value();
}

double gap(const Outcome& a, const Outcome& b) { return (a.P - b.P).norm(); }

TEST(SpringSledge, InclinedBar_MobilityIsThatOfItsArms) {
  const Contact c = bar(30);
  // ℓ/ρ = √3: λ_x² = 3/4, λ_y² = 9/4, λ_x λ_y = 3√3/4.
  EXPECT_NEAR(c.W(0, 0), 1.75, 1e-15);
  EXPECT_NEAR(c.W(1, 1), 3.25, 1e-15);
  EXPECT_NEAR(std::abs(c.W(0, 1)), 0.75 * std::sqrt(3.0), 1e-15);
}

TEST(SpringSledge, StiffTangentialSpring_ConvergesToRouthWithStrongesRule) {
  // REG's statement, checked with its rate: the difference falls like 1/√κ or faster.
  for (const double mu : {0.2, 0.5, 1.0})
    for (const double e : {0.0, 0.5, 1.0})
      for (const double incidence : {20.0, 45.0, 70.0}) {
        const Contact c = bar(30, incidence);
        const auto rigid = collide(Routh{.e = e, .mu = mu, .restitution = Restitution::stronge}, c).value();
        double before = gap(collide(SpringSledge{1, mu, e}, c).value(), rigid);
        for (const double kappa : {1e2, 1e4, 1e6}) {
          const double now = gap(collide(SpringSledge{kappa, mu, e}, c).value(), rigid);
          EXPECT_LT(now, 3 / std::sqrt(kappa)) << "mu " << mu << " e " << e << " incidence " << incidence;
          EXPECT_LT(now, 0.5 * before + 1e-9)
              << "kappa " << kappa << " mu " << mu << " e " << e << " incidence " << incidence;
          before = now;
        }
      }
}

TEST(SpringSledge, StiffTangentialSpring_ConvergesToRouthInSpace) {
  Rng rng(31);
  for (int i = 0; i < 10; ++i) {
    const Contact c = testing::random_contact(rng, 1);
    const double mu = uniform(rng, 0.1, 0.8), e = uniform(rng, 0, 1);
    const auto rigid = collide(Routh{.e = e, .mu = mu, .restitution = Restitution::stronge}, c).value();
    const double size = rigid.P.norm();
    const auto soft = collide(SpringSledge{1e2, mu, e}, c).value();
    const auto stiff = collide(SpringSledge{1e4, mu, e}, c).value();
    EXPECT_LT(gap(stiff, rigid), 0.03 * size) << i;
    EXPECT_LT(gap(stiff, rigid), 0.35 * gap(soft, rigid) + 1e-6 * size) << i;
  }
}

TEST(SpringSledge, SoftTangentialSpring_IsFrictionlessInSpace) {
  Rng rng(32);
  for (int i = 0; i < 50; ++i) {
    const Contact c = testing::random_contact(rng, 1);
    const double e = uniform(rng, 0, 1);
    const auto smooth = collide(Frictionless{e}, c).value();
    const double reach = (c.M * c.V).norm();
    EXPECT_LT(gap(collide(SpringSledge{1e-7, 0.5, e}, c).value(), smooth), 1e-4 * reach) << i;
  }
}

TEST(SpringSledge, RealisticStiffness_DiffersStronglyFromTheRigidLaw) {
  // REG: κ of order one and the rigid hypothesis disagree. At 30° and 45° with ample friction the bar rebounds
  // backwards.
  const Contact c = bar(30, 45);
  const auto rigid = collide(Routh{.e = 1, .mu = 0.8, .restitution = Restitution::stronge}, c).value();
  const auto compliant = collide(SpringSledge{0.824, 0.8, 1}, c).value();
  EXPECT_GT(gap(rigid, compliant), 0.1 * rigid.P.norm());
}

TEST(SpringSledge, PlanarAndSpatialCode_AgreeOnPlanarContacts) {
  Rng rng(33);
  for (int i = 0; i < 300; ++i) {
    const Contact c = testing::random_planar_contact(rng, 2);
    const SpringSledge law{log_uniform(rng, -1.5, 1.5), uniform(rng, 0.02, 2), testing::random_e(rng)};
    const auto local = localize<double>(c);
    const auto p = compliant::run_planar(sledge::planar_problem(law, local));
    const auto s = compliant::run_spatial(sledge::spatial_problem(law, local));
    ASSERT_EQ(p.stop, s.stop) << i;
    if (p.stop != compliant::Stop::separated) continue;
    const double size = 1 + p.state.P_n + std::abs(p.state.P_t);
    EXPECT_NEAR(p.state.P_n, s.state.P(0), 2e-10 * size) << i;
    EXPECT_NEAR(p.state.P_t, s.state.P(1), 2e-10 * size) << i;
  }
}

TEST(SpringSledge, CentralImpact_ReturnsEWithEveryDamper) {
  for (const Damper damper : {Damper::hysteretic, Damper::linear, Damper::hunt_crossley})
    for (const double e : {0.05, 0.3, 0.8, 1.0})
      for (const double mu : {0.0, 0.4, infinity})
        for (const double speed : {1e-3, 1.0, 1e3}) {
          const Contact c = contact_from_mass(2 * Mat3::Identity(), Vec3(0, 0, -speed), Vec3::UnitZ()).value();
          const auto hit = collide(SpringSledge{0.8, mu, e, damper}, c);
          ASSERT_TRUE(hit) << hit.error().message();
          EXPECT_NEAR(hit->V(2) / speed, e, 1e-10) << static_cast<int>(damper) << " e " << e << " mu " << mu;
        }
}

TEST(SpringSledge, WithoutFriction_EveryDamperReturnsE) {
  Rng rng(34);
  for (int i = 0; i < 100; ++i) {
    const Contact c = testing::random_contact(rng, 2);
    const double e = uniform(rng, 0.06, 1);
    for (const Damper damper : {Damper::hysteretic, Damper::linear, Damper::hunt_crossley}) {
      const auto hit = collide(SpringSledge{0.8, 0, e, damper}, c);
      ASSERT_TRUE(hit) << hit.error().message();
      // Grazing, the normal part of V is a small difference.
      EXPECT_NEAR(hit->V.dot(c.n) / c.approach_speed(), e, 1e-10 + 1e-14 * c.V.norm() / c.approach_speed()) << i;
    }
  }
}

TEST(SpringSledge, SphereInSpace_BouncesInItsOwnPlane) {
  // A sphere's mobility is isotropic across n: the force stays in the plane of incidence.
  const auto sphere = [](const Vec3& V) {
    return contact_from_mobility(Vec3(1, 3.5, 3.5).asDiagonal(), V, Vec3::UnitX()).value();
  };
  const SpringSledge law{0.82, 0.3, 0.9};
  const auto flat = collide(law, sphere(Vec3(-1, 0.7, 0))).value();
  const auto turned = collide(law, sphere(Vec3(-1, 0.7 * 0.6, 0.7 * 0.8))).value();
  EXPECT_NEAR(turned.P(0), flat.P(0), 1e-11);
  EXPECT_NEAR(turned.P(1), 0.6 * flat.P(1), 1e-11);
  EXPECT_NEAR(turned.P(2), 0.8 * flat.P(1), 1e-11);
}

TEST(SpringSledge, Superball_GarwinsSpinReversal) {
  // A solid sphere thrown with backspin between floor and table comes back: V_t is reversed at every bounce (G69).
  const Contact c = contact_from_mobility(Vec3(1, 3.5, 3.5).asDiagonal(), Vec3(-1, 0.4, 0), Vec3::UnitX()).value();
  const auto hit = collide(SpringSledge{1 / 3.5, 1, 1}, c).value();
  EXPECT_NEAR(hit.V(0), 1, 1e-14);
  EXPECT_NEAR(hit.V(1), -0.4, 1e-14);
  EXPECT_NEAR(hit.energy_change, 0, 1e-15);
  EXPECT_EQ(hit.mode, Mode::stick);
}

TEST(SpringSledge, GrazingIncidence_LeavesLittle) {
  // As the approach speed goes to zero at fixed slip, so does the impulse, unless friction jams the contact.
  for (const double approach : {1e-3, 1e-6, 1e-9}) {
    const Contact c =
        contact_from_mobility(Vec3(1, 3.5, 3.5).asDiagonal(), Vec3(-approach, 1, 0), Vec3::UnitX()).value();
    const auto hit = collide(SpringSledge{0.82, 0.3, 0.7}, c).value();
    EXPECT_NEAR(hit.P(0), 1.7 * approach, 1e-12 * approach);
    EXPECT_NEAR(hit.P(1), -0.3 * 1.7 * approach, 1e-12 * approach);  // slides throughout
    EXPECT_EQ(hit.mode, Mode::slip);
  }
}

TEST(SpringSledge, GrazingIncidence_JammedBarReboundsWithFiniteSpeed) {
  const auto grazing = [](double approach) {
    // Steep bar sliding towards its lean, so that friction drives it into the floor.
    const auto c = compliant::inclined_bar(1, std::sqrt(3.0), 0.25, Vec2(-approach, -1));
    return collide(SpringSledge{0.8, 2.5, 1}, c.value()).value();
  };
  const auto near = grazing(1e-7), nearer = grazing(1e-9);
  EXPECT_TRUE(near.jammed);
  EXPECT_GT(near.V(0), 0.01);
  EXPECT_NEAR(near.V(0), nearer.V(0), 1e-4);
}

/// Law page, special cases: a slip that grips and pulls the bodies apart stretches its spring millions of times as far
/// as the approach compresses the other. The impulse follows in closed form, for any stiffness.
TEST(SpringSledge, GrazingIncidence_ThatGrips_EndsByTheCoupling) {
  for (const double out_of_plane : {0.0, 0.3})
    for (const double e : {0.2, 0.6, 1.0})
      for (const double kappa : {0.05, 1.0, 40.0})
        for (const double mu : {1e15, infinity})
          for (const double slip : {1e6, 1e8, 4e9}) {
            const Mat3 W = (Mat3() << 2, 0.7, 0, 0.7, 1.5, out_of_plane, 0, out_of_plane, 1.2).finished();
            const Contact c = contact_from_mobility(W, Vec3(-1, -slip, 0), Vec3::UnitX()).value();
            const Outcome hit = collide(SpringSledge{kappa, mu, e}, c).value();
            const double beta = 2 * std::cos(std::acos(e * e - 1) / 3);
            // The next order of the closed form, friction in the last instant, and the rounding of V_n beside the slip.
            const double near = 20 * (1 + 1 / kappa) / slip + 10 * kappa * slip / mu + 4e-15 * slip;
            SCOPED_TRACE(::testing::Message()
                         << out_of_plane << " e " << e << " kappa " << kappa << " mu " << mu << " slip " << slip);
            EXPECT_NEAR(hit.P(1) * 0.7, beta * beta, near);
            EXPECT_NEAR(hit.V(0), beta * beta - 1, near);
            EXPECT_TRUE(hit.certificate.permissible);
          }
}

TEST(SpringSledge, NormalIncidence_FromBothSidesOfZeroSlip) {
  const auto slipping = [](double slip) {
    const auto c = compliant::inclined_bar(1, std::sqrt(3.0), 0.6, Vec2(-1, slip));
    return collide(SpringSledge{0.8, 0.4, 0.8}, c.value()).value();
  };
  const auto straight = slipping(0);
  for (const double slip : {-1e-8, 1e-8}) EXPECT_LT((slipping(slip).P - straight.P).norm(), 1e-6);
}

TEST(SpringSledge, Hysteretic_NormalWorkIsStrongesInEveryImpact) {
  // Work returned = e² × work stored, so that the whole is −(1 − e²) of what compression stored, coupled or not.
  Rng rng(35);
  for (int i = 0; i < 300; ++i) {
    const Contact c = testing::random_contact(rng, 1);
    const double e = uniform(rng, 0.1, 0.95);
    const auto hit = collide(SpringSledge{log_uniform(rng, -1, 1), uniform(rng, 0, 1.5), e}, c).value();
    double stored = 0;
    int ends = 0;
    for (const auto& p : hit.path) {
      if (p.event != Event::compression_ends) continue;
      stored = -p.normal_work;
      ++ends;
    }
    if (ends != 1) continue;  // compressed again, or the path was too long to be kept
    const double terms = hit.P.norm() * (c.V.norm() + (c.W * hit.P).norm());  // what the work is a difference of
    EXPECT_NEAR(hit.normal_work, -(1 - e * e) * stored, 1e-12 * (stored + terms)) << i;
  }
}

TEST(SpringSledge, ImmovableDirection_IsPlanarAndExact) {
  // A planar linkage: nothing moves across its plane.
  Mat3 W = Mat3::Zero();
  W.topLeftCorner<2, 2>() << 1, 0.4, 0.4, 1.6;
  const Contact c = contact_from_mobility(W, Vec3(-1, 0.3, 0), Vec3::UnitX()).value();
  const auto hit = collide(SpringSledge{0.8, 0.3, 0.9}, c).value();
  const auto direct = compliant::run_planar(compliant::PlanarSledge<double>{0.4, 1.6, 0.3, 0.8, 0.3, 0.9});
  EXPECT_NEAR(hit.P(0), direct.state.P_n, 1e-13);
  EXPECT_NEAR(hit.P(1), direct.state.P_t, 1e-13);
}

TEST(SpringSledge, BadInput_IsNamed) {
  const Contact c = bar();
  const auto field = [&](const SpringSledge& law) {
    const auto hit = collide(law, c);
    return hit ? std::string("none") : hit.error().path;
  };
  EXPECT_EQ(field({0, 0.3, 1}), "kappa");
  EXPECT_EQ(field({-1, 0.3, 1}), "kappa");
  EXPECT_EQ(field({infinity, 0.3, 1}), "kappa");
  EXPECT_EQ(field({std::nan(""), 0.3, 1}), "kappa");
  EXPECT_EQ(field({1, -0.1, 1}), "mu");
  EXPECT_EQ(field({1, std::nan(""), 1}), "mu");
  EXPECT_EQ(field({1, 0.3, 1.1}), "e");
  EXPECT_EQ(field({1, 0.3, 0.9e-4, Damper::linear}), "e");
  EXPECT_EQ(field({1, 0.3, 0, Damper::hunt_crossley}), "e");
  LawParameters s;
  s.mu = 0.3;
  s.e = 1;
  s.damper = "rubber";
  EXPECT_EQ(make_law("spring-sledge", s).error().path, "damper");
  s.damper = "linear";
  s.kappa = 0;
  EXPECT_EQ(make_law("spring-sledge", s).error().path, "kappa");
}

}  // namespace
}  // namespace ricochet
