#include "ricochet/report/contacts_document.hpp"

#include <gtest/gtest.h>

#include "ricochet/io/collision_toml.hpp"
#include "ricochet/io/json.hpp"
#include "ricochet/io/named_scene.hpp"
#include "ricochet/scene/event_collision.hpp"

namespace ricochet {
namespace {

/// Equal elastic balls in a row: one after the other is struck at the first one's speed, and passes on m v.
TEST(ContactsDocument, Cradle_EveryContactIsStruckOnceAtTheFirstSpeed) {
  const auto scene = named_scene("cradle:5");
  ASSERT_TRUE(scene && *scene);
  const auto answers = contact_answers(**scene);
  ASSERT_TRUE(answers) << answers.error().message();
  const double m = (*scene)->arrangement.bodies[0].mass;
  const double v = (*scene)->arrangement.bodies[0].velocity.x();
  const ContactAnswer& stated = answers->answers[0];
  ASSERT_EQ(stated.steps.size(), 4U);
  for (std::uint32_t k = 0; k < 4; ++k) {
    const AnsweredStep& step = stated.steps[k];
    EXPECT_EQ(step.step.contact, k);
    EXPECT_NEAR(step.step.P.x(), m * v, 1e-12);
    ASSERT_TRUE(step.bodies);
    EXPECT_NEAR((*step.bodies)[0].velocity.x(), v, 1e-12);
    EXPECT_NEAR((*step.bodies)[1].velocity.x(), 0, 1e-12);
  }
  // Each contact alone is a collision of two balls: half a ball's mass along the line.
  const Json json = Json::parse(contacts_document(**scene, *answers));
  ASSERT_EQ(json["contacts"].size(), 4U);
  for (const Json& contact : json["contacts"]) {
    const auto collision = read_toml(contact["collision"].get<std::string>());
    ASSERT_TRUE(collision) << collision.error().error.message();
    EXPECT_NEAR(collision->contact.M(0, 0), m / 2, 1e-12);
    EXPECT_TRUE(collision->bodies);
  }
}

/// A ball of 2 kg that fell at 3 m/s rebounds at 1.5: P = 2 · 4.5, and before it the ball fell at 3 m/s.
TEST(EventCollision, Ball_HasTheVelocityBeforeAndTheImpulseOfTheEvent) {
  motion::World world;
  world.bodies.resize(2);
  world.bodies[0].name = "floor";
  world.bodies[0].body.fixed = true;
  world.bodies[1].name = "ball";
  world.bodies[1].body.mass = 2;
  world.bodies[1].body.inertia = Mat3::Identity();
  world.laws.push_back({.law = *make_law("frictionless", [] {
                          LawParameters parameters;
                          (void)set(parameters, "e", 0.5);
                          return parameters;
                        }())});
  world.law_of_pair = {0};
  motion::Event event;
  event.body_b = 1;
  event.P = {0, 0, 9};
  event.V = {0, 0, -3};
  const std::vector<motion::Pose> after{{Vec3::Zero(), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()},
                                        {{0, 0, 1}, Quaternion::Identity(), {0, 0, 1.5}, Vec3::Zero()}};
  const auto alone = event_collision(world, event, after);
  ASSERT_TRUE(alone) << alone.error().message();
  ASSERT_TRUE(alone->bodies);
  EXPECT_NEAR(alone->bodies->B.velocity.z(), -3, 1e-14);
  EXPECT_NEAR(alone->contact.V.z(), -3, 1e-14);
  const auto hit = collide(*make_law(*alone->law, alone->settings), alone->contact);
  ASSERT_TRUE(hit) << hit.error().message();
  EXPECT_NEAR(hit->P.z(), 9, 1e-13);
  // With others at the same instant the bodies before are not known, but W and V are.
  event.together = 2;
  const auto one_of_two = event_collision(world, event, after);
  ASSERT_TRUE(one_of_two) << one_of_two.error().message();
  EXPECT_FALSE(one_of_two->bodies);
  EXPECT_NEAR(one_of_two->contact.W(2, 2), 0.5, 1e-14);
  EXPECT_EQ(one_of_two->contact.V, event.V);
  event.kind = motion::EventKind::slip;
  EXPECT_FALSE(event_collision(world, event, after));
}

}  // namespace
}  // namespace ricochet
