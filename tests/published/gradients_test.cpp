/// Gradients of motions with impacts, as published or computed with 60 digits: tasks 1 to 3 of Zhong, Han & Brikis
/// (arXiv:2207.05060), and the elastic pair of keenon/nimblephysics issue 97, whose engine answered (0.75, 0.25, 0.91,
/// 0.08). Flight is in closed form here; the derivatives of each impact are the library's.

#include <gtest/gtest.h>

#include <vector>

#include "ricochet/law/derivatives.hpp"

namespace ricochet::testing {
namespace {

/// A point with its derivatives by k inputs.
struct Particle {
  Vec3 x, v;
  Eigen::Matrix<double, 3, Eigen::Dynamic> dx, dv;

  Particle(const Vec3& position, const Vec3& velocity, int inputs)
      : x(position), v(velocity), dx(3, inputs), dv(3, inputs) {
    dx.setZero();
    dv.setZero();
  }
  /// Flight for t, whose derivatives are dt.
  void fly(double t, const Vec3& a) {
    x += v * t + a * t * t / 2;
    dx += dv * t;
    v += a * t;
  }
  /// The end of the flight comes later by dt.
  void later(const Eigen::RowVectorXd& dt, const Vec3& a) {
    dx += v * dt;
    dv += a * dt;
  }
};

Contact unit_mass(const Vec3& V, const Vec3& n, double mass = 1) {
  return *contact_from_mass(mass * Mat3::Identity(), V, n);
}

/// A ball of mass 1 strikes a wall with normal n; the columns of e and mu are those of the inputs, negative: none.
void strike_wall(Particle& ball, const Vec3& n, const Law& law, const Vec3& a, int e_column, int mu_column) {
  const Eigen::RowVectorXd dt = -(n.transpose() * ball.dx) / n.dot(ball.v);
  ball.later(dt, a);
  const auto hit = collide_with_derivatives(law, unit_mass(ball.v, n));
  ASSERT_TRUE(hit && hit->kink.empty());
  const Derivatives& d = hit->derivatives;
  ball.v = hit->outcome.V;
  ball.dv = (d.V(*d.find("V")) * ball.dv).eval();
  if (e_column >= 0) ball.dv.col(e_column) += d.V(*d.find("e"));
  if (mu_column >= 0) ball.dv.col(mu_column) += d.V(*d.find("mu"));
  ball.later(-dt, a);
}

TEST(PublishedGradients, Task1_OneBounceWithoutGravity) {
  Particle ball(Vec3(-1, 1, 0), Vec3(2, -2, 0), 4);
  ball.dx.leftCols<2>() = Eigen::Matrix<double, 3, 2>::Identity();
  ball.dv.rightCols<2>() = Eigen::Matrix<double, 3, 2>::Identity();
  ball.fly(0.45, Vec3::Zero());
  strike_wall(ball, Vec3::UnitY(), Routh{.e = 1}, Vec3::Zero(), -1, -1);
  ball.fly(0.55, Vec3::Zero());
  EXPECT_NEAR(ball.x.y(), 1.2, 1e-14);
  EXPECT_LE((ball.dx.row(1) - Eigen::RowVector4d(0, -1, 0, -1)).norm(), 1e-14);
}

struct Task2 {
  double mu, t_ground, t_wall, loss;
  Vec2 by_x, by_v;
  double by_e, by_mu;  ///< the latter only where mu > 0
};

class PublishedTask2 : public ::testing::TestWithParam<Task2> {};

// The ball does not rotate and friction stops the slip at most: in this contact the laws agree.
TEST_P(PublishedTask2, GroundThenWallWithGravity) {
  const Task2& task = GetParam();
  const Vec3 g(0, -9.8, 0), target(-2, 1.5, 0);
  for (const Law& law : {Law(Routh{.e = 0.92, .mu = task.mu}), Law(ChatterjeeRuina{.e = 0.92, .mu = task.mu}),
                         Law(Bilinear{.e = 0.92, .mu = task.mu}), Law(Whittaker{.e = 0.92, .mu = task.mu})}) {
    const int by_mu = task.mu > 0 ? 5 : -1;
    Particle ball(Vec3(-0.5, 1, 0), Vec3(5, -5, 0), 6);
    ball.dx.leftCols<2>() = Eigen::Matrix<double, 3, 2>::Identity();
    ball.dv.middleCols<2>(2) = Eigen::Matrix<double, 3, 2>::Identity();
    ball.fly(task.t_ground, g);
    strike_wall(ball, Vec3::UnitY(), law, g, 4, by_mu);
    ball.fly(task.t_wall - task.t_ground, g);
    strike_wall(ball, -Vec3::UnitX(), law, g, 4, by_mu);
    ball.fly(0.6 - task.t_wall, g);
    EXPECT_NEAR((ball.x - target).squaredNorm(), task.loss, 1e-11);
    const Eigen::RowVectorXd by = 2 * (ball.x - target).transpose() * ball.dx;
    EXPECT_NEAR(by(0), task.by_x(0), 1e-10);
    EXPECT_NEAR(by(1), task.by_x(1), 1e-10);
    EXPECT_NEAR(by(2), task.by_v(0), 1e-10);
    EXPECT_NEAR(by(3), task.by_v(1), 1e-10);
    EXPECT_NEAR(by(4), task.by_e, 1e-10);
    if (task.mu > 0) {
      EXPECT_NEAR(by(5), task.by_mu, 1e-10);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Friction, PublishedTask2,
    ::testing::Values(Task2{0, 0.15611541703324522, 0.43, 8.31613858220179, Vec2(-5.27712, 0.21628575484621934),
                            Vec2(-3.166272, -0.21222954800603155), -3.1295880676835286, 0},
                      Task2{0.1, 0.15611541703324522, 0.521660090679031, 11.484328845549394,
                            Vec2(-6.313213779896602, -0.22882155035501467),
                            Vec2(-3.787928267937961, -0.7737442028201197), 1.2509617898320962, 34.85829844868672}));

/// Two equal balls of mass 1 strike each other; `a` is the acceleration of the first.
void strike_pair(Particle& one, Particle& two, const Law& law, const Vec3& a) {
  const Vec3 d = two.x - one.x, V = two.v - one.v;
  const double distance = d.norm();
  const Vec3 n = d / distance;
  const Eigen::RowVectorXd dt = -(n.transpose() * (two.dx - one.dx)) / n.dot(V);
  one.later(dt, a);
  two.later(dt, Vec3::Zero());
  const Eigen::MatrixXd dn = (Mat3::Identity() - n * n.transpose()) * (two.dx - one.dx) / distance;
  const auto hit = collide_with_derivatives(law, unit_mass(V, n, 0.5));
  ASSERT_TRUE(hit && hit->kink.empty());
  const Derivatives& by = hit->derivatives;
  const Eigen::MatrixXd dP = by.P(*by.find("V")) * (two.dv - one.dv) + by.P(*by.find("n")) * dn;
  one.v -= hit->outcome.P;
  two.v += hit->outcome.P;
  one.dv -= dP;
  two.dv += dP;
  one.later(-dt, a);
  two.later(-dt, Vec3::Zero());
}

TEST(PublishedGradients, ElasticPairOfNimblephysicsIssue97) {
  for (const Law& law :
       {Law(Routh{.e = 1}), Law(ChatterjeeRuina{.e = 1}), Law(Frictionless{.e = 1}), Law(Smith{.e = 1})}) {
    Particle one(Vec3::Zero(), Vec3::UnitX(), 4), two(0.52 * Vec3::UnitX(), Vec3::Zero(), 4);
    one.dx(0, 0) = two.dx(0, 1) = one.dv(0, 2) = two.dv(0, 3) = 1;
    one.fly(0.32, Vec3::Zero());
    two.fly(0.32, Vec3::Zero());
    strike_pair(one, two, law, Vec3::Zero());
    two.fly(0.68, Vec3::Zero());
    EXPECT_NEAR(two.x.x(), 1.2, 1e-14);
    EXPECT_LE((two.dx.row(0) - Eigen::RowVector4d(1, 0, 1, 0)).norm(), 1e-10);
  }
}

TEST(PublishedGradients, Task3_DrivenBallHitsAnother) {
  const double t = 0.6914512696859078;
  const Vec3 u(3, 3, 0);
  Particle one(Vec3(-2, -2, 0), Vec3::Zero(), 8), two(Vec3(-1, -1, 0), Vec3::Zero(), 8);
  for (int i = 0; i < 2; ++i) one.dx(i, i) = one.dv(i, 2 + i) = two.dx(i, 4 + i) = two.dv(i, 6 + i) = 1;
  one.fly(t, u);
  two.fly(t, Vec3::Zero());
  strike_pair(one, two, Frictionless{.e = 1}, u);
  two.fly(1 - t, Vec3::Zero());
  EXPECT_NEAR(two.x.squaredNorm() + 0.1 * u.squaredNorm(), 2.0591435061085903, 1e-12);
  const Eigen::RowVectorXd by = 2 * two.x.transpose() * two.dx;
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(by(i), -0.39866841646141654, 1e-10);
    EXPECT_NEAR(by(2 + i), -0.4977906573659969, 1e-10);
    EXPECT_NEAR(by(4 + i), -0.3212531155246607, 1e-10);
    EXPECT_NEAR(by(6 + i), -0.22213087462008024, 1e-10);
  }
}

// Dropped from h, the ball bounces ever lower: v after bounce k is eᵏ √(2 g h), whatever the law.
TEST(PublishedGradients, TwentyBounces_ImpactSpeedInClosedForm) {
  const double e = 0.9, h = 1.3, g = 9.81;
  const double first = std::sqrt(2 * g * h);
  double v = first, by_e = 0, by_h = g / first;
  for (int k = 1; k <= 20; ++k) {
    const auto hit = collide_with_derivatives(Routh{.e = e, .mu = 0.3}, unit_mass(Vec3(0, -v, 0), Vec3::UnitY()));
    ASSERT_TRUE(hit && hit->kink.empty()) << (hit ? std::string(hit->kink) : hit.error().message());
    const Derivatives& d = hit->derivatives;
    const double by_v = -d.V(*d.find("V"))(1, 1);
    by_e = d.V(*d.find("e"))(1, 0) + by_v * by_e;
    by_h *= by_v;
    v = hit->outcome.V.y();
    EXPECT_NEAR(v, std::pow(e, k) * first, 1e-13 * first);
    EXPECT_NEAR(by_e, k * std::pow(e, k - 1) * first, 1e-12 * k * first);
    EXPECT_NEAR(by_h, std::pow(e, k) * g / first, 1e-12);
  }
}

}  // namespace
}  // namespace ricochet::testing
