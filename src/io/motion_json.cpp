#include "ricochet/io/motion_json.hpp"

#include <numeric>

#include "ricochet/geometry/height_field.hpp"

namespace ricochet {
namespace {

constexpr std::array event_kinds{motion::EventKind::impact, motion::EventKind::stick,    motion::EventKind::slip,
                                 motion::EventKind::roll,   motion::EventKind::lift_off, motion::EventKind::rest};

Json shape_json(const Shape& shape) {
  if (shape.kind == Shape::Kind::none) return nullptr;
  Json out{{"kind", name(shape.kind)}};
  if (shape.radius > 0) out["radius"] = shape.radius;
  if (shape.length > 0) out["length"] = shape.length;
  if (shape.size.minCoeff() > 0) out["size"] = to_json(shape.size);
  if (shape.field) {
    Json heights = Json::array();
    for (int r = 0; r < shape.field->rows; ++r) {
      const auto row = shape.field->heights.begin() + static_cast<std::ptrdiff_t>(r) * shape.field->columns;
      heights.push_back(std::vector<double>(row, row + shape.field->columns));
    }
    out["heights"] = std::move(heights);
  } else if (shape.hull) {
    Json vertices = Json::array();
    for (const Vec3& v : shape.hull->vertices) vertices.push_back(to_json(v));
    out["vertices"] = std::move(vertices);
    out["faces"] = shape.hull->faces;
  }
  return out;
}

Json parameters_json(const LawParameters& settings) {
  Json out = Json::object();
  for (const std::string_view name : parameter_names())
    if (const auto value = get(settings, name)) out[std::string(name)] = to_json(*value);
  return out;
}

Json vectors_json(const std::vector<Vec3>& vectors) {
  Json out = Json::array();
  for (const Vec3& v : vectors) out.push_back(to_json(v));
  return out;
}

}  // namespace

void MotionSummary::add(const motion::Event& event) {
  ++counts[static_cast<std::size_t>(event.kind)];
  if (first.size() < shown) {
    first.push_back(event);
    return;
  }
  if (last.size() == shown) last.erase(last.begin());
  last.push_back(event);
}

std::uint64_t MotionSummary::events() const { return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}); }

Json to_json(const MotionScene& scene) {
  Json bodies = Json::array(), pairs = Json::array(), forces = Json::array(), hinges = Json::array();
  for (const SceneBody& b : scene.bodies) {
    Json body{{"name", b.name}, {"shape", shape_json(b.shape)}};
    if (!b.material.empty()) body["material"] = b.material;
    body.update(to_json(b.body));
    if (b.body.fixed) {
      body.erase("mass");
      body.erase("inertia");
    }
    bodies.push_back(std::move(body));
  }
  for (const ScenePair& pair : scene.pairs)
    pairs.push_back({{pair.materials ? "materials" : "bodies", {pair.first, pair.second}},
                     {"law", pair.law.empty() ? scene.law : pair.law},
                     {"parameters", parameters_json(pair.settings)}});
  for (const motion::AppliedForce& force : scene.forces)
    forces.push_back({{"body", scene.bodies[force.body].name},
                      {"times", force.times},
                      {"forces", vectors_json(force.forces)},
                      {"torques", vectors_json(force.torques)}});
  for (const motion::BallJoint& joint : scene.joints)
    hinges.push_back({{"bodies", {scene.bodies[joint.first].name, scene.bodies[joint.second].name}},
                      {"point", to_json(joint.point)}});
  Json out{{"title", scene.title},
           {"gravity", to_json(scene.gravity)},
           {"law", scene.law},
           {"parameters", parameters_json(scene.settings)},
           {"bodies", bodies},
           {"pairs", std::move(pairs)},
           {"forces", std::move(forces)},
           {"hinges", std::move(hinges)}};
  if (scene.stiffness) out["compliance"] = {{"stiffness", *scene.stiffness}};
  if (scene.robots.empty()) return out;
  Json robots = Json::array(), joint_forces = Json::array();
  const auto numbers = [](const std::vector<NamedNumbers>& list) {
    Json all = Json::object();
    for (const NamedNumbers& given : list) all[given.name] = given.values;
    return all;
  };
  for (const PlacedRobot& r : scene.robots) {
    const Quaternion& o = r.orientation;
    robots.push_back({{"name", r.name},
                      {"file", r.file},
                      {"position", to_json(r.position)},
                      {"orientation", {o.w(), o.x(), o.y(), o.z()}},
                      {"velocity", r.velocity ? to_json(*r.velocity) : Json()},
                      {"angular_velocity", r.angular_velocity ? to_json(*r.angular_velocity) : Json()},
                      {"key", r.key},
                      {"q", numbers(r.q)},
                      {"u", numbers(r.u)}});
    if (!r.sizes.empty()) robots.back()["size"] = numbers(r.sizes);
  }
  for (const SceneJointForce& force : scene.joint_forces)
    joint_forces.push_back({{"joint", force.joint}, {"times", force.times}, {"values", force.values}});
  out["robots"] = std::move(robots);
  out["joint_forces"] = std::move(joint_forces);
  out["robot_file"] = scene.robot_file;
  out["drop"] = scene.drop ? Json(*scene.drop) : Json();
  return out;
}

Json to_json(const motion::Event& event, std::span<const std::string> bodies) {
  return {{"time", event.time},
          {"kind", motion::name(event.kind)},
          {"body_a", bodies[event.body_a]},
          {"body_b", bodies[event.body_b]},
          {"point", to_json(event.point)},
          {"normal", to_json(event.n)},
          {"impulse", to_json(event.P)},
          {"energy_change", to_json(event.energy_change)},
          {"approach", to_json(event.approach)},
          {"slip", to_json(event.slip)},
          {"together", event.together}};
}

Json to_json(const motion::EnergyLedger& ledger) {
  return {{"start", to_json(ledger.start)},
          {"kinetic", to_json(ledger.kinetic)},
          {"potential", to_json(ledger.potential)},
          {"elastic", to_json(ledger.elastic)},
          {"lost_to_impact", to_json(ledger.lost_to_impact)},
          {"lost_to_friction", to_json(ledger.lost_to_friction)},
          {"applied_work", to_json(ledger.applied_work)},
          {"imbalance", to_json(ledger.imbalance())}};
}

Json to_json(const MotionSummary& summary, std::span<const std::string> bodies) {
  Json counts{{"total", summary.events()}};
  for (const motion::EventKind kind : event_kinds)
    counts[std::string(motion::name(kind))] = summary.counts[static_cast<std::size_t>(kind)];
  Json out{{"status", summary.stopped   ? "stopped"
                      : summary.limited ? "limited"
                                        : "finished"},
           {"time", summary.time},
           {"event_counts", std::move(counts)},
           {"energy", to_json(summary.ledger)}};
  if (summary.stopped) out["error"] = to_json(*summary.stopped);
  Json first = Json::array(), last = Json::array();
  for (const motion::Event& event : summary.first) first.push_back(to_json(event, bodies));
  for (const motion::Event& event : summary.last) last.push_back(to_json(event, bodies));
  out["first_events"] = std::move(first);
  out["last_events"] = std::move(last);
  return out;
}

}  // namespace ricochet
