#include "ricochet/report/motion_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "ricochet/io/json.hpp"

namespace ricochet {
namespace {

using Core = ConvexShape::Core;

/// More digits than a picture shows; times and events have all of theirs.
constexpr int pose_digits = 10, energy_digits = 12;

/// With so many significant digits, or with all where there are 0.
void append_list(std::string& out, const std::vector<double>& numbers, int digits) {
  out += '[';
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) out += ',';
    const double x = numbers[i] + 0.0;  // no "-0"
    if (digits > 0) {
      fmt::format_to(std::back_inserter(out), "{:.{}g}", x, digits);
    } else {
      fmt::format_to(std::back_inserter(out), "{}", x);
    }
  }
  out += ']';
}

Json turn_json(const Quaternion& q) { return Json::array({q.w(), q.x(), q.y(), q.z()}); }

std::string_view kind_of(Core core) {
  switch (core) {
    case Core::half_space: return "plane";
    case Core::point: return "sphere";
    case Core::segment: return "capsule";
    case Core::ellipsoid: return "ellipsoid";
    case Core::cylinder: return "cylinder";
    case Core::box: return "box";
    case Core::hull: return "hull";
  }
  return "";
}

/// Half extents of the core along its axes.
Vec3 half_extents(const ConvexShape& shape) {
  if (shape.core == Core::segment) return {0, 0, shape.size.z()};
  if (shape.core == Core::cylinder) return {shape.size.x(), shape.size.x(), shape.size.z()};
  return shape.size;
}

Json shape_document(const ConvexShape& shape) {
  Json out{{"kind", kind_of(shape.core)},
           {"radius", shape.margin},
           {"position", to_json(shape.position)},
           {"orientation", turn_json(Quaternion(shape.rotation))}};
  if (shape.core == Core::hull) {
    Json vertices = Json::array(), faces = Json::array();
    for (const Vec3& v : shape.hull->vertices) vertices.push_back(to_json(v));
    for (const auto& face : shape.hull->faces) faces.push_back(face);
    out["vertices"] = std::move(vertices);
    out["faces"] = std::move(faces);
  } else if (shape.core != Core::half_space && shape.core != Core::point) {
    out["size"] = to_json(half_extents(shape));
  }
  return out;
}

/// The surface of a height field as triangles.
Json field_document(const PlacedField& at) {
  const HeightField& field = *at.field;
  Json vertices = Json::array(), faces = Json::array();
  const auto number = [&](GridPoint p) { return p.row * field.columns + p.column; };
  for (int r = 0; r < field.rows; ++r)
    for (int c = 0; c < field.columns; ++c) {
      vertices.push_back(to_json(grid_point(field, {r, c})));
      if (r + 1 == field.rows || c + 1 == field.columns) continue;
      for (const FieldTriangle& t : triangles({r, c}))
        faces.push_back(Json::array({number(t[0]), number(t[1]), number(t[2])}));
    }
  return {{"kind", "surface"},
          {"radius", 0},
          {"position", to_json(at.position)},
          {"orientation", turn_json(Quaternion(at.rotation))},
          {"vertices", std::move(vertices)},
          {"faces", std::move(faces)}};
}

/// A fixed body may move on, as a conveyor does.
bool body_moves(const RigidBody& body) {
  return !body.fixed || !body.velocity.isZero(0) || !body.angular_velocity.isZero(0);
}

Json body_document(const motion::WorldBody& body, const motion::Pose& at) {
  Json shapes = Json::array();
  for (const ConvexShape& shape : body.shapes) shapes.push_back(shape_document(shape));
  for (const PlacedField& field : body.fields) shapes.push_back(field_document(field));
  const Vec3& p = at.position;
  const Quaternion& q = at.orientation;
  Json out{{"name", body.name},
           {"fixed", body.body.fixed},
           {"moves", body_moves(body.body)},
           {"pose", Json::array({p.x(), p.y(), p.z(), q.w(), q.x(), q.y(), q.z()})},
           {"shapes", std::move(shapes)}};
  if (!body.body.fixed) out["mass"] = body.body.mass;
  return out;
}

Json event_document(const motion::Event& event) {
  return {{"time", event.time},     {"kind", motion::name(event.kind)},    {"body_a", event.body_a},
          {"body_b", event.body_b}, {"point", to_json(event.point)},       {"n", to_json(event.n)},
          {"P", to_json(event.P)},  {"energy_change", event.energy_change}};
}

bool finite(const motion::Pose& pose) {
  return pose.position.allFinite() && pose.orientation.coeffs().allFinite() && pose.velocity.allFinite() &&
         pose.angular_velocity.allFinite();
}

bool finite(const motion::EnergyLedger& energy) {
  return std::isfinite(energy.kinetic) && std::isfinite(energy.potential) && std::isfinite(energy.lost_to_impact) &&
         std::isfinite(energy.lost_to_friction);
}

