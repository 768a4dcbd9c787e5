#include "ricochet/io/mechanism_json.hpp"

#include <array>
#include <cmath>

#include "ricochet/io/text.hpp"

namespace ricochet {
namespace {

std::string_view kind_of(ConvexShape::Core core) {
  switch (core) {
    case ConvexShape::Core::half_space: return "half-space";
    case ConvexShape::Core::point: return "sphere";
    case ConvexShape::Core::segment: return "capsule";
    case ConvexShape::Core::ellipsoid: return "ellipsoid";
    case ConvexShape::Core::cylinder: return "cylinder";
    case ConvexShape::Core::box: return "box";
    case ConvexShape::Core::hull: return "hull";
  }
  return "";
}

/// The triangles of the surface, by the numbers of the grid points row by row.
std::vector<std::array<int, 3>> faces_of(const HeightField& field) {
  std::vector<std::array<int, 3>> out;
  for (int r = 0; r + 1 < field.rows; ++r)
    for (int c = 0; c + 1 < field.columns; ++c)
      for (const FieldTriangle& triangle : triangles({r, c})) {
        std::array<int, 3> face{};
        for (std::size_t k = 0; k < 3; ++k) face[k] = triangle[k].row * field.columns + triangle[k].column;
        out.push_back(face);
      }
  return out;
}

}  // namespace

Json to_json(const VecX& x) {
  Json out = Json::array();
  for (const double value : x) out.push_back(to_json(value));
  return out;
}

Json to_json(const std::vector<CandidateContact>& found) {
  Json out = Json::array();
  for (const CandidateContact& f : found)
    out.push_back({{"first", printable(f.at.first)},
                   {"second", printable(f.at.second)},
                   {"first_body", printable(f.at.first_body)},
                   {"second_body", printable(f.at.second_body)},
                   {"gap", f.at.gap},
                   {"patch", f.at.patch},
                   {"point", to_json(f.at.point)},
                   {"on_first", to_json(f.at.on_first)},
                   {"on_second", to_json(f.at.on_second)},
                   {"n", to_json(f.at.n)},
                   {"V", to_json(f.V)},
                   {"approach_speed", f.approach()},
                   {"closes", f.closes()}});
  return out;
}

Json to_json(const PlanarAnswer& answer) {
  Json out{{"law", answer.law}};
  if (!answer.outcome) {
    out["error"] = to_json(answer.outcome.error());
    return out;
  }
  const PlanarOutcome& o = *answer.outcome;
  out["P"] = to_json(o.P);
  out["V"] = to_json(answer.V);
  out["permissible"] = answer.certificate.permissible;
  out["margins"] = to_json(answer.certificate.margins);
  out["p_n"] = o.p_n;
  out["p_t"] = o.p_t;
  out["energy_change"] = o.energy_change;
  out["normal_work"] = o.normal_work;
  out["friction_work"] = o.friction_work;
  out["mode"] = name(o.mode);
  out["morgan_path"] = morgan_path(o.path);
  out["shen_townsend_case"] = shen_townsend_case(o.path);
  out["p_c"] = to_json(o.p_c);
  out["p_star"] = to_json(o.p_star);
  out["hold"] = to_json(o.hold);
  out["jammed"] = o.jammed;
  Json states = Json::array();
  for (const PlanarState& s : o.states) {
    Json u = Json::array();
    for (const double x : s.u) u.push_back(to_json(x));
    states.push_back({{"pause", name(s.pause)},
                      {"p_n", s.p_n},
                      {"p_t", s.p_t},
                      {"v_n", s.v_n},
                      {"v_t", s.v_t},
                      {"E_n", s.E_n},
                      {"E_t", s.E_t},
                      {"u", std::move(u)}});
  }
  out["states"] = std::move(states);
  return out;
}

Json to_json(const std::vector<LinkShape>& shapes) {
  Json out = Json::array();
  for (const LinkShape& s : shapes) {
    Json one{{"name", printable(s.name)},
             {"body", printable(s.body)},
             {"fixed", s.fixed},
             {"collides", s.collides},
             {"kind", s.field ? "height-field" : kind_of(s.shape.core)},
             {"size", to_json(s.shape.size)},
             {"margin", s.shape.margin},
             {"position", to_json(s.shape.position)},
             {"rotation", to_json(s.shape.rotation)}};
    if (s.shape.hull) {
      Json vertices = Json::array();
      for (const Vec3& v : s.shape.hull->vertices) vertices.push_back(to_json(v));
      one["vertices"] = std::move(vertices);
      one["faces"] = s.field ? faces_of(*s.field) : s.shape.hull->faces;
    }
    out.push_back(std::move(one));
  }
  return out;
}

namespace {

Json spread_json(const Spread& s) {
  return {{"mean", to_json(s.mean)},
          {"deviation", to_json(s.deviation)},
          {"low", to_json(s.low)},
          {"high", to_json(s.high)}};
}

}  // namespace

Json to_json(const ImpactDerivatives& d) {
  if (!d.kink.empty()) return {{"derivatives", nullptr}, {"kink", d.kink}};
  const auto number = [](double x) { return std::isfinite(x) ? to_json(x) : Json(nullptr); };
  const auto rows = [&](const MatX& A) {
    Json out = Json::array();
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      Json row = Json::array();
      for (Eigen::Index j = 0; j < A.cols(); ++j) row.push_back(number(A(i, j)));
      out.push_back(std::move(row));
    }
    return out;
  };
  Json by{{"u", rows(d.by_u)}};
  by["q"] = d.by_q.size() > 0 ? rows(d.by_q) : Json(nullptr);
  for (const ImpactDerivatives::Parameter& p : d.parameters) {
    by[p.name] = p.by.cols() > 1 ? rows(p.by) : Json::array();
    for (Eigen::Index i = 0; p.by.cols() == 1 && i < p.by.rows(); ++i) by[p.name].push_back(number(p.by(i, 0)));
  }
  Json out{{"derivatives", {{"u", std::move(by)}}}};
  if (d.by_differences) {
    out["by"] = "differences of the answers: W is singular in a direction that is not tangential";
    return out;
  }
  if (d.by_q.size() > 0) out["by_q"] = "differences of W, J and n in q, the law exactly";
  return out;
}

