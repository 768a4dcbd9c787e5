/// Bundled systems in motion. Their motion is that of a tree of links; here their own closed forms, 𝓜(q) and f(q, u) of
/// mechanism/systems.hpp, are integrated by Runge's and Kutta's method, and their own contacts are resolved by the law.

#include <gtest/gtest.h>

#include <array>
#include <boost/numeric/odeint.hpp>
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

/// M11's double pendulum (Fig. 3.1): two uniform rods of L and m, absolute angles from hanging towards x, whose tip
/// strikes a floor. From Lagrange, with B = ½ m L², c and s of θ₁ − θ₂:
///   (4/3) m L² θ̈₁ + B c θ̈₂ + B s θ̇₂² + (3/2) m g L sin θ₁ = 0,   (1/3) m L² θ̈₂ + B c θ̈₁ − B s θ̇₁² + ½ m g L sin θ₂ = 0
class Morgan {
 public:
  using Real = long double;
  using State = std::array<Real, 4>;  // θ₁, θ₂, θ̇₁, θ̇₂
  using Pair = std::array<Real, 2>;
  static constexpr Real L = 2, m = 3, g = 9.80665L, floor = -3.8L;

  /// 𝓜⁻¹ y.
  static Pair solved(const State& x, const Pair& y) {
    const Real a = m * L * L * 4 / 3, b = m * L * L / 2 * std::cos(x[0] - x[1]), d = m * L * L / 3;
    return {(d * y[0] - b * y[1]) / (a * d - b * b), (a * y[1] - b * y[0]) / (a * d - b * b)};
  }
  static void rate(const State& x, State& out, Real) {
    const Real B = m * L * L / 2 * std::sin(x[0] - x[1]);
    const Pair accelerations = solved(
        x, {-B * x[3] * x[3] - 1.5L * m * g * L * std::sin(x[0]), B * x[2] * x[2] - 0.5L * m * g * L * std::sin(x[1])});
    out = {x[2], x[3], accelerations[0], accelerations[1]};
  }
  static Real gap(const State& x) { return -L * (std::cos(x[0]) + std::cos(x[1])) - floor; }
  static Pair normal(const State& x) { return {L * std::sin(x[0]), L * std::sin(x[1])}; }
  static Pair tangential(const State& x) { return {L * std::cos(x[0]), L * std::cos(x[1])}; }
  static Real dot(const Pair& J, const Pair& u) { return J[0] * u[0] + J[1] * u[1]; }

  struct Impact {
    Real time = 0, approach = 0, slip = 0, normal = 0, tangential = 0;
  };

  /// The first impacts. Steps of 1 ms are so short that the tip, which falls and rises once between two impacts, is
  /// below the floor at the end of one; the time is found by bisection.
  static std::vector<Impact> impacts(State x, std::size_t count, Real e, Real mu) {
    namespace ode = boost::numeric::odeint;
    ode::runge_kutta_fehlberg78<State, Real> stepper;
    std::vector<Impact> out;
    Real t = 0;
    const Real h = 1e-3L;
    while (out.size() < count && t < 10) {
      const auto after = [&](Real dt) {
        State y = x;
        stepper.do_step(rate, y, t, dt);
        return y;
      };
      if (gap(after(h)) >= 0) {
        x = after(h);
        t += h;
        continue;
      }
      Real low = 0, high = h;
      for (int k = 0; k < 80; ++k) (gap(after((low + high) / 2)) < 0 ? high : low) = (low + high) / 2;
      x = after(low);
      t += low;
      Impact one{t, -dot(normal(x), {x[2], x[3]}), dot(tangential(x), {x[2], x[3]}), 0, 0};
      strike(x, e, mu, one);
      out.push_back(one);
    }
    return out;
  }

