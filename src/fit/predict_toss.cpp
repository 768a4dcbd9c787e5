#include "ricochet/fit/predict_toss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ricochet/law/registry.hpp"
#include "ricochet/motion/simulation.hpp"
#include "ricochet/motion/time_stepping.hpp"

namespace ricochet {
namespace {

/// A toss has some tens of events until it rests; more than this come to no end.
constexpr std::uint64_t most_events = 20000;
constexpr double time_step = 1e-4;  ///< of time stepping [s]
constexpr std::size_t cube = 1;     ///< in the world, after the ground
/// Rows of flight that are used, and how high the sharp corners must be above the ground in them: corners strike in
/// the midst of a row, and contact is soft.
constexpr std::size_t most_rows_of_flight = 20;
constexpr double clear_of_ground = 0.004;

/// The rotation vector of a turn, at most π long.
Vec3 rotation_vector(const Quaternion& turn) {
  const double sign = turn.w() < 0 ? -1 : 1, s = turn.vec().norm();
  return s > 0 ? Vec3(turn.vec() * (sign * 2 * std::atan2(s, sign * turn.w()) / s)) : Vec3(Vec3::Zero());
}

Quaternion turn_by(const Vec3& rotation) {
  const double angle = rotation.norm();
  return Quaternion(Eigen::AngleAxisd(angle, angle > 0 ? Vec3(rotation / angle) : Vec3(Vec3::UnitX())));
}

double lowest_corner(const TossRow& row, double half) {
  const Mat3 R = row.orientation.toRotationMatrix();
  return row.position.z() - half * (std::abs(R(2, 0)) + std::abs(R(2, 1)) + std::abs(R(2, 2)));
}

/// The line a + b t that is nearest to points.
struct Line {
  Vec3 start, rate;
};
template <class Point>
Line line_through(std::span<const TossRow> rows, Point point) {
  double n = 0, t1 = 0, t2 = 0;
  Vec3 y = Vec3::Zero(), ty = Vec3::Zero();
  for (const TossRow& row : rows) {
    const double t = row.time - rows[0].time;
    const Vec3 x = point(row, t);
    n += 1;
    t1 += t;
    t2 += t * t;
    y += x;
    ty += t * x;
  }
  const double d = n * t2 - t1 * t1;
  return {(t2 * y - t1 * ty) / d, (n * ty - t1 * y) / d};
}

std::optional<double> number_of(const Law& law, std::string_view parameter) {
  for (const auto& [name, value] : parameters_of(law))
    if (name == parameter)
      if (const auto* x = std::get_if<double>(&value)) return *x;
  return std::nullopt;
}

Expected<motion::World> world_of(const Toss& toss, const TossModel& model) {
  auto law = make_law(model.law, model.settings);
  if (!law) return tl::unexpected(law.error());
  const TossBody& body = model.body;
  motion::World out;
  out.gravity = {0, 0, -body.gravity};
  motion::WorldBody ground, moving;
  ground.name = "ground";
  ground.body.fixed = true;
  ground.body.position = {0, 0, body.ground};
  ConvexShape below;
  below.core = ConvexShape::Core::half_space;
  ground.shapes.push_back(below);
  const TossRow start = start_of(toss, model);
  const Vec3 arm = start.orientation * body.centre;
  moving.name = "cube";
  moving.body.mass = body.mass;
  moving.body.inertia = Mat3::Identity() * body.inertia;
  moving.body.orientation = start.orientation;
  moving.body.position = start.position + arm;
  moving.body.velocity = start.velocity + start.angular_velocity.cross(arm);
  moving.body.angular_velocity = start.angular_velocity;
  ConvexShape box;
  box.core = ConvexShape::Core::box;
  box.size = Vec3::Constant(body.side / 2 - body.corner_radius);
  box.margin = body.corner_radius;
  box.position = -body.centre;
  moving.shapes.push_back(box);
  out.bodies = {std::move(ground), std::move(moving)};
  motion::PairLaw pair{
      .law = *law, .mu = body.mu_lasting, .mu_s = body.mu_lasting, .e = std::numeric_limits<double>::quiet_NaN()};
  if (const auto e = number_of(*law, "e")) pair.e = *e;
  out.laws = {std::move(pair)};
  out.law_of_pair = {0};
  return out;
}

/// Poses at the times of the rows; nothing where the events came to no end.
template <class Motion>
Expected<std::optional<TossPrediction>> follow(Motion motion, const Toss& toss, const Vec3& centre) {
  TossPrediction out;
  out.poses.reserve(toss.rows.size());
  for (const TossRow& row : toss.rows) {
    const double time = row.time - toss.rows[0].time;
    if (const auto fine = motion.run(time); !fine) return tl::unexpected(fine.error());
    if (motion.time() < time) return std::nullopt;
    const motion::Pose pose = motion.poses()[cube];
    out.poses.push_back({pose.position - pose.orientation * centre, pose.orientation});
  }
  out.events = motion.events();
  return out;
}

}  // namespace

TossRow start_of(const Toss& toss, const TossModel& model) {
  const TossBody& body = model.body;
  const Vec3 g(0, 0, -body.gravity);
  TossRow out = toss.rows[0];
  std::size_t flight = 0;
  while (model.from_flight && flight < std::min(toss.rows.size(), most_rows_of_flight) &&
         lowest_corner(toss.rows[flight], body.side / 2) > body.ground + clear_of_ground)
    ++flight;
  if (flight < 3) {
    out.velocity += body.velocity_lag * (toss.rows[1].time - toss.rows[0].time) * g;
    return out;
  }
  const auto rows = std::span<const TossRow>(toss.rows).first(flight);
  const Line turn = line_through(rows, [&](const TossRow& row, double) {
    return rotation_vector(row.orientation * rows[0].orientation.conjugate());
  });
  const Line path = line_through(rows, [&](const TossRow& row, double t) {
    return Vec3(row.position + row.orientation * body.centre - 0.5 * t * t * g);
  });
  out.orientation = (turn_by(turn.start) * rows[0].orientation).normalized();
  out.angular_velocity = turn.rate;
  const Vec3 arm = out.orientation * body.centre;
  out.position = path.start - arm;
  out.velocity = path.rate - out.angular_velocity.cross(arm);
  return out;
}

Expected<TossPrediction> predict(const Toss& toss, const TossModel& model) {
  const auto world = world_of(toss, model);
  if (!world) return tl::unexpected(world.error());
  auto by_events = motion::Simulation::start(*world, {.max_events = most_events});
  if (!by_events) return tl::unexpected(by_events.error());
  auto followed = follow(*std::move(by_events), toss, model.body.centre);
  if (followed && *followed) return **std::move(followed);
  auto by_steps = motion::TimeStepping::start(*world, {.step = time_step});
  if (!by_steps) return tl::unexpected(followed ? by_steps.error() : followed.error());
  auto stepped = follow(*std::move(by_steps), toss, model.body.centre);
  if (!stepped) return tl::unexpected(stepped.error());
  if (!*stepped) return fail(ErrorCode::not_converged, "", "", "time stepping ended before the last row");
  (*stepped)->stepped = true;
  return **std::move(stepped);
}

TossError error_of(const Toss& toss, std::span<const TossPose> poses, double side) {
  TossError out;
  const auto count = static_cast<double>(toss.rows.size());
  for (std::size_t i = 0; i < toss.rows.size(); ++i) {
    const TossRow& row = toss.rows[i];
    out.position += 100 * (poses[i].position - row.position).norm() / side / count;
    out.angle +=
        180 / std::numbers::pi * rotation_vector(poses[i].orientation.conjugate() * row.orientation).norm() / count;
  }
  return out;
}

}  // namespace ricochet
