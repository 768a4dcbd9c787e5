#include "ricochet/io/json.hpp"

#include <cmath>

#include "ricochet/io/collision_derivatives.hpp"
#include "ricochet/io/text.hpp"

namespace ricochet {

Json to_json(double x) {
  if (std::isfinite(x)) return x;
  return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
}

Json to_json(const Vec3& v) { return Json::array({to_json(v.x()), to_json(v.y()), to_json(v.z())}); }

Json to_json(const Mat3& A) {
  return Json::array({to_json(Vec3(A.row(0))), to_json(Vec3(A.row(1))), to_json(Vec3(A.row(2)))});
}

Json to_json(const Value& value) {
  if (const auto* x = std::get_if<double>(&value)) return to_json(*x);
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  return std::get<std::vector<double>>(value);
}

Json to_json(const ParameterInfo& info) {
  Json out{{"name", info.name}, {"kind", name(info.kind)}, {"range", range_text(info)}};
  if (info.kind != ParameterKind::word) {
    out["low"] = to_json(info.bounds.low);
    out["low_open"] = info.bounds.low_open;
    out["high"] = to_json(info.bounds.high);
    out["high_open"] = info.bounds.high_open;
  }
  if (!info.not_below.empty()) out["not_below"] = info.not_below;
  if (info.stricter_low)
    out["stricter_low"] = {{"low", info.stricter_low->low},
                           {"parameter", info.stricter_low->parameter},
                           {"unless", info.stricter_low->unless}};
  if (info.kind == ParameterKind::word) out["choices"] = info.choices;
  out["needed"] = info.needed();
  switch (info.default_value.kind) {
    case ParameterDefault::Kind::required: break;
    case ParameterDefault::Kind::number: out["default"] = to_json(info.default_value.number); break;
    case ParameterDefault::Kind::word: out["default"] = info.default_value.text; break;
    case ParameterDefault::Kind::parameter: out["default"] = {{"parameter", info.default_value.text}}; break;
  }
  if (!info.needed()) out["default_text"] = default_text(info);
  out["unit"] = info.unit;
  out["meaning"] = info.meaning;
  if (!info.alias.empty()) out["alias"] = info.alias;
  return out;
}

Json to_json(const LawInfo& info) {
  Json parameters = Json::array();
  for (const ParameterInfo& p : info.parameters) {
    parameters.push_back(to_json(p));
  }
  const Guarantees& g = info.guarantees;
  return {{"name", info.name},
          {"title", info.title},
          {"source", info.source},
          {"parameters", std::move(parameters)},
          {"cone", info.cone.empty() ? Json(nullptr) : Json(info.cone)},
          {"guarantees", {{"energy", g.energy}, {"separation", g.separation}, {"friction", g.friction}}},
          {"caveat", info.caveat},
          {"planar", info.planar},
          {"acts_on", name(info.domain)}};
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
  if (!contact.spin.isZero(0)) out["spin"] = to_json(contact.spin);
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

Json to_json(const Error& error) {
  fmt::memory_buffer text;
  append_json(text, error);
  return Json::parse(text.begin(), text.end());
}

Json to_json(const Margins& margins) {
  return {{"energy", to_json(margins.energy)},
          {"separation", to_json(margins.separation)},
          {"compression", to_json(margins.compression)},
          {"friction", to_json(margins.friction)}};
}

Json to_json(const Answer& answer) {
  Json out{{"law", answer.law}};
  if (answer.made) {
    Json& parameters = out["parameters"] = Json::object();
    for (const auto& [name, value] : parameters_of(*answer.made)) parameters[std::string(name)] = to_json(value);
  }
  if (!answer.outcome) {
    out["error"] = to_json(answer.outcome.error());
    return out;
  }
  const Outcome& o = *answer.outcome;
  out["P"] = to_json(o.P);
  out["V"] = to_json(o.V);
  out["energy_change"] = o.energy_change;
  out["normal_work"] = o.normal_work;
  out["friction_work"] = o.friction_work;
  out["mode"] = name(o.mode);
  out["permissible"] = o.certificate.permissible;
  out["margins"] = to_json(o.certificate.margins);
  out["violated"] = condition_names(o.certificate.violated);
  const Guarantees promised = guarantees(*answer.made);
  out["guarantees"] = {
      {"energy", promised.energy}, {"separation", promised.separation}, {"friction", promised.friction}};
  out["why"] = describe(o.termination);
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
  if (answer.derivatives != nullptr) out.update(to_json(*answer.derivatives));
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

}  // namespace ricochet