Json to_json(const MechanismImpact& impact, const Together& together) {
  Json document = Json::object();
  Json struck = Json::array();
  for (const std::size_t i : together.struck) struck.push_back(i + 1);
  document["struck"] = std::move(struck);
  document["method"] = together.method;
  Json answers = Json::array();
  for (const TogetherAnswer& a : together.answers) {
    Json one{{"law", a.law}};
    if (!a.result) {
      one["error"] = to_json(a.result.error());
      answers.push_back(std::move(one));
      continue;
    }
    const Resolution& r = a.result->resolution;
    one["verdict"] = a.result->verdict();
    one["status"] = name(r.status);
    one["collisions"] = r.collisions;
    one["ties"] = r.ties;
    if (r.first_tie)
      one["first_tie"] = {{"collision", r.first_tie->collision},
                          {"chosen", together.struck[r.first_tie->chosen] + 1},
                          {"other", together.struck[r.first_tie->other] + 1}};
    if (a.result->settled()) {
      one["u"] = to_json(r.u);
      one["energy"] = impact.energy(r.u);
      one["energy_change"] = to_json(r.energy_change);
      one["remaining_approach"] = to_json(r.remaining);
      one["permissible"] = r.certificate.permissible;
      Json contacts = Json::array();
      for (std::size_t k = 0; k < together.struck.size(); ++k)
        contacts.push_back({{"contact", together.struck[k] + 1}, {"P", to_json(r.G[k])}, {"V", to_json(r.V[k])}});
      one["contacts"] = std::move(contacts);
    }
    answers.push_back(std::move(one));
  }
  document["answers"] = std::move(answers);
  if (!together.ensemble) return document;
  const Ensemble& e = *together.ensemble;
  Json outcomes = Json::array();
  for (const DistinctOutcome& o : e.outcomes)
    outcomes.push_back({{"members", o.members},
                        {"weight", o.weight},
                        {"branch", o.branch ? Json(*o.branch + 1) : Json()},
                        {"u", to_json(o.u)},
                        {"energy_change", o.energy_change}});
  Json branches = Json::array();
  for (const Branch& branch : e.branches)
    branches.push_back(
        {{"members", branch.members}, {"weight", branch.weight}, {"energy_change", spread_json(branch.energy_change)}});
  document["ensemble"] = {{"members", e.members},
                          {"unsettled", e.unsettled},
                          {"determinate", e.determinate()},
                          {"spread", name(e.spread())},
                          {"branches", std::move(branches)},
                          {"unexamined", e.unexamined},
                          {"energy_change", spread_json(e.energy_change)},
                          {"outcomes", std::move(outcomes)}};
  return document;
}

Json to_json(const RobotDescription& robot) {
  Json bodies = Json::array(), joints = Json::array(), shapes = Json::array(), loops = Json::array();
  for (const auto& b : robot.bodies)
    bodies.push_back({{"name", printable(b.name)}, {"parent", printable(b.parent)}, {"mass", b.mass}});
  for (const auto& j : robot.joints)
    joints.push_back({{"name", printable(j.name)},
                      {"type", j.type},
                      {"body", printable(j.body)},
                      {"q", j.position},
                      {"positions", j.positions},
                      {"u", j.speed},
                      {"speeds", j.speeds},
                      {"range", j.range ? Json{j.range->first, j.range->second} : Json(nullptr)}});
  for (const auto& s : robot.shapes)
    shapes.push_back(
        {{"name", printable(s.name)}, {"body", printable(s.body)}, {"kind", s.kind}, {"collides", s.collides}});
  for (const auto& l : robot.loops) loops.push_back({{"name", printable(l.name)}, {"kind", l.kind}});
  return {{"format", robot.format},      {"bodies", std::move(bodies)}, {"joints", std::move(joints)},
          {"shapes", std::move(shapes)}, {"loops", std::move(loops)},   {"keyframes", robot.keyframes},
          {"honoured", robot.honoured},  {"ignored", robot.ignored},    {"left_out", robot.left_out}};
}

Json to_json(const Landing& landing) {
  return {{"floating", landing.floating},
          {"lowered", landing.lowered},
          {"speed", landing.speed},
          {"floor", landing.floor_added ? Json(*landing.floor_added) : Json(nullptr)},
          {"loops_closed", landing.loops_closed},
          {"swings", landing.swings}};
}

}  // namespace ricochet
