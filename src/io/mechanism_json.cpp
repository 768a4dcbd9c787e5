#include "ricochet/io/mechanism_json.hpp"

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
  const Margins& m = answer.certificate.margins;
  out["P"] = to_json(o.P);
  out["V"] = to_json(answer.V);
  out["permissible"] = answer.certificate.permissible;
  out["margins"] = {{"energy", to_json(m.energy)},
                    {"separation", to_json(m.separation)},
                    {"compression", to_json(m.compression)},
                    {"friction", to_json(m.friction)}};
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
             {"kind", kind_of(s.shape.core)},
             {"size", to_json(s.shape.size)},
             {"margin", s.shape.margin},
             {"position", to_json(s.shape.position)},
             {"rotation", to_json(s.shape.rotation)}};
    if (s.shape.hull) {
      Json vertices = Json::array();
      for (const Vec3& v : s.shape.hull->vertices) vertices.push_back(to_json(v));
      one["vertices"] = std::move(vertices);
      one["faces"] = s.shape.hull->faces;
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace ricochet
