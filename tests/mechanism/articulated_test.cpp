#include "ricochet/mechanism/articulated.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <chrono>
#include <cstdio>

#include "mechanism/random_tree.hpp"
#include "ricochet/law/registry.hpp"

namespace ricochet {
namespace {

using testing::random_position;
using testing::random_speeds;
using testing::Rng;
using testing::uniform;

double relative(const MatX& a, const MatX& b) { return (a - b).norm() / b.norm(); }

int random_link_or_world(Rng& rng, int count) { return static_cast<int>(uniform(rng, 0, count + 1)) - 1; }

TEST(Articulated, RandomTrees_SolveIsTheInverseOfTheMassMatrix) {
  Rng rng(1);
  for (int i = 0; i < 300; ++i) {
    const Tree tree = testing::random_tree(rng, 1 + static_cast<int>(uniform(rng, 0, 25)));
    const Kinematics posture = forward_kinematics(tree, random_position(rng, tree)).value();
    if (posture.dof == 0) continue;
    const MatX M = mass_matrix(tree, posture);
    MatX X(posture.dof, 2);
    X << random_speeds(rng, posture.dof), random_speeds(rng, posture.dof);
    const Articulated fast = Articulated::at(tree, posture).value();
    ASSERT_LT(relative(fast.solve(X), M.llt().solve(X)), 1e-10) << "case " << i;
    ASSERT_LT(relative(M * fast.solve(X), X), 1e-10) << "case " << i;
  }
}

TEST(Articulated, RandomTrees_LoadsOnOneJointEach_MakeTheInverseOfTheMassMatrix) {
  Rng rng(7);
  for (int i = 0; i < 200; ++i) {
    const Tree tree = testing::random_tree(rng, 1 + static_cast<int>(uniform(rng, 0, 25)));
    const Kinematics posture = forward_kinematics(tree, random_position(rng, tree)).value();
    if (posture.dof == 0) continue;
    const MatX one = MatX::Identity(posture.dof, posture.dof);
    const MatX inverse = Articulated::at(tree, posture).value().solver()(one);
    ASSERT_LT(relative(mass_matrix(tree, posture) * inverse, one), 1e-10) << "case " << i;
    ASSERT_LT(relative(inverse, inverse.transpose()), 1e-10) << "case " << i;
  }
}

TEST(Articulated, RandomTrees_ContactOfTwoLinksOrTheWorld_EqualsTheDenseAnswer) {
  Rng rng(2);
  int answered = 0;
  for (int i = 0; i < 500; ++i) {
    const int count = 2 + static_cast<int>(uniform(rng, 0, 25));
    const Tree tree = testing::random_tree(rng, count);
    const Kinematics posture = forward_kinematics(tree, random_position(rng, tree)).value();
    const int first = random_link_or_world(rng, count);
    const int second = random_link_or_world(rng, count);
    if (first == second || posture.dof == 0) continue;
    const Vec3 point = testing::random_vector(rng, 1);
    const ContactPoint at = contact_point(tree, posture, first, second, point, testing::random_unit(rng)).value();
    const Articulated fast = Articulated::at(tree, posture).value();
    const auto propagated = fast.propagate(first, second, point).value();
    const MatX L = mass_matrix(tree, posture).llt().solve(MatX(at.J.transpose()));
    if (L.norm() < 1e-12) {
      ASSERT_LT(propagated.L.norm(), 1e-12);
      continue;
    }
    ++answered;
    ASSERT_LT(relative(propagated.L, L), 1e-10) << "case " << i;
    ASSERT_LT(relative(propagated.W, at.J * L), 1e-10) << "case " << i;
    ASSERT_LT(relative(fast.solve(at.J.transpose()), L), 1e-10) << "case " << i;
  }
  EXPECT_GT(answered, 300);
}

TEST(Articulated, EnergyOfTheSpeeds_IsThatOfTheMovingLinks) {
  // Velocities of the links by central differences of where they are, so that neither S nor J is trusted.
  Rng rng(3);
  const double h = 1e-5;
  for (int i = 0; i < 100; ++i) {
    const Tree tree = testing::random_tree(rng, 1 + static_cast<int>(uniform(rng, 0, 10)));
    const VecX q = random_position(rng, tree);
    const VecX u = random_speeds(rng, tree.speed_count());
    const Kinematics now = forward_kinematics(tree, q).value();
    const Kinematics after = forward_kinematics(tree, advance(tree, q, u, h).value()).value();
    const Kinematics before = forward_kinematics(tree, advance(tree, q, u, -h).value()).value();
    double energy = 0;
    int k = 0;
    for (std::size_t j = 0; j < tree.links.size(); ++j) {
      const Link& link = tree.links[j];
      const Vec3 v = (after.places[j].centre - before.places[j].centre) / (2 * h);
      const Mat3 spin = (after.places[j].R - before.places[j].R) / (2 * h) * now.places[j].R.transpose();
      const Vec3 w(spin(2, 1) - spin(1, 2), spin(0, 2) - spin(2, 0), spin(1, 0) - spin(0, 1));
      const Vec3 w_link = now.places[j].R.transpose() * w / 2;
      energy += 0.5 * link.mass * v.squaredNorm() + 0.5 * w_link.dot(link.inertia * w_link);
      const int d = speed_count(link.joint);
      energy += 0.5 * link.rotor * u.segment(k, d).squaredNorm();
      k += d;
    }
    const double expected = 0.5 * u.dot(mass_matrix(tree, now) * u);
    ASSERT_NEAR(energy, expected, 1e-7 * expected + 1e-12) << "case " << i;
  }
}

TEST(Articulated, ContactVelocity_IsThatOfTheMovingPoint) {
  Rng rng(4);
  const double h = 1e-5;
  for (int i = 0; i < 100; ++i) {
    const Tree tree = testing::random_tree(rng, 8);
    const VecX q = random_position(rng, tree);
    const VecX u = random_speeds(rng, tree.speed_count());
    const Kinematics now = forward_kinematics(tree, q).value();
    const Kinematics after = forward_kinematics(tree, advance(tree, q, u, h).value()).value();
    const Kinematics before = forward_kinematics(tree, advance(tree, q, u, -h).value()).value();
    const Vec3 point = testing::random_vector(rng, 1);
    const auto moved = [&](const Kinematics& then, std::size_t j) -> Vec3 {
      return then.places[j].origin + then.places[j].R * (now.places[j].R.transpose() * (point - now.places[j].origin));
    };
    const Vec3 expected = (moved(after, 7) - moved(before, 7) - moved(after, 3) + moved(before, 3)) / (2 * h);
    const ContactPoint at = contact_point(tree, now, 3, 7, point, Vec3::UnitZ()).value();
    ASSERT_LT((at.J * u - expected).norm(), 1e-7 * (1 + expected.norm())) << "case " << i;
  }
}

TEST(Articulated, LongChains_EqualTheDenseAnswer) {
  for (const int count : {10, 30, 100, 300, 1000}) {
    Rng rng(static_cast<std::uint64_t>(count));
    const Tree tree = testing::random_chain(rng, count);
    VecX q(count);
    for (double& x : q) x = uniform(rng, -1, 1);
    const Kinematics posture = forward_kinematics(tree, q).value();
    const Vec3 tip = posture.places.back().origin + posture.places.back().R * Vec3(0, 0, -0.1);
    const ContactPoint at = contact_point(tree, posture, -1, count - 1, tip, Vec3::UnitZ()).value();
    const Articulated fast = Articulated::at(tree, posture).value();
    const auto propagated = fast.propagate(-1, count - 1, tip).value();
    const MatX M = mass_matrix(tree, posture);
    const MatX L = M.llt().solve(MatX(at.J.transpose()));
    const Mat3 W = at.J * L;
    std::printf("chain of %4d: |dL|/|L| %.1e, |dW|/|W| %.1e\n", count, relative(propagated.L, L),
                relative(propagated.W, W));
    EXPECT_LT(relative(propagated.L, L), 1e-10) << count;
    EXPECT_LT(relative(propagated.W, W), 1e-10) << count;
    EXPECT_LT(relative(fast.solve(at.J.transpose()), L), 1e-10) << count;
  }
}

TEST(Articulated, LongChains_CostPerLinkIsPrinted) {
  using Clock = std::chrono::steady_clock;
  const auto microseconds = [](Clock::duration d) { return std::chrono::duration<double, std::micro>(d).count(); };
  for (const int count : {10, 100, 1000}) {
    Rng rng(5);
    const Tree tree = testing::random_chain(rng, count);
    const Kinematics posture = forward_kinematics(tree, VecX::Constant(count, 0.1)).value();
    const Vec3 tip = posture.places.back().origin;
    const int repeats = 20000 / count;
    const auto begin = Clock::now();
    double sum = 0;
    for (int i = 0; i < repeats; ++i)
      sum += Articulated::at(tree, posture).value().propagate(-1, count - 1, tip).value().W.trace();
    const double fast = microseconds(Clock::now() - begin) / repeats;
    const auto dense_begin = Clock::now();
    const ContactPoint at = contact_point(tree, posture, -1, count - 1, tip, Vec3::UnitZ()).value();
    sum += (at.J * mass_matrix(tree, posture).llt().solve(MatX(at.J.transpose()))).trace();
    const double dense = microseconds(Clock::now() - dense_begin);
    std::printf("chain of %4d: linear %.1f us (%.2f us per link), dense %.0f us  [%g]\n", count, fast, fast / count,
                dense, sum);
    EXPECT_TRUE(std::isfinite(sum));
  }
}

TEST(Articulated, DoublePendulumHitsTheFloor_EnergyLedgerOfSpeedsIsThatOfTheContact) {
  Rng rng(6);
  for (int i = 0; i < 200; ++i) {
    Tree tree = testing::random_chain(rng, 2);
    for (Link& link : tree.links) link.axis = Vec3::UnitY();
    VecX q(2);
    q << uniform(rng, -1, 1), uniform(rng, 0.2, 1);
    const Kinematics posture = forward_kinematics(tree, q).value();
    const Vec3 tip = posture.places[1].origin + posture.places[1].R * Vec3(0, 0, -0.1);
    const ContactPoint at = contact_point(tree, posture, -1, 1, tip, Vec3::UnitZ()).value();
    VecX u = random_speeds(rng, 2);
    if ((at.J * u).z() > 0) u = -u;
    const auto response = respond(Articulated::at(tree, posture).value().solver(), at, u);
    ASSERT_TRUE(response) << response.error().message();
    EXPECT_TRUE(response->contact.immovable);  // a planar mechanism in space
    const Outcome outcome = collide(Routh{.e = 0.5, .mu = 0.4}, response->contact).value();
    const VecX after = response->after(outcome.P);
    const MatX M = mass_matrix(tree, posture);
    const double change = 0.5 * (after.dot(M * after) - u.dot(M * u));
    ASSERT_NEAR(change, outcome.energy_change, 1e-12 * u.dot(M * u));
    ASSERT_LT((at.J * after - outcome.V).norm(), 1e-11 * (1 + outcome.V.norm()));
  }
}

TEST(Articulated, BadInputIsNamed) {
  Rng rng(7);
  Tree tree = testing::random_chain(rng, 3);
  const VecX q = VecX::Zero(3);
  EXPECT_EQ(forward_kinematics(tree, VecX::Zero(4)).error().path, "q");
  EXPECT_EQ(forward_kinematics(tree, VecX::Constant(3, std::nan(""))).error().path, "q");
  const auto broken = [&](auto&& change) {
    Tree bad = tree;
    change(bad.links[1]);
    const auto result = forward_kinematics(bad, q);
    return result ? std::string("accepted") : result.error().path;
  };
  EXPECT_EQ(broken([](Link& l) { l.parent = 1; }), "rod1.parent");
  EXPECT_EQ(broken([](Link& l) { l.axis.setZero(); }), "rod1.axis");
  EXPECT_EQ(broken([](Link& l) { l.mass = -1; }), "rod1.mass");
  EXPECT_EQ(broken([](Link& l) { l.mass = std::nan(""); }), "rod1.mass");
  EXPECT_EQ(broken([](Link& l) { l.rotation *= 2; }), "rod1.rotation");
  EXPECT_EQ(broken([](Link& l) { l.inertia = -l.inertia; }), "rod1.inertia");
  EXPECT_EQ(broken([](Link& l) { l.rotor = -1; }), "rod1.rotor");

  const Kinematics posture = forward_kinematics(tree, q).value();
  EXPECT_EQ(contact_point(tree, posture, -1, 3, Vec3::Zero(), Vec3::UnitZ()).error().path, "second");
  EXPECT_EQ(contact_point(tree, posture, 1, 1, Vec3::Zero(), Vec3::UnitZ()).error().path, "second");
  EXPECT_EQ(contact_point(tree, posture, -1, 1, Vec3::Zero(), Vec3(0, 0, 2)).error().path, "n");
  EXPECT_EQ(Articulated::at(tree, posture).value().propagate(-2, 1, Vec3::Zero()).error().path, "first");

  Tree massless = tree;
  massless.links[2].mass = 0;
  massless.links[2].inertia.setZero();
  const auto refused = Articulated::at(massless, forward_kinematics(massless, q).value());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().path, "rod2.mass");

  // Two hinges about one axis with nothing between them can turn against each other for free.
  Tree doubled = tree;
  doubled.links[1].mass = 0;
  doubled.links[1].inertia.setZero();
  doubled.links[2].position.setZero();
  doubled.links[1].axis = doubled.links[2].axis = Vec3(0.3, 0.4, 0.5);
  const auto singular = Articulated::at(doubled, forward_kinematics(doubled, q).value());
  ASSERT_FALSE(singular);
  EXPECT_EQ(singular.error().path, "rod1.mass");
}

TEST(Articulated, QuaternionOffTheUnitSphere_IsRefused) {
  Rng rng(8);
  Tree tree;
  tree.links.push_back(testing::random_link(rng, 0));
  tree.links[0].joint = JointType::ball;
  EXPECT_FALSE(forward_kinematics(tree, Eigen::Vector4d(1, 0, 0, 0.1)));
  EXPECT_FALSE(forward_kinematics(tree, VecX(Eigen::Vector4d::Zero())));
  EXPECT_TRUE(forward_kinematics(tree, Eigen::Vector4d(0.6, 0, 0.8, 0)));
}

}  // namespace
}  // namespace ricochet
