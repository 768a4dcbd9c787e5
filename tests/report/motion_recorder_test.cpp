#include "ricochet/report/motion_recorder.hpp"

#include <gtest/gtest.h>

namespace ricochet {
namespace {

constexpr double g = 9.81;

/// A ball of 2 kg and 0.5 kg m² beside a floor.
motion::World ball_and_floor() {
  motion::World world;
  world.gravity = {0, 0, -g};
  motion::WorldBody floor, ball;
  floor.body.fixed = true;
  ball.body.mass = 2;
  ball.body.inertia = 0.5 * Mat3::Identity();
  world.bodies = {floor, ball};
  return world;
}

std::vector<motion::Pose> at(double z, double speed, double spin) {
  const motion::Pose still{Vec3::Zero(), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()};
  return {still, {{0, 0, z}, Quaternion::Identity(), {0, 0, speed}, {0, spin, 0}}};
}

TEST(MotionRecorder, EnergiesAreThoseOfThePoses) {
  MotionRecorder recorder("ball", ball_and_floor());
  recorder.add_sample(0, at(3, 0, 4));
  recorder.add_sample(0.5, at(3 - g / 8, -g / 2, 4));
  const MotionDocument document = std::move(recorder).finish();
  ASSERT_TRUE(check(document));
  EXPECT_DOUBLE_EQ(document.samples[0].energy.kinetic, 0.5 * 0.5 * 16);
  EXPECT_DOUBLE_EQ(document.samples[0].energy.potential, 2 * g * 3);
  EXPECT_DOUBLE_EQ(document.samples[1].energy.kinetic, 4 + g * g / 4);
  // What falls loses as much potential energy as it gains kinetic.
  EXPECT_NEAR(document.samples[1].energy.kinetic + document.samples[1].energy.potential, 4 + 6 * g, 1e-13);
}

TEST(MotionRecorder, SampleAtAnImpactHasItsLoss) {
  MotionRecorder recorder("ball", ball_and_floor());
  for (const double time : {0.0, 1.0, 1.5, 2.0}) recorder.add_sample(time, at(1, 0, 0));
  for (const auto& [time, change] : {std::pair{1.0, -0.25}, {1.0, -0.5}, {2.0, -1.0}}) {
    motion::Event event;
    event.time = time;
    event.energy_change = change;
    event.body_b = 1;
    recorder.add_event(event);
  }
  const MotionDocument document = std::move(recorder).finish();
  ASSERT_TRUE(check(document));
  const std::vector<double> expected{0, 0.75, 0.75, 1.75};
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_EQ(document.samples[k].energy.lost_to_impact, expected[k]) << k;
}

TEST(MotionRecorder, FrictionIsLinearBetweenTheTimesAtWhichItIsKnown) {
  MotionRecorder recorder("ball", ball_and_floor());
  for (const double time : {0.0, 0.25, 1.0, 1.5, 3.0}) recorder.add_sample(time, at(1, 0, 0));
  recorder.add_losses(0, 0);
  recorder.add_losses(1, 4);
  recorder.add_losses(2, 6);
  const MotionDocument document = std::move(recorder).finish();
  const std::vector<double> expected{0, 1, 4, 5, 6};
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_EQ(document.samples[k].energy.lost_to_friction, expected[k]) << k;
}

TEST(MotionRecorder, MoreNumbersThanAPagePlaysAreCounted) {
  MotionRecorder recorder("ball", ball_and_floor());
  const std::size_t fit = most_page_numbers / 27;
  for (std::size_t k = 0; k < fit; ++k) recorder.add_sample(static_cast<double>(k), at(1, 0, 0));
  EXPECT_FALSE(recorder.overflows());
  recorder.add_sample(static_cast<double>(fit), at(1, 0, 0));
  EXPECT_TRUE(recorder.overflows());
  EXPECT_EQ(recorder.samples(), fit + 1);
}

TEST(MotionRecorder, PiecesEndAtTheTimeThatWasAsked) {
  EXPECT_EQ(piece_end(motion_pieces, 0.1), 0.1);
  EXPECT_EQ(piece_end(64, 4), 1);
  for (std::uint64_t k = 1; k < motion_pieces; ++k) EXPECT_LT(piece_end(k, 0.3), piece_end(k + 1, 0.3));
}

}  // namespace
}  // namespace ricochet
