#include "ricochet/complementarity/plastic.hpp"

#include <Eigen/LU>

#include "joint_arrangements.hpp"

namespace ricochet {
namespace {

using namespace testing;

Assembled made(const BodyScene& a) {
  auto assembled = assemble(a);
  EXPECT_TRUE(assembled) << assembled.error().message();
  return *std::move(assembled);
}

/// Gauss's principle: the velocities after a plastic frictionless impact are, of all that nothing forbids, the nearest
/// in kinetic energy. Found here over all sets of contacts that may be held, from masses and Jacobians.
VecX nearest_by_enumeration(const BodyScene& a) {
  const auto dof = static_cast<Eigen::Index>(6 * a.bodies.size());
  MatX mass = MatX::Zero(dof, dof);
  VecX u(dof);
  std::vector<bool> fixed(static_cast<std::size_t>(dof), false);
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    const RigidBody& body = a.bodies[i];
    const auto at = static_cast<Eigen::Index>(6 * i);
    const Mat3 R = body.orientation.toRotationMatrix();
    mass.block<3, 3>(at, at) = body.mass * Mat3::Identity();
    mass.block<3, 3>(at + 3, at + 3) = R * body.inertia * R.transpose();
    if (body.fixed) mass.block<6, 6>(at, at) = 1e18 * MatX::Identity(6, 6);
    u.segment<3>(at) = body.velocity;
    u.segment<3>(at + 3) = body.angular_velocity;
  }
  const auto k = static_cast<Eigen::Index>(a.contacts.size());
  MatX N = MatX::Zero(k, dof);
  for (std::size_t c = 0; c < a.contacts.size(); ++c) {
    const ContactSpec& t = a.contacts[c];
    const Vec3 n = t.n.normalized();
    for (const auto& [i, sign] : {std::pair{t.first, -1.0}, std::pair{t.second, 1.0}}) {
      const auto at = static_cast<Eigen::Index>(6 * i);
      N.block<1, 3>(static_cast<Eigen::Index>(c), at) = sign * n.transpose();
      N.block<1, 3>(static_cast<Eigen::Index>(c), at + 3) =
          sign * (t.point - a.bodies[i].position).cross(n).transpose();
    }
  }
  const MatX inverse = mass.inverse();
  VecX best;
  double least = std::numeric_limits<double>::infinity();
  for (unsigned mask = 0; mask < 1U << k; ++mask) {
    std::vector<Eigen::Index> held;
    for (Eigen::Index i = 0; i < k; ++i)
      if ((mask >> i & 1U) != 0) held.push_back(i);
    VecX candidate = u;
    if (!held.empty()) {
      const MatX Nh = N(held, Eigen::all);
      const MatX S = Nh * inverse * Nh.transpose();
      Eigen::FullPivLU<MatX> lu(S);
      lu.setThreshold(1e-10);
      if (!lu.isInvertible()) continue;
      candidate -= inverse * Nh.transpose() * lu.solve(Nh * u);
    }
    if ((N * candidate).minCoeff() < -1e-10) continue;
    const double distance = (candidate - u).dot(mass * (candidate - u));
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

TEST(Plastic, RandomGraphs_AreNearestInKineticEnergy) {
  Rng rng(21);
  int collided = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const BodyScene a = random_graph(rng, 2 + rng() % 4, 1 + rng() % 6, rng() % 2);
    const Assembled assembled = made(a);
    const auto out = resolve_plastic(assembled.problem);
    ASSERT_TRUE(out) << out.error().message();
    expect_consistent(a, assembled, *out, 1e-9);
    EXPECT_LE(out->energy_change, 1e-12);
    EXPECT_FALSE(out->gains_energy());
    for (std::size_t i = 0; i < a.contacts.size(); ++i) {
      const Vec3 n = a.contacts[i].n.normalized();
      EXPECT_LT(std::abs(n.dot(out->G[i]) * n.dot(out->V[i])), 1e-8);
      EXPECT_LT((out->G[i] - n.dot(out->G[i]) * n).norm(), 1e-14 * (1 + out->G[i].norm()));
    }
    collided += out->energy_change < -1e-6;
    const VecX u = nearest_by_enumeration(a);
    ASSERT_GT(u.size(), 0);
    const auto after = moved(a, assembled, out->u);
    for (std::size_t i = 0; i < a.bodies.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(6 * i);
      EXPECT_LT((after[i].velocity - u.segment<3>(at)).norm(), 1e-7) << trial;
      EXPECT_LT((after[i].angular_velocity - u.segment<3>(at + 3)).norm(), 1e-7) << trial;
    }
  }
  EXPECT_GT(collided, 300);
}

TEST(Plastic, OneContact_IsFrictionlessPlastic) {
  Rng rng(22);
  for (int trial = 0; trial < 300; ++trial) {
    const BodyScene a = random_graph(rng, 2, 1, 0);
    const Assembled assembled = made(a);
    const auto out = resolve_plastic(assembled.problem);
    ASSERT_TRUE(out);
    const auto law = collide(Law(Frictionless{0}), assembled.problem.contacts()[0].contact);
    ASSERT_TRUE(law);
    EXPECT_LT((out->G[0] - law->P).norm(), 1e-12 * (1 + law->P.norm()));
    EXPECT_EQ(out->chosen, Chosen::only);
  }
}

TEST(Plastic, BoxOnFourCorners_EachTakesAQuarter) {
  const BodyScene a = box_on_corners(Frictionless{}, {0.3, 0, -1});
  const auto out = resolve_plastic(made(a).problem);
  ASSERT_TRUE(out) << out.error().message();
  EXPECT_EQ(out->chosen, Chosen::minimal_norm);
  EXPECT_EQ(out->singular, true);
  for (const Vec3& P : out->G) EXPECT_NEAR(P.z(), 0.5, 1e-12);
}

TEST(Plastic, ChainOfBalls_MovesOnTogether) {
  const BodyScene a = row_of_balls({1, 2, 3, 4}, {1, 0, 0, 0}, Frictionless{});
  const Assembled assembled = made(a);
  const auto out = resolve_plastic(assembled.problem);
  ASSERT_TRUE(out);
  for (const RigidBody& b : moved(a, assembled, out->u)) EXPECT_NEAR(b.velocity.x(), 0.1, 1e-13);
}

TEST(Plastic, HingesInSequence_AreRefused) {
  BodyScene a = row_of_balls({1, 1}, {1, 0}, Frictionless{});
  a.bodies.push_back({.fixed = true});
  a.hinges.push_back({1, 2, {2, 0, 0}});
  const auto out = resolve_plastic(made(a).problem);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().path, "hinge[1]");
  const auto intact = assemble(a, Hinges::intact);
  ASSERT_TRUE(intact);
  EXPECT_TRUE(resolve_plastic(intact->problem));
}

/// Two walls that close on a ball leave nothing that would be permitted.
TEST(Plastic, SqueezedBall_HasNoAnswer) {
  BodyScene a = between_walls(0);
  a.bodies.push_back(a.bodies[0]);
  a.bodies[0].velocity = {-1, 0, 0};
  a.bodies[2].velocity = {1, 0, 0};
  a.contacts[1].first = 2;
  const auto out = resolve_plastic(made(a).problem);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().path, "solver");
}

}  // namespace
}  // namespace ricochet
