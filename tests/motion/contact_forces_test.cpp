/// Forces of contacts at rest, docs/simulation.md (MO15) to (MO19), and impulses (MO10), which are the same problem.

#include "motion/contact_forces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace ricochet::motion {
namespace {

using Vec2 = Eigen::Vector2d;

/// By how much N ≥ 0, a_n ≥ 0, N a_n = 0 and the maximum dissipation of friction within μ N are missed, relative to
/// the largest b; friction that dissipates most is its own projection after a step against a_t.
double missed(const ForceProblem& p, const VecX& F) {
  const VecX a = p.W * F + p.b;
  double worst = 0;
  for (std::size_t k = 0; k < p.contacts.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(3 * k);
    const double N = F(at), limit = p.contacts[k].mu * N, w = p.W(at + 1, at + 1) + p.W(at + 2, at + 2);
    const Vec2 T = F.segment<2>(at + 1);
    worst = std::max({worst, -a(at), -p.W(at, at) * N, std::min(a(at), p.W(at, at) * N), w * (T.norm() - limit)});
    Vec2 next = T - Vec2(a.segment<2>(at + 1)) / w;
    if (next.norm() > limit) next *= limit / next.norm();
    worst = std::max(worst, w * (next - T).norm());
  }
  return worst / p.b.cwiseAbs().maxCoeff();
}

/// Up to four contacts of a system with 4 to 13 speeds, whose masses and arms differ by up to three decades.
ForceProblem random_problem(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<> normal;
  std::uniform_real_distribution<> uniform(0, 1);
  const auto contacts = static_cast<Eigen::Index>(1 + random() % 4),
             speeds = static_cast<Eigen::Index>(4 + random() % 10);
  MatX J = MatX::NullaryExpr(3 * contacts, speeds, [&] { return normal(random); });
  for (Eigen::Index k = 0; k < contacts; ++k)
    if (uniform(random) < 0.5) J.middleRows(3 * k, 3) *= std::pow(10, -3 * uniform(random));
  const VecX mobility = VecX::NullaryExpr(speeds, [&] { return std::pow(10, 3 * uniform(random) - 1.5); });
  ForceProblem p;
  p.W = J * mobility.asDiagonal() * J.transpose();
  p.b = J * VecX::NullaryExpr(speeds, [&] { return normal(random); });
  for (Eigen::Index k = 0; k < contacts; ++k) {
    ForceContact c;
    c.mu = c.mu_s = std::pow(10, 1.5 * uniform(random) - 1.2);
    p.contacts.push_back(c);
  }
  return p;
}

TEST(ContactForces, OfContactsAtRest_PressStickOrDissipateMost) {
  int solved = 0, exact = 0;
  constexpr int problems = 600;
  for (unsigned seed = 0; seed < problems; ++seed) {
    const ForceProblem p = random_problem(seed);
    const ForceAnswer answer = contact_forces(p);
    if (answer.status != ForceAnswer::Status::solved) continue;
    ++solved;
    const double off = missed(p, answer.F);
    EXPECT_LE(off, 1e-5) << "seed " << seed;
    exact += off <= 1e-8;
  }
  // Others are said not to be solved.
  EXPECT_GE(solved, problems - 3);
  EXPECT_GE(exact, problems - 6);
}

// A single contact whose normal and tangential motion are coupled more strongly than friction is weak: N and friction
// change each other by more than they agree.
TEST(ContactForces, OfOneStronglyCoupledContact_AreFound) {
  for (const double coupling : {0.0, 0.5, 0.9, 0.99}) {
    ForceProblem p;
    p.W = MatX::Identity(3, 3);
    p.W(0, 1) = p.W(1, 0) = coupling;
    p.b = Eigen::Vector3d(-1, 0.2, 0.1);
    p.contacts.push_back({.mu = 0.9, .mu_s = 0.9});
    const ForceAnswer answer = contact_forces(p);
    ASSERT_EQ(answer.status, ForceAnswer::Status::solved) << coupling;
    EXPECT_LE(missed(p, answer.F), 1e-9) << coupling;
  }
}

}  // namespace
}  // namespace ricochet::motion
