#pragma once
/// Small worlds built in code, what happened in them, and how far it is from a closed form.

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ricochet/motion/simulation.hpp"

namespace ricochet::motion::testing {

inline constexpr double gravity = 9.81;

/// A fixed half space whose surface passes through `point`.
inline WorldBody half_space(const Vec3& point, const Vec3& normal, std::string name = "floor") {
  WorldBody out;
  out.name = std::move(name);
  out.body.fixed = true;
  out.body.position = point;
  out.body.orientation = Quaternion::FromTwoVectors(Vec3(Vec3::UnitZ()), normal);
  ConvexShape shape;
  shape.core = ConvexShape::Core::half_space;
  out.shapes.push_back(shape);
  return out;
}

inline WorldBody ground() { return half_space(Vec3::Zero(), Vec3::UnitZ()); }

/// Homogeneous: J = 2/5 m r².
inline WorldBody ball(double radius, double mass, const Vec3& position, const Vec3& velocity = Vec3::Zero(),
                      const Vec3& spin = Vec3::Zero(), std::string name = "ball") {
  WorldBody out;
  out.name = std::move(name);
  out.body.mass = mass;
  out.body.inertia = 0.4 * mass * radius * radius * Mat3::Identity();
  out.body.position = position;
  out.body.velocity = velocity;
  out.body.angular_velocity = spin;
  ConvexShape shape;
  shape.margin = radius;
  out.shapes.push_back(shape);
  return out;
}

/// Homogeneous: J_x = m/3 (b² + c²) with half edges (a, b, c).
inline WorldBody block(const Vec3& half, double mass, const Vec3& position, const Vec3& velocity = Vec3::Zero(),
                       std::string name = "block") {
  WorldBody out;
  out.name = std::move(name);
  out.body.mass = mass;
  const Vec3 s = half.cwiseAbs2();
  out.body.inertia = (mass / 3) * Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y()).asDiagonal();
  out.body.position = position;
  out.body.velocity = velocity;
  ConvexShape shape;
  shape.core = ConvexShape::Core::box;
  shape.size = half;
  out.shapes.push_back(shape);
  return out;
}

/// A rod along body x with half length l and round ends of radius a about its end points. Across, J = m l²/3 (slender);
/// along, J = m l²/300.
inline WorldBody rod(double l, double a, double mass, const Vec3& position, std::string name = "rod") {
  WorldBody out;
  out.name = std::move(name);
  out.body.mass = mass;
  const double J = mass * l * l / 3;
  out.body.inertia = Vec3(0.01 * J, J, J).asDiagonal();
  out.body.position = position;
  ConvexShape shape;
  shape.core = ConvexShape::Core::segment;
  shape.size = {0, 0, l};
  shape.margin = a;
  shape.rotation << 0, 0, 1, 0, 1, 0, -1, 0, 0;
  out.shapes.push_back(shape);
  return out;
}

/// Turned about y: positive angles raise the end at +x.
inline Quaternion raised(double angle) { return Quaternion(Eigen::AngleAxisd(-angle, Vec3::UnitY())); }

/// One law for all pairs; its own restitution serves impacts that are resolved jointly.
inline World world_of(std::vector<WorldBody> bodies, PairLaw law, const Vec3& g = Vec3(0, 0, -gravity)) {
  std::visit(
      [&](const auto& alternative) {
        if constexpr (requires { alternative.e; }) law.e = alternative.e;
      },
      law.law);
  World out;
  out.bodies = std::move(bodies);
  out.gravity = g;
  out.laws.push_back(std::move(law));
  out.law_of_pair = {0};
  return out;
}

struct Sample {
  double time = 0;
  std::vector<Pose> poses;
};

/// All that an observer is told.
struct Recording {
  std::vector<Event> events;
  std::vector<Sample> samples;

  [[nodiscard]] Observer observer() {
    Observer out;
    out.event = [this](const Event& event) { events.push_back(event); };
    out.sample = [this](double time, const std::vector<Pose>& poses) { samples.push_back({time, poses}); };
    return out;
  }
  [[nodiscard]] std::vector<Event> of(EventKind kind) const {
    std::vector<Event> out;
    for (const Event& event : events)
      if (event.kind == kind) out.push_back(event);
    return out;
  }
};

/// A run to `until` that has to succeed. Where it does not, the test fails with the message.
struct Ran {
  Recording recording;
  std::vector<Pose> poses;
  EnergyLedger ledger;
  bool ok = false;
};

inline Ran run_world(World world, double until, double sample_interval = 0) {
  Ran out;
  auto simulation = Simulation::start(std::move(world));
  if (!simulation) {
    ADD_FAILURE() << "start: " << simulation.error().message();
    return out;
  }
  const auto done = simulation->run(until, out.recording.observer(), sample_interval);
  if (!done) ADD_FAILURE() << "run, at t = " << simulation->time() << ": " << done.error().message();
  out.ok = done.has_value();
  out.poses = simulation->poses();
  out.ledger = simulation->ledger();
  return out;
}

/// The largest of several deviations; recorded under its name in the output of the test, for the table in
/// docs/simulation.md.
class Deviation {
 public:
  explicit Deviation(std::string name) : name_(std::move(name)) {}
  Deviation(const Deviation&) = delete;
  Deviation& operator=(const Deviation&) = delete;
  ~Deviation() { ::testing::Test::RecordProperty(name_, to_text(largest_)); }

  /// A NaN counts as infinite.
  void add(double got, double expected, double scale) {
    const double off = std::abs(got - expected) / scale;
    if (!(off <= largest_)) largest_ = std::isnan(off) ? HUGE_VAL : off;
  }
  void add(double got, double expected) { add(got, expected, std::abs(expected)); }
  void add(const Vec3& got, const Vec3& expected, double scale) { add((got - expected).norm(), 0, scale); }
  [[nodiscard]] double largest() const { return largest_; }

 private:
  std::string name_;
  double largest_ = 0;
};

/// n from the first to the second body of the pair (i, j), P on j, whichever way the event has it.
inline Event seen_from(std::size_t i, Event event) {
  if (event.body_a == i) return event;
  std::swap(event.body_a, event.body_b);
  event.n = -event.n;
  event.P = -event.P;
  return event;
}

}  // namespace ricochet::motion::testing