 private:
  /// M11, chapter 2: speeds are linear in the normal impulse between its pauses v_t = 0 and v_n = 0, and the impact
  /// ends where restitution has given back e² of the work of compression.
  static void strike(State& x, Real e, Real mu, Impact& one) {
    const Pair J_n = normal(x), J_t = tangential(x), L_n = solved(x, J_n), L_t = solved(x, J_t);
    Pair u{x[2], x[3]};
    Real v_t = dot(J_t, u), stored = 0, due = 0;
    const Real stick = -dot(J_t, L_n) / dot(J_t, L_t);
    Real friction = v_t > 0 ? -mu : mu;
    bool compresses = true, sticks = false;
    for (int phase = 0; phase < 4; ++phase) {
      const Pair k{L_n[0] + friction * L_t[0], L_n[1] + friction * L_t[1]};
      const Real v_n = dot(J_n, u), n_rate = dot(J_n, k), t_rate = sticks ? 0 : dot(J_t, k);
      Real p = compresses ? -v_n / n_rate : (std::sqrt(v_n * v_n + 2 * n_rate * due) - v_n) / n_rate;
      const Real pause = -v_t / t_rate;
      const bool pauses = t_rate != 0 && v_t != 0 && pause > 0 && pause < p;
      if (pauses) p = pause;
      const Real work = v_n * p + n_rate * p * p / 2;
      (compresses ? stored : due) -= work;
      for (int i = 0; i < 2; ++i) u[static_cast<std::size_t>(i)] += p * k[static_cast<std::size_t>(i)];
      one.normal += p;
      one.tangential += friction * p;
      v_t = pauses || sticks ? 0 : dot(J_t, u);
      if (pauses) {
        sticks = std::abs(stick) <= mu;
        friction = sticks ? stick : stick > 0 ? mu : -mu;
      } else if (compresses) {
        compresses = false;
        due = e * e * stored;
      } else {
        break;
      }
    }
    x[2] = u[0];
    x[3] = u[1];
  }
};

TEST(MorgansPendulum, ImpactsAfterImpacts_AsByTheAlgebraOfHisThesis) {
  motion::testing::Deviation time("impact time"), approach("approach"), impulse("impulse");
  for (const double mu : {0.1, 0.5}) {
    MotionScene scene = scene_of("double-pendulum", {{"floor", {static_cast<double>(Morgan::floor)}, 0}});
    scene.robots[0].q = {{"upper", {0.9}, 0}, {"lower", {0.2}, 0}};
    scene.robots[0].u = {{"upper", {0}, 0}, {"lower", {0}, 0}};
    scene.settings.e = 0.8;
    scene.settings.mu = mu;
    scene.settings.restitution = "stronge";
    const auto world = make_world(scene);
    ASSERT_TRUE(world) << world.error().message();
    auto simulation = motion::Simulation::start(*world);
    ASSERT_TRUE(simulation) << simulation.error().message();
    std::vector<motion::Event> seen;
    motion::Observer observer;
    observer.event = [&](const motion::Event& e) {
      if (e.kind == motion::EventKind::impact) seen.push_back(e);
    };
    const auto expected = Morgan::impacts({0.9L, 0.2L, 0, 0}, 8, 0.8L, mu);
    ASSERT_EQ(expected.size(), 8U);
    ASSERT_TRUE(simulation->run(static_cast<double>(expected.back().time) + 1e-6, observer));
    ASSERT_GE(seen.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const double sign = world->bodies[seen[k].body_b].body.fixed ? -1 : 1;  // P on the pendulum
      const Morgan::Impact& own = expected[k];
      time.add(seen[k].time, static_cast<double>(own.time));
      approach.add(seen[k].approach, static_cast<double>(own.approach), static_cast<double>(expected[0].approach));
      impulse.add(sign * seen[k].P, Vec3(static_cast<double>(own.tangential), 0, static_cast<double>(own.normal)),
                  static_cast<double>(expected[0].normal));
    }
  }
  EXPECT_LT(time.largest(), 1e-11);
  EXPECT_LT(approach.largest(), 1e-10);
  EXPECT_LT(impulse.largest(), 1e-10);
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