tl::unexpected<Error> refused(std::string path, double value, const char* allowed) {
  return fail(ErrorCode::invalid, std::move(path), fmt::format("{}", value), allowed);
}

Expected<void> check_samples(const MotionDocument& document) {
  if (document.samples.empty()) return fail(ErrorCode::invalid, "samples", "0", "must be at least one");
  double last = document.samples.front().time;
  for (std::size_t k = 0; k < document.samples.size(); ++k) {
    const MotionDocument::Sample& sample = document.samples[k];
    const std::string path = fmt::format("samples[{}]", k);
    if (!std::isfinite(sample.time)) return refused(path + ".time", sample.time, "must be finite");
    if (sample.time < last) return refused(path + ".time", sample.time, "must not be before the sample before");
    last = sample.time;
    if (sample.poses.size() != document.bodies.size())
      return refused(path + ".poses", static_cast<double>(sample.poses.size()), "must be one for each body");
    if (!std::all_of(sample.poses.begin(), sample.poses.end(), [](const motion::Pose& pose) { return finite(pose); }))
      return fail(ErrorCode::invalid, path + ".poses", "", "must be finite");
    if (!finite(sample.energy)) return fail(ErrorCode::invalid, path + ".energy", "", "must be finite");
  }
  return {};
}

}  // namespace

Expected<void> check(const MotionDocument& document) {
  if (const auto samples = check_samples(document); !samples) return samples;
  for (std::size_t k = 0; k < document.events.size(); ++k) {
    const motion::Event& event = document.events[k];
    const std::string path = fmt::format("events[{}]", k);
    const auto at =
        std::lower_bound(document.samples.begin(), document.samples.end(), event.time,
                         [](const MotionDocument::Sample& sample, double time) { return sample.time < time; });
    if (at == document.samples.end() || at->time != event.time)
      return refused(path + ".time", event.time, "must be the time of a sample");
    if (std::max(event.body_a, event.body_b) >= document.bodies.size())
      return refused(path + ".bodies", static_cast<double>(std::max(event.body_a, event.body_b)), "must be bodies");
    if (!event.point.allFinite() || !event.n.allFinite() || !event.P.allFinite() || !std::isfinite(event.energy_change))
      return fail(ErrorCode::invalid, path, "", "must be finite");
  }
  return {};
}

std::string write_json(const MotionDocument& document) {
  const auto& samples = document.samples;
  std::vector<double> times, poses, velocities;
  std::array<std::vector<double>, 4> energies;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const MotionDocument::Sample& sample = samples[k];
    if (k + 1 < samples.size() && samples[k + 1].time == sample.time) continue;
    times.push_back(sample.time);
    for (std::size_t i = 0; i < document.bodies.size(); ++i) {
      if (!body_moves(document.bodies[i].body)) continue;
      const motion::Pose& pose = sample.poses[i];
      const auto& q = pose.orientation;
      poses.insert(poses.end(), {pose.position.x(), pose.position.y(), pose.position.z(), q.w(), q.x(), q.y(), q.z()});
      for (const Vec3& v : {pose.velocity, pose.angular_velocity})
        velocities.insert(velocities.end(), v.begin(), v.end());
    }
    const motion::EnergyLedger& energy = sample.energy;
    const std::array now{energy.kinetic, energy.potential, energy.lost_to_impact, energy.lost_to_friction};
    for (std::size_t i = 0; i < now.size(); ++i) energies.at(i).push_back(now.at(i));
  }
  Json bodies = Json::array(), events = Json::array();
  for (std::size_t i = 0; i < document.bodies.size(); ++i)
    bodies.push_back(body_document(document.bodies[i], samples.front().poses[i]));
  for (const motion::Event& event : document.events) events.push_back(event_document(event));

  // Names may hold bytes that are not UTF-8; these are replaced.
  const auto text = [](const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); };
  std::string out = R"({"ricochet":"motion","version":1)";
  out += ",\n\"title\":" + text(document.title) + ",\n\"gravity\":" + text(to_json(document.gravity));
  out += ",\n\"bodies\":" + text(bodies) + ",\n\"events\":" + text(events);
  out += ",\n\"times\":";
  append_list(out, times, 0);
  out += ",\n\"poses\":";
  append_list(out, poses, pose_digits);
  out += ",\n\"velocities\":";
  append_list(out, velocities, pose_digits);
  constexpr std::array names{"kinetic", "potential", "lost_to_impact", "lost_to_friction"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += fmt::format("{}\"{}\":", i == 0 ? ",\n\"energy\":{" : ",\n", names.at(i));
    append_list(out, energies.at(i), energy_digits);
  }
  out += "}}\n";
  return out;
}

}  // namespace ricochet
