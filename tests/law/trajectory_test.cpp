#include "ricochet/law/trajectory.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "random_contact.hpp"
#include "ricochet/law/routh.hpp"

namespace ricochet {
namespace {

using testing::Rng;

Contact swerving() {
  Mat3 M;
  M << 2.0, 0.7, 0.2, 0.7, 1.5, -0.3, 0.2, -0.3, 1.1;
  return contact_from_mass(M, Vec3(-1.0, -1.4, 0.9), Vec3::UnitX()).value();
}

struct OnWay {
  Vec3 P = Vec3::Zero();
  double friction_work = 0;
};

/// Interpolates a point of the path at a normal impulse.
OnWay at_normal_impulse(const Trajectory& way, const Vec3& n, double P_n) {
  for (const TrajectoryPiece& piece : way.pieces) {
    for (std::size_t i = 1; i < piece.points.size(); ++i) {
      const TrajectoryPoint& a = piece.points[i - 1];
      const TrajectoryPoint& b = piece.points[i];
      const double low = n.dot(a.P), high = n.dot(b.P);
      if (P_n < low || P_n > high || !(high > low)) continue;
      const double s = (P_n - low) / (high - low);
      if (piece.form == TrajectoryPiece::Form::straight) {
        const TrajectoryPoint there = along(n, a, b, s);
        return {there.P, there.friction_work};
      }
      return {a.P + s * (b.P - a.P), a.friction_work + s * (b.friction_work - a.friction_work)};
    }
  }
  ADD_FAILURE() << "no such normal impulse on the way: " << P_n;
  return {};
}

/// Slip does not depend on the normal speed: for every approach speed the impulse follows one curve, and a slower
/// approach without rebound ends earlier on it. The law itself finds these end points independently.
void expect_ends_of_softer_impacts_on(const Trajectory& way, const Contact& contact, double mu, double tolerance) {
  const Vec3& n = contact.n;
  for (const double softer : {0.15, 0.4, 0.65, 0.9}) {
    Contact other = contact;
    other.V += (1 - softer) * contact.approach_speed() * n;
    const auto end = collide(Routh{.e = 0, .mu = mu}, other);
    ASSERT_TRUE(end);
    if (end->jammed) continue;
    const OnWay place = at_normal_impulse(way, n, n.dot(end->P));
    EXPECT_LT((place.P - end->P).norm(), tolerance * end->P.norm());
    EXPECT_NEAR(place.friction_work, end->friction_work, 5 * tolerance * std::abs(end->friction_work));
  }
}

TEST(Trajectory, SwervingSlipIsTheCurveThatTheLawRunsAlong) {
  const Contact contact = swerving();
  const auto outcome = collide(Routh{.e = 0.5, .mu = 0.4}, contact);
  ASSERT_TRUE(outcome);
  const Trajectory way = trajectory_of(contact, *outcome, 0.4);
  ASSERT_FALSE(way.pieces.empty());
  EXPECT_EQ(way.pieces.front().form, TrajectoryPiece::Form::swerving);
  EXPECT_GT(way.pieces.front().points.size(), 40U);
  expect_ends_of_softer_impacts_on(way, contact, 0.4, 1e-4);
  // The chord is not that curve: the test above would see the difference.
  const TrajectoryPiece& first = way.pieces.front();
  double off = 0;
  for (const TrajectoryPoint& p : first.points) {
    const double s = contact.n.dot(p.P) / contact.n.dot(first.points.back().P);
    off = std::max(off, (p.P - s * first.points.back().P).norm() / first.points.back().P.norm());
  }
  EXPECT_GT(off, 5e-3);
}

TEST(Trajectory, EveryPointHasItsVelocityAndItsEnergy) {
  const Contact contact = swerving();
  const auto outcome = collide(Routh{.e = 0.5, .mu = 0.4}, contact);
  ASSERT_TRUE(outcome);
  const Trajectory way = trajectory_of(contact, *outcome, 0.4);
  for (const TrajectoryPiece& piece : way.pieces) {
    for (const TrajectoryPoint& p : piece.points) {
      EXPECT_LT((contact.V + contact.W * p.P - p.V).norm(), 1e-12);
      EXPECT_NEAR(0.5 * p.V.dot(contact.M * p.V) - 0.5 * contact.V.dot(contact.M * contact.V),
                  p.normal_work + p.friction_work, 1e-12);
    }
  }
  EXPECT_EQ(way.marks.front().name, "start");
  EXPECT_EQ(way.marks.back().name, "end");
  EXPECT_LT((way.impulses().back() - outcome->P).norm(), 1e-12);
}

TEST(Trajectory, RandomImpactsAreFollowed) {
  Rng rng(11);
  int swerved = 0;
  for (int i = 0; i < 300; ++i) {
    const Contact contact = testing::random_contact(rng, 2);
    const double mu = testing::uniform(rng, 0.05, 1.5);
    const auto outcome = collide(Routh{.e = 0.7, .mu = mu}, contact);
    ASSERT_TRUE(outcome);
    const Trajectory way = trajectory_of(contact, *outcome, mu);
    bool swerves = false;
    for (const TrajectoryPiece& piece : way.pieces) {
      EXPECT_NE(piece.form, TrajectoryPiece::Form::unknown) << i;
      swerves = swerves || piece.form == TrajectoryPiece::Form::swerving;
    }
    if (!swerves || outcome->jammed) continue;
    ++swerved;
    expect_ends_of_softer_impacts_on(way, contact, mu, 2e-3);
  }
  EXPECT_GT(swerved, 100);
}

TEST(Trajectory, InThePlaneEveryPieceIsStraight) {
  const Contact contact =
      contact_from_mass((Mat3() << 2, 0.8, 0, 0.8, 1, 0, 0, 0, 1).finished(), Vec3(-1, -1, 0), Vec3::UnitX()).value();
  const auto outcome = collide(Routh{.e = 0.5, .mu = 0.6}, contact);
  ASSERT_TRUE(outcome);
  for (const TrajectoryPiece& piece : trajectory_of(contact, *outcome, 0.6).pieces)
    EXPECT_EQ(piece.form, TrajectoryPiece::Form::straight);
}

TEST(Trajectory, WithAnotherFrictionThereIsNoWayToTheEnd) {
  // With a wrong coefficient the slip does not reach the law's end point, and no points are invented in between.
  const Contact contact = swerving();
  const auto outcome = collide(Routh{.e = 0.5, .mu = 0.4}, contact);
  ASSERT_TRUE(outcome);
  const Trajectory way = trajectory_of(contact, *outcome, 0.5);
  EXPECT_EQ(way.pieces.front().form, TrajectoryPiece::Form::unknown);
  EXPECT_EQ(way.pieces.front().points.size(), 2U);
}

}  // namespace
}  // namespace ricochet
