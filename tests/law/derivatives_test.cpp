/// Derivatives of the laws with explicit formulas and of those that solve equations, against differences in extended
/// precision.
#include "derivative_differences.hpp"
#include "ricochet/law/anitescu_potra_kernel.hpp"
#include "ricochet/law/bilinear_kernel.hpp"
#include "ricochet/law/brach_kernel.hpp"
#include "ricochet/law/chatterjee_ruina_kernel.hpp"
#include "ricochet/law/frictionless_kernel.hpp"
#include "ricochet/law/law_table.hpp"
#include "ricochet/law/pfeiffer_glocker_kernel.hpp"
#include "ricochet/law/smith_kernel.hpp"
#include "ricochet/law/uncertainty.hpp"
#include "ricochet/law/whittaker_kernel.hpp"

namespace ricochet::testing {
namespace {

double any_e(Rng& rng) { return short_uniform(rng, 0.1, 0.9); }
double any_mu(Rng& rng) { return short_uniform(rng, 0.1, 0.8); }

TEST(Derivatives, Frictionless_AgreeWithDifferences) {
  expect_exact_derivatives<Frictionless>([](Rng& rng) { return Frictionless{.e = any_e(rng)}; }, smooth_contact,
                                         {{"e", &Frictionless::e}});
}

TEST(Derivatives, ChatterjeeRuina_AgreeWithDifferences) {
  expect_exact_derivatives<ChatterjeeRuina>(
      [](Rng& rng) {
        return ChatterjeeRuina{.e = any_e(rng), .e_t = short_uniform(rng, -0.8, 0.8), .mu = any_mu(rng)};
      },
      smooth_contact, {{"e", &ChatterjeeRuina::e}, {"mu", &ChatterjeeRuina::mu}, {"e_t", &ChatterjeeRuina::e_t}});
}

TEST(Derivatives, ChatterjeeRuinaWithSmoothTransition_AgreeWithDifferences) {
  expect_exact_derivatives<ChatterjeeRuina>(
      [](Rng& rng) {
        return ChatterjeeRuina{.e = any_e(rng),
                               .e_t = short_uniform(rng, -0.8, 0.8),
                               .mu = any_mu(rng),
                               .smooth = short_uniform(rng, 0.2, 0.9)};
      },
      smooth_contact,
      {{"e", &ChatterjeeRuina::e},
       {"mu", &ChatterjeeRuina::mu},
       {"e_t", &ChatterjeeRuina::e_t},
       {"smooth", &ChatterjeeRuina::smooth}});
}

// The formula ignores couplings that its tolerance lets pass, so that it is differentiable by them.
TEST(Derivatives, Bilinear_AgreeWithDifferences) {
  expect_exact_derivatives<Bilinear>(
      [](Rng& rng) {
        return Bilinear{.e = any_e(rng), .e_t = short_uniform(rng, -0.8, 0.8), .mu = any_mu(rng), .tolerance = 1};
      },
      smooth_round_contact, {{"e", &Bilinear::e}, {"mu", &Bilinear::mu}, {"e_t", &Bilinear::e_t}});
}

TEST(Derivatives, Brach_AgreeWithDifferences) {
  expect_exact_derivatives<Brach>(
      [](Rng& rng) {
        return Brach{
            .e = any_e(rng), .mu_2 = short_uniform(rng, 0, 0.3), .mu_3 = short_uniform(rng, -0.2, 0.2), .mu = 0.5};
      },
      smooth_contact, {{"e", &Brach::e}, {"mu_2", &Brach::mu_2}, {"mu_3", &Brach::mu_3}, {"mu", &Brach::mu}});
}

TEST(Derivatives, Whittaker_AgreeWithDifferences) {
  expect_exact_derivatives<Whittaker>([](Rng& rng) { return Whittaker{.e = any_e(rng), .mu = any_mu(rng)}; },
                                      smooth_contact, {{"e", &Whittaker::e}, {"mu", &Whittaker::mu}});
}

// Where the slip ends at zero the law is differentiable once only, and differences across it are not exact.
TEST(Derivatives, Smith_AgreeWithDifferences) {
  expect_exact_derivatives<Smith>([](Rng& rng) { return Smith{.e = any_e(rng), .mu = any_mu(rng)}; }, smooth_contact,
                                  {{"e", &Smith::e}, {"mu", &Smith::mu}}, {.least_slip = 0.03});
}

// Endless friction reverses the slip: P = M (V⁺ − V) with V⁺ = −(e V_n, V_t).
TEST(Derivatives, SmithWithEndlessFriction_ReversesTheSlip) {
  constexpr double endless = std::numeric_limits<double>::infinity();
  Rng rng(23);
  int compared = 0, refused = 0;
  for (int i = 0; i < 40; ++i) {
    const Contact c = smooth_contact(rng);
    const double e = any_e(rng);
    const auto hit = collide_with_derivatives(Smith{.e = e, .mu = endless}, c);
    const auto wanted = [&](const Vec3& V) { return Vec3(-V - (e - 1) * c.n.dot(V) * c.n); };
    if (!hit) {
      ++refused;
      EXPECT_EQ(hit.error().path, "mu");
      const auto answer = collide(Smith{.e = e, .mu = endless}, c);
      ASSERT_TRUE(answer);
      EXPECT_LE(std::abs(c.n.dot(answer->P)), 1e-9 * answer->P.norm());  // on the way to the reversal
      continue;
    }
    ASSERT_EQ(hit->kink, "");
    ++compared;
    const Derivatives& d = hit->derivatives;
    EXPECT_LE((hit->outcome.V - wanted(c.V)).norm(), 1e-10 * c.V.norm());
    const Mat3 by_V = d.V(*d.find("V"));
    for (int j = 0; j < 3; ++j) EXPECT_LE((by_V.col(j) - wanted(Vec3::Unit(j))).norm(), 1e-10);
    EXPECT_LE((d.V(*d.find("e")) + c.n.dot(c.V) * c.n).norm(), 1e-10 * c.V.norm());
    EXPECT_EQ(d.P(*d.find("mu")).norm(), 0);
    // P by M is the change of M times V⁺ − V, and V⁺ does not depend on M.
    EXPECT_LE(d.V(*d.find(c.mass_given ? "M" : "W")).norm(), 1e-10 * c.V.norm() * (c.mass_given ? c.W : c.M).norm());
    const Vec3 change = hit->outcome.V - c.V, by_11 = d.P(*d.find(c.mass_given ? "M" : "W")).col(0);
    const Vec3 exact = c.mass_given ? Vec3(change(0), 0, 0) : Vec3(-c.M.col(0) * hit->outcome.P(0));
    EXPECT_LE((by_11 - exact).norm(), 1e-10 * (by_11.norm() + exact.norm()));
  }
  EXPECT_GE(compared, 20);
  EXPECT_GE(refused, 1);
}

TEST(Derivatives, AnitescuPotra_AgreeWithDifferences) {
  expect_exact_derivatives<AnitescuPotra>([](Rng& rng) { return AnitescuPotra{.e_k = any_e(rng), .mu = any_mu(rng)}; },
                                          smooth_contact, {{"e_k", &AnitescuPotra::e_k}, {"mu", &AnitescuPotra::mu}});
}

// Only the plane of n and V: the law refuses contacts that leave it, and its formula ignores the coupling.
TEST(Derivatives, PfeifferGlocker_AgreeWithDifferences) {
  expect_exact_derivatives<PfeifferGlocker>(
      [](Rng& rng) {
        return PfeifferGlocker{.e_k = any_e(rng),
                               .nu = short_uniform(rng, 0.1, 0.9),
                               .e_t = short_uniform(rng, 0.1, 0.9),
                               .mu = any_mu(rng)};
      },
      smooth_planar_contact,
      {{"e_k", &PfeifferGlocker::e_k},
       {"mu", &PfeifferGlocker::mu},
       {"nu", &PfeifferGlocker::nu},
       {"e_t", &PfeifferGlocker::e_t}});
}

/// M with eigenvalues 1, √κ and κ in random axes, approached with slip.
Contact ill_conditioned_contact(Rng& rng, double condition) {
  const Mat3 Q = random_rotation(rng);
  const Mat3 A = Q * Vec3(1, std::sqrt(condition), condition).asDiagonal() * Q.transpose();
  const Vec3 n = random_unit(rng), t = n.cross(random_unit(rng)).normalized();
  return *contact_from_mass(0.5 * (A + A.transpose()), 0.8 * t - 0.6 * n, n);
}

// Endless friction: P = (1 + e) p n − (1 + e_t) (M V + p n) with p = −n·V/(n·W n), and V⁺ = (e − e_t) p W n − e_t V.
// Both are differentiated by hand in extended precision. Derivatives by M that come from those by W would lose as many
// digits as κ² has; of those by M itself V⁺ and n lose as many as κ has, and P none.
TEST(Derivatives, OfIllConditionedM_KeepTheirDigits) {
  constexpr double e = 0.5, e_t = 0.2;
  Rng rng(41);
  int compared = 0;
  for (const double condition : {1e2, 1e4, 1e6}) {
    for (int i = 0; i < 20; ++i) {
      const Contact c = ill_conditioned_contact(rng, condition);
      const auto hit = collide_with_derivatives(
          ChatterjeeRuina{.e = e, .e_t = e_t, .mu = std::numeric_limits<double>::infinity()}, c);
      ASSERT_TRUE(hit) << hit.error().message();
      ASSERT_EQ(hit->kink, "");
      const Mat3T<Wide> M = c.M.cast<Wide>();
      Mat3T<Wide> W;
      ASSERT_TRUE(inverse_spd<Wide>(M, W));
      const Vec3T<Wide> V = c.V.cast<Wide>(), n = c.n.cast<Wide>() / c.n.cast<Wide>().norm(), Wn = W * n;
      const Wide w = n.dot(Wn), p = -n.dot(V) / w;
      const Vec3 P = (Wide(1 + e) * p * n - Wide(1 + e_t) * (M * V + p * n)).cast<double>();
      if ((hit->outcome.P - P).norm() > 1e-6 * P.norm()) continue;  // P_n = 0 limits the tangential impulse
      ++compared;
      Eigen::Matrix<Wide, 3, 6> P_by_M, V_by_M;
      int k = 0;
      for (int a = 0; a < 3; ++a) {
        for (int b = a; b < 3; ++b, ++k) {
          Mat3T<Wide> E = Mat3T<Wide>::Zero();
          E(a, b) = E(b, a) = 1;
          const Wide dp = p * Wn.dot(E * Wn) / w;
          P_by_M.col(k) = Wide(e - e_t) * dp * n - Wide(1 + e_t) * (E * V);
          V_by_M.col(k) = Wide(e - e_t) * (dp * Wn - p * (W * (E * Wn)));
        }
      }
      Eigen::Matrix<Wide, 3, 3> P_by_n;
      for (int j = 0; j < 3; ++j) {
        const Vec3T<Wide> dn = Vec3T<Wide>::Unit(j) - n(j) * n;
        P_by_n.col(j) = Wide(e - e_t) * (-(dn.dot(V) + 2 * p * dn.dot(Wn)) / w * n + p * dn);
      }
      const auto off = [](const auto& got, const auto& wanted) {
        return static_cast<double>((got.template cast<Wide>() - wanted).cwiseAbs().maxCoeff() /
                                   wanted.cwiseAbs().maxCoeff());
      };
      const Derivatives& d = hit->derivatives;
      EXPECT_LE(off(d.P(*d.find("M")), P_by_M), 1e-12) << condition;
      EXPECT_LE(off(d.V(*d.find("M")), V_by_M), 1e-13 * condition + 1e-12) << condition;
      EXPECT_LE(off(d.P(*d.find("n")), P_by_n), 1e-14 * condition + 1e-12) << condition;
    }
  }
  EXPECT_GE(compared, 20);
}

// A ball that strikes at right angles keeps its energy at e = 1. What a little slip then changes is not what the
// formula says of no slip at all: with a smooth transition it is 0.3 % less, in every direction.
TEST(Derivatives, GradedRegionAtRightAngles_SaysWhereEnergyLeavesNoDerivative) {
  const Mat3 W = Vec3(1, 1, 1.7).asDiagonal();
  for (const double e : {0.9, 1.0}) {
    GradedRegion law{.e = e, .e_v = -0.3, .e_i = 0.5, .mu = 0.8, .tau = 0.6, .tau_m = -0.4, .chi_m = -0.1};
    for (const double smooth : {0.0, 0.4}) {
      law.smooth = smooth;
      const auto hit = collide_with_derivatives(law, *contact_from_mobility(W, -Vec3::UnitZ(), Vec3::UnitZ()));
      ASSERT_TRUE(hit);
      constexpr double slip = 1e-6;
      const auto moved = collide(law, *contact_from_mobility(W, Vec3(slip, 0, -1), Vec3::UnitZ()));
      ASSERT_TRUE(moved);
      EXPECT_EQ(hit->kink.empty(), e < 1 || smooth == 0);
      if (hit->kink.empty()) {
        EXPECT_NEAR(hit->derivatives.P(*hit->derivatives.find("V"))(0, 0), moved->P(0) / slip, 1e-5);
      } else {
        EXPECT_NE(hit->kink.find("energy"), std::string_view::npos);
      }
    }
  }
}

/// Every law, with parameters inside their ranges.
std::vector<Law> some_laws(Rng& rng, const Contact& c) {
  const double e = any_e(rng), mu = any_mu(rng), e_t = uniform(rng, -0.8, 0.8);
  const ChatterjeeRuina cr{.e = e, .e_t = e_t, .mu = mu};
  const Routh routh{.e = e, .mu = mu};
  return {Frictionless{.e = e},
          cr,
          routh,
          Routh{.e = e, .mu = mu, .restitution = Restitution::stronge},
          Whittaker{.e = e, .mu = mu},
          Smith{.e = e, .mu = mu},
          SpringSledge{.kappa = 0.8, .mu = mu, .e = e},
          Brach{.e = e, .mu_2 = 0.1, .mu_3 = -0.05, .mu = mu},
          AnitescuPotra{.e_k = e, .mu = mu},
          PermissiblePoint{.psi_1 = 1, .psi_2 = 2, .rho = 0.5, .mu = mu},
          Projected{.target = -1.3 * (c.M * c.V), .mu = mu},
          Composite{.sigma = 0.3, .first = cr, .second = routh, .mu = mu}};
}

// P(kV) = k P(V), P(kM) = k P(M), P(n) = P(kn); a target impulse goes with P.
TEST(Derivatives, EveryLaw_IsHomogeneous) {
  Rng rng(3);
  int compared = 0;
  for (int i = 0; i < 12; ++i) {
    const Contact c = smooth_contact(rng);
    for (const Law& law : some_laws(rng, c)) {
      const auto hit = collide_with_derivatives(law, c);
      if (!hit || !hit->kink.empty()) continue;
      ++compared;
      SCOPED_TRACE(info_of(law).name);
      const Derivatives& d = hit->derivatives;
      const Vec3& P = hit->outcome.P;
      const double size = P.norm();
      Vec3 target = Vec3::Zero();
      if (const auto* projected = std::get_if<Projected>(&law)) target = d.P(*d.find("target")) * projected->target;
      EXPECT_LE((d.P(*d.find("V")) * c.V + target - P).norm(), 1e-10 * size);
      EXPECT_LE((d.V(*d.find("V")) * c.V - hit->outcome.V).norm() - (c.W * target).norm(), 1e-10 * c.V.norm());
      const Mat3& A = c.mass_given ? c.M : c.W;
      Eigen::Matrix<double, 6, 1> entries;
      entries << A(0, 0), A(0, 1), A(0, 2), A(1, 1), A(1, 2), A(2, 2);
      const double sign = c.mass_given ? 1 : -1;
      EXPECT_LE((d.P(*d.find(c.mass_given ? "M" : "W")) * entries + sign * target - sign * P).norm(), 1e-10 * size);
      EXPECT_LE((d.P(*d.find("n")) * c.n).norm(), 1e-12 * size);
    }
  }
  EXPECT_GE(compared, 120);
}

// A contact that is turned has turned derivatives.
TEST(Derivatives, EveryLaw_TurnsWithTheAxes) {
  Rng rng(4);
  for (int i = 0; i < 6; ++i) {
    const Contact c = smooth_contact(rng);
    const Mat3 Q = random_rotation(rng);
    const auto symmetric = [](const Mat3& A) { return Mat3(0.5 * (A + A.transpose())); };
    const Contact turned = c.mass_given ? *contact_from_mass(symmetric(Q * c.M * Q.transpose()), Q * c.V, Q * c.n)
                                        : *contact_from_mobility(symmetric(Q * c.W * Q.transpose()), Q * c.V, Q * c.n);
    for (Law law : some_laws(rng, c)) {
      const auto hit = collide_with_derivatives(law, c);
      if (auto* projected = std::get_if<Projected>(&law)) projected->target = Q * projected->target;
      const auto other = collide_with_derivatives(law, turned);
      if (!hit || !hit->kink.empty()) continue;
      SCOPED_TRACE(info_of(law).name);
      ASSERT_TRUE(other && other->kink.empty());
      const Derivatives &d = hit->derivatives, &b = other->derivatives;
      for (const char* input : {"V", "n"}) {
        const Mat3 J = d.P(*d.find(input));
        const Mat3 K = b.P(*b.find(input));
        EXPECT_LE((Q * J * Q.transpose() - K).norm(), 1e-9 * (J.norm() + hit->outcome.P.norm())) << input;
      }
    }
  }
}

// An impact without friction is a gradient: ∂P/∂V is symmetric, −(1+e) n nᵀ/(n·Wn).
TEST(Derivatives, Frictionless_IsSymmetric) {
  Rng rng(5);
  for (int i = 0; i < 100; ++i) {
    const Contact c = smooth_contact(rng);
    const auto hit = collide_with_derivatives(Frictionless{.e = 0.4}, c);
    ASSERT_TRUE(hit);
    const Mat3 J = hit->derivatives.P(*hit->derivatives.find("V"));
    const Mat3 exact = -1.4 * c.n * c.n.transpose() / c.n.dot(c.W * c.n);
    EXPECT_LE((J - exact).norm(), 1e-13 * exact.norm());
  }
}

// A sphere of uniform density at the border of stick and slip: (1+e_t) 2/7 s = μ (1+e) |V_n|.
TEST(Derivatives, BorderOfStickAndSlip_HasNoneButOnBothSides) {
  const double mu = 0.25, e = 0.5;
  const Mat3 M = Vec3(1, 2.0 / 7, 2.0 / 7).asDiagonal();
  const double s = mu * (1 + e) * 7.0 / 2;
  const Contact c = *contact_from_mass(M, Vec3(-1, s, 0), Vec3::UnitX());
  for (const Law& law : {Law(ChatterjeeRuina{.e = e, .mu = mu}), Law(Bilinear{.e = e, .mu = mu}),
                         Law(Whittaker{.e = e, .mu = mu}), Law(Routh{.e = e, .mu = mu})}) {
    SCOPED_TRACE(info_of(law).name);
    const auto hit = collide_with_derivatives(law, c);
    ASSERT_TRUE(hit);
    EXPECT_NE(hit->kink, "");
    const auto sides = one_sided_derivatives(law, c);
    ASSERT_TRUE(sides) << sides.error().message();
    ASSERT_EQ(sides->below.kink, "");
    ASSERT_EQ(sides->above.kink, "");
    // Along the slip: −2/7 where it sticks, 0 where it slips.
    const auto along = [](const DifferentiatedOutcome& side) {
      return side.derivatives.P(*side.derivatives.find("V"))(1, 1);
    };
    const double a = along(sides->below), b = along(sides->above);
    EXPECT_NEAR(std::min(a, b), -2.0 / 7, 1e-8);
    EXPECT_NEAR(std::max(a, b), 0, 1e-8);
  }
}

// The same sphere far from the border: both sides are those of the border all the same.
TEST(Derivatives, OneSidedFarFromTheBorder_AreThoseAtTheBorder) {
  const double mu = 0.25, e = 0.5;
  const Mat3 M = Vec3(1, 2.0 / 7, 2.0 / 7).asDiagonal();
  const double s = mu * (1 + e) * 7.0 / 2;
  for (const double share : {0.6, 0.9, 1.2, 2.0}) {
    const Contact c = *contact_from_mass(M, Vec3(-1, share * s, 0), Vec3::UnitX());
    for (const Law& law : {Law(ChatterjeeRuina{.e = e, .mu = mu}), Law(Bilinear{.e = e, .mu = mu})}) {
      SCOPED_TRACE(info_of(law).name);
      const auto sides = one_sided_derivatives(law, c);
      ASSERT_TRUE(sides) << sides.error().message();
      if (sides->what != "stick and slip") continue;
      const auto along = [](const DifferentiatedOutcome& side) {
        return side.derivatives.P(*side.derivatives.find("V"))(1, 1);
      };
      const double a = along(sides->below), b = along(sides->above);
      EXPECT_NEAR(std::min(a, b), -2.0 / 7, 1e-8) << share;
      EXPECT_NEAR(std::max(a, b), 0, 1e-8) << share;
    }
  }
}

TEST(Derivatives, Grazing_HasNone) {
  const Contact c = *contact_from_mass(Mat3::Identity(), Vec3(0, 1, 0), Vec3::UnitX());
  const auto hit = collide_with_derivatives(Routh{.e = 0.5, .mu = 0.3}, c);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->kink, "grazing");
}

// Whatever a law does with an approach of rounding, and whether it finds its derivatives there.
TEST(Derivatives, GrazingToRounding_HasNoneOfAnyLaw) {
  Rng rng(24);
  for (int i = 0; i < 4; ++i) {
    Contact c = smooth_contact(rng);
    const Vec3 along = (c.V - c.n.dot(c.V) * c.n).normalized();
    c.V = along - 1e-14 * c.n;
    for (const Law& law : some_laws(rng, c)) {
      SCOPED_TRACE(info_of(law).name);
      const auto hit = collide_with_derivatives(law, c);
      ASSERT_TRUE(hit) << hit.error().message();
      EXPECT_EQ(hit->kink, "grazing");
    }
  }
}

TEST(Derivatives, SeparatingContact_PassesVelocityThrough) {
  const Contact c = *contact_from_mass(Mat3::Identity(), Vec3(1, 1, 0), Vec3::UnitX());
  const auto hit = collide_with_derivatives(Routh{.e = 0.5, .mu = 0.3}, c);
  ASSERT_TRUE(hit && hit->kink.empty());
  const Derivatives& d = hit->derivatives;
  EXPECT_EQ(d.jacobian.topLeftCorner(3, d.width).norm(), 0);
  EXPECT_EQ((Mat3(d.V(*d.find("V"))) - Mat3::Identity()).norm(), 0);
}

/// Richardson's extrapolation of central differences of the answers themselves, whose W may be singular.
Vec3 difference_of_answers(const Law& law, const Contact& c, const Mat3& dW, const Vec3& dV) {
  const auto P = [&](double x) {
    const auto moved = contact_from_mobility(c.W + x * dW, c.V + x * dV, c.n);
    EXPECT_TRUE(moved) << moved.error().message();
    const auto hit = collide(law, *moved);
    EXPECT_TRUE(hit) << hit.error().message();
    return hit ? hit->P : Vec3::Zero();
  };
  const auto central = [&](double h) { return Vec3((P(h) - P(-h)) / (2 * h)); };
  const double h = 1e-3;
  const Vec3 a = central(h), b = central(h / 2), d = central(h / 4);
  const Vec3 first = (4 * b - a) / 3, second = (4 * d - b) / 3;
  return (16 * second - first) / 15;
}

// W of rank 2: M does not exist, and W can change within the plane in which the contact moves.
TEST(Derivatives, SingularW_AgreeWithDifferencesWithinItsPlane) {
  Rng rng(17);
  int compared = 0, refused = 0;
  for (int i = 0; i < 12; ++i) {
    const Contact flat = smooth_planar_contact(rng);
    const Vec3 b = flat.n.cross(flat.V).normalized();
    const Mat3 Q = Mat3::Identity() - b * b.transpose();
    const Mat3 W = Q * flat.W * Q;
    const auto c = contact_from_mobility(0.5 * (W + W.transpose()), Q * flat.V, flat.n);
    ASSERT_TRUE(c) << c.error().message();
    ASSERT_TRUE(c->immovable);
    for (const Law& law : some_laws(rng, flat)) {
      SCOPED_TRACE(info_of(law).name);
      const auto hit = collide_with_derivatives(law, *c);
      if (!hit) {
        ++refused;
        EXPECT_EQ(hit.error().path, "W") << hit.error().message();
        continue;
      }
      EXPECT_TRUE(hit->projected);
      const Derivatives& d = hit->derivatives;
      if (!hit->kink.empty() || std::abs(d.nearest()->distance) < 0.02 || once_differentiable(d)) continue;
      ++compared;
      Mat3 S = random_mass(rng, 1);
      S = Q * (S / S.norm()) * Q;
      S = (0.5 * c->W.norm() * (S + S.transpose())).eval();
      const Vec3 dV = Q * random_unit(rng);
      Eigen::Matrix<double, 6, 1> six;
      six << S(0, 0), S(0, 1), S(0, 2), S(1, 1), S(1, 2), S(2, 2);
      const Vec3 exact = d.P(*d.find("W")) * six + d.P(*d.find("V")) * dV;
      const Vec3 other = difference_of_answers(law, *c, S, dV);
      EXPECT_LT((exact - other).norm(), 1e-8 * (other.norm() + hit->outcome.P.norm()));
      // What W does not permit has no column of its own.
      EXPECT_LT((d.P(*d.find("V")) * b).norm(), 1e-12 * hit->outcome.P.norm() / c->V.norm());
    }
  }
  EXPECT_GE(compared, 60);
  EXPECT_GE(refused, 12);  // permissible-point and projected use the whole space
}

TEST(Derivatives, ContactsWithoutThem_AreRefused) {
  // The direction in which nothing moves is neither along n nor across it.
  const Vec3 b = Vec3(1, 0, 1).normalized();
  const Contact wedged = *contact_from_mobility(Mat3::Identity() - b * b.transpose(), Vec3(-1, 1, 1), Vec3::UnitX());
  const auto refused = collide_with_derivatives(ChatterjeeRuina{.e = 0.5, .mu = 0.3}, wedged);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().path, "W");
  const Contact hinged = *contact_from_mobility(Vec3(1, 1, 0).asDiagonal(), Vec3(-1, 1, 0), Vec3::UnitX());
  const auto spread = propagate(ChatterjeeRuina{.e = 0.5, .mu = 0.3}, hinged, *read_deviations("V=0.01"));
  ASSERT_FALSE(spread);
  EXPECT_EQ(spread.error().path, "W");
}

