/// Bundled systems in motion. Their motion is that of a tree of links; here their own closed forms, 𝓜(q) and f(q, u) of
/// mechanism/systems.hpp, are integrated by Runge's and Kutta's method, and their own contacts are resolved by the law.

#include <gtest/gtest.h>

#include <cmath>

#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"
#include "ricochet/mechanism/systems.hpp"
#include "ricochet/motion/simulation.hpp"
#include "ricochet/scene/bundled_systems.hpp"
#include "ricochet/scene/motion_scene.hpp"

namespace ricochet {
namespace {

MotionScene scene_of(const std::string& system, std::vector<NamedNumbers> sizes) {
  MotionScene out;
  PlacedRobot robot;
  robot.file = system;
  robot.sizes = std::move(sizes);
  out.robots.push_back(robot);
  out.robot_file = true;
  out.gravity = {0, 0, -9.80665};
  out.law = "routh";
  out.settings.e = 0.5;
  out.settings.mu = 0.3;
  return out;
}

/// The system by its closed form, with the sizes that the table states.
Lagrangian closed_form(const std::string& name) {
  if (name == "single-pendulum") return single_pendulum({1, 1});
  if (name == "double-pendulum") return double_pendulum_absolute({2, 3}, {2, 3});
  return double_pendulum_relative({2, 3}, {2, 3});
}

struct SystemState {
  VecX q, u;
};
SystemState default_state(const std::string& name) {
  const auto machine = make_bundled(*find_bundled(name), {}).value();
  return {machine->default_q(), machine->default_u()};
}

SystemState after(const Lagrangian& system, SystemState s, double T, int steps) {
  const double h = T / steps;
  const auto rate = [&](const VecX& q, const VecX& u) -> VecX { return acceleration(system, q, u).value(); };
  for (int k = 0; k < steps; ++k) {
    const VecX q = s.q, u = s.u, a1 = rate(q, u), a2 = rate(q + h / 2 * u, u + h / 2 * a1);
    const VecX a3 = rate(q + h / 2 * u + h * h / 4 * a1, u + h / 2 * a2);
    const VecX a4 = rate(q + h * u + h * h / 2 * a2, u + h * a3);
    s.q += h * u + h * h / 6 * (a1 + a2 + a3);
    s.u += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return s;
}

const std::vector<std::string> pendulums{"single-pendulum", "double-pendulum", "double-pendulum-relative"};

TEST(BundledSystems, Pendulums_SwingAsTheirClosedFormsSay) {
  motion::testing::Deviation place("place"), velocity("velocity");
  for (const std::string& name : pendulums) {
    const auto world = make_world(scene_of(name, {{"floor", {-100}, 0}}));
    ASSERT_TRUE(world) << name << ": " << world.error().message();
    auto simulation = motion::Simulation::start(*world);
    ASSERT_TRUE(simulation) << simulation.error().message();
    const double T = 1.7;
    ASSERT_TRUE(simulation->run(T));
    const Lagrangian system = closed_form(name);
    const SystemState end = after(system, default_state(name), T, 20000);
    // The shape of the last link is its tip.
    const SystemPoint& tip = system.points.back();
    const std::size_t last = world->mechanisms[0].bodies.back();
    const motion::Pose pose = simulation->poses()[last];
    const Vec3 arm = pose.orientation * world->bodies[last].shapes[0].position;
    const Vec3 V = tip.jacobian(end.q) * end.u;
    place.add(pose.position + arm, tip.position(end.q), 1);
    velocity.add(pose.velocity + pose.angular_velocity.cross(arm), V, V.norm());
    EXPECT_LT(std::abs(simulation->ledger().imbalance()), 1e-10) << name;
  }
  EXPECT_LT(place.largest(), 1e-9);
  EXPECT_LT(velocity.largest(), 1e-9);
}

// The floor is right below the contact, which closes at the start.
TEST(BundledSystems, FirstImpact_HasTheImpulseOfItsOwnContact) {
  motion::testing::Deviation impulse("impulse");
  for (const std::string& name : pendulums) {
    const auto world = make_world(scene_of(name, {}));
    ASSERT_TRUE(world) << name << ": " << world.error().message();
    auto simulation = motion::Simulation::start(*world);
    ASSERT_TRUE(simulation) << simulation.error().message();
    std::vector<motion::Event> events;
    motion::Observer observer;
    observer.event = [&](const motion::Event& e) { events.push_back(e); };
    ASSERT_TRUE(simulation->run(1e-6, observer));
    ASSERT_FALSE(events.empty()) << name;
    const SystemState start = default_state(name);
    const auto response = respond(closed_form(name), "floor", start.q, start.u);
    ASSERT_TRUE(response) << response.error().message();
    const auto outcome = collide(Law(Routh{.e = 0.5, .mu = 0.3}), response->contact);
    ASSERT_TRUE(outcome);
    const double sign = world->bodies[events[0].body_b].body.fixed ? -1 : 1;  // P on the link
    EXPECT_EQ(events[0].time, 0) << name;
    impulse.add(sign * events[0].P, outcome->P, outcome->P.norm());
  }
  EXPECT_LT(impulse.largest(), 1e-12);
}

TEST(BundledSystems, AllOfThem_MoveWithTheirLedgerClosed) {
  for (const Bundled& system : bundled_systems()) {
    MotionScene scene = scene_of(std::string(system.name), {});
    const auto machine = make_bundled(system, {});
    ASSERT_TRUE(machine);
    scene.gravity = (*machine)->gravity();
    const auto world = make_world(scene);
    ASSERT_TRUE(world) << system.name << ": " << world.error().message();
    auto simulation = motion::Simulation::start(*world);
    ASSERT_TRUE(simulation) << system.name << ": " << simulation.error().message();
    const auto ran = simulation->run(0.6);
    ASSERT_TRUE(ran) << system.name << ": " << ran.error().message();
    EXPECT_GT(simulation->events(), 0U) << system.name;
    EXPECT_LT(std::abs(simulation->ledger().imbalance()), 1e-9 * (1 + std::abs(simulation->ledger().start)))
        << system.name;
  }
}

TEST(BundledSystems, ASizeThatIsNotThere_IsRefusedByItsName) {
  const auto world = make_world(scene_of("single-pendulum", {{"width", {1}, 0}}));
  ASSERT_FALSE(world);
  EXPECT_EQ(world.error().path, "robot[1].size.width");
  EXPECT_EQ(world.error().code, ErrorCode::unknown_name);
}

}  // namespace
}  // namespace ricochet
