#include "to_json.hpp"

#include <cmath>

#include "text.hpp"

namespace ricochet::app {

Json to_json(double x) {
  if (std::isfinite(x)) return x;
  return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
}

Json to_json(const Vec3& v) { return Json::array({to_json(v.x()), to_json(v.y()), to_json(v.z())}); }

Json to_json(const Mat3& A) {
  return Json::array({to_json(Vec3(A.row(0))), to_json(Vec3(A.row(1))), to_json(Vec3(A.row(2)))});
}

Json to_json(const LawInfo& info) {
  Json parameters = Json::array();
  for (const ParameterInfo& p : info.parameters) {
    Json one{{"name", p.name}, {"range", p.range}, {"needed", p.fallback.empty()}};
    if (!p.fallback.empty()) one["default"] = p.fallback;
    one["meaning"] = p.meaning;
    parameters.push_back(std::move(one));
  }
  const Guarantees& g = info.guarantees;
  return {{"name", info.name},
          {"title", info.title},
          {"source", info.source},
          {"parameters", std::move(parameters)},
          {"guarantees", {{"energy", g.energy}, {"separation", g.separation}, {"friction", g.friction}}},
          {"caveat", info.caveat},
          {"planar", info.planar}};
}

Json to_json(const RigidBody& body) {
  const auto& q = body.orientation;
  return {{"fixed", body.fixed},
          {"mass", body.mass},
          {"inertia", to_json(body.inertia)},
          {"position", to_json(body.position)},
          {"orientation", {q.w(), q.x(), q.y(), q.z()}},
          {"velocity", to_json(body.velocity)},
          {"angular_velocity", to_json(body.angular_velocity)}};
}

Json to_json(const Contact& contact) {
  Json out{{"M", to_json(contact.M)}, {"W", to_json(contact.W)}, {"V", to_json(contact.V)}, {"n", to_json(contact.n)}};
  if (contact.immovable) out["immovable"] = true;
  return out;
}

Json to_json(const Collision& collision, std::span<const Answer> answers) {
  Json out = Json::object();
  if (!collision.id.empty()) out["id"] = Json::parse(collision.id, nullptr, false);
  if (!collision.title.empty()) out["title"] = collision.title;
  if (!collision.body_a.empty()) out["bodies"] = {collision.body_a, collision.body_b};
  out["contact"] = to_json(collision.contact);
  Json all = Json::array();
  for (const Answer& answer : answers) all.push_back(to_json(answer));
  out["answers"] = std::move(all);
  return out;
}

Json to_json(const Error& error) { return {{"field", printable(error.field)}, {"message", complaint(error)}}; }

Json to_json(const Answer& answer) {
  Json out{{"law", answer.law}};
  if (!answer.outcome) {
    out["error"] = to_json(answer.outcome.error());
    return out;
  }
  const Outcome& o = *answer.outcome;
  const Margins& m = o.certificate.margins;
  out["P"] = to_json(o.P);
  out["V"] = to_json(o.V);
  out["energy_change"] = o.energy_change;
  out["normal_work"] = o.normal_work;
  out["friction_work"] = o.friction_work;
  out["mode"] = name(o.mode);
  out["permissible"] = o.certificate.permissible;
  out["margins"] = {{"energy", to_json(m.energy)},
                    {"separation", to_json(m.separation)},
                    {"compression", to_json(m.compression)},
                    {"friction", to_json(m.friction)}};
  out["broken"] = broken(o);
  const Guarantees promised = guarantees(*answer.made);
  out["guarantees"] = {
      {"energy", promised.energy}, {"separation", promised.separation}, {"friction", promised.friction}};
  out["why"] = describe(o.why);
  out["jammed"] = o.jammed;
  out["evaluations"] = o.evaluations;
  Json path = Json::array();
  for (const auto& p : o.path)
    path.push_back({{"event", name(p.event)},
                    {"P", to_json(p.P)},
                    {"V", to_json(p.V)},
                    {"normal_work", p.normal_work},
                    {"friction_work", p.friction_work}});
  out["path"] = std::move(path);
  return out;
}

std::string pretty(const Json& json, int indent) {
  const std::string inner(static_cast<std::size_t>(indent) + 2, ' ');
  const std::string outer(static_cast<std::size_t>(indent), ' ');
  const auto scalar = [](const Json& j) { return j.dump(-1, ' ', false, Json::error_handler_t::replace); };
  std::string out;
  if (json.is_object() && !json.empty()) {
    for (const auto& [key, value] : json.items())
      out += (out.empty() ? "{\n" : ",\n") + inner + scalar(key) + ": " + pretty(value, indent + 2);
    return out + "\n" + outer + "}";
  }
  if (json.is_array() && !json.empty()) {
    bool flat = true;
    for (const Json& item : json) flat = flat && !item.is_structured();
    for (const Json& item : json)
      out += out.empty() ? (flat ? "[" : "[\n" + inner) + pretty(item, indent + 2)
                         : (flat ? ", " : ",\n" + inner) + pretty(item, indent + 2);
    return out + (flat ? "]" : "\n" + outer + "]");
  }
  return scalar(json);
}

}  // namespace ricochet::app