// With e = 0 restitution adds nothing, but its derivative: that of a small e, extrapolated.
TEST(Derivatives, Plastic_DerivativeByRestitutionIsTheOneFromInside) {
  Rng rng(6);
  int compared = 0;
  for (int i = 0; i < 20; ++i) {
    const Contact c = smooth_contact(rng);
    for (const Restitution kind : {Restitution::poisson, Restitution::stronge, Restitution::newton}) {
      const auto at = [&](double e) { return collide_with_derivatives(Routh{e, 0.3, -1, kind}, c); };
      const auto zero = at(0), small = at(1e-4), twice = at(2e-4);
      ASSERT_TRUE(zero && small && twice);
      if (!zero->kink.empty() || std::abs(zero->derivatives.nearest()->distance) < 0.02) continue;
      ++compared;
      const auto by_e = [](const auto& hit) { return Vec3(hit->derivatives.P(*hit->derivatives.find("e"))); };
      const Vec3 extrapolated = 2 * by_e(small) - by_e(twice);
      EXPECT_LE((by_e(zero) - extrapolated).norm(), 1e-6 * extrapolated.norm());
    }
  }
  EXPECT_GE(compared, 20);
}

TEST(Derivatives, SmallUncertainties_FirstOrderAndSamplesAgree) {
  const Contact c = *contact_from_mass(Vec3(1, 0.4, 0.5).asDiagonal(), Vec3(-1, 2, 0.3), Vec3::UnitX());
  const Law law = Routh{.e = 0.5, .mu = 0.2};
  const auto deviations = read_deviations("e=0.004,mu=0.003,V=[0.002,0.001,0],n=0.001,M=0.001");
  ASSERT_TRUE(deviations);
  const auto spread = propagate(law, c, *deviations);
  ASSERT_TRUE(spread) << spread.error().message();
  EXPECT_EQ(spread->kink, "");
  EXPECT_TRUE(spread->nearby.empty());
  for (int i = 0; i < 7; ++i)  // of 10000 samples a deviation is known to 0.7 %
    EXPECT_NEAR(spread->sampled.deviation(i), spread->first_order.deviation(i),
                0.035 * spread->first_order.deviation(i));
}

TEST(Derivatives, UncertaintyAcrossTheBorderOfStickAndSlip_IsNamed) {
  const Mat3 M = Vec3(1, 2.0 / 7, 2.0 / 7).asDiagonal();
  const Contact c = *contact_from_mass(M, Vec3(-1, 1.4, 0), Vec3::UnitX());
  const auto spread = propagate(Bilinear{.e = 0.5, .mu = 0.25}, c, *read_deviations("mu=0.05"));
  ASSERT_TRUE(spread);
  ASSERT_EQ(spread->nearby.size(), 1U);
  EXPECT_EQ(spread->nearby[0].what, "stick and slip");
  // (1+e_t) 2/7 s = 0.4 against μ 1.5 = 0.375: μ is 0.0167 or a third of σ away.
  EXPECT_NEAR(spread->nearby[0].sigmas, 1.0 / 3, 0.02);
}

}  // namespace
}  // namespace ricochet::testing
