#include <algorithm>

#include "ricochet/io/json.hpp"
#include "ricochet/io/scene_result_text.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/law/law_table.hpp"
#include "ricochet/scene/hints.hpp"

namespace ricochet {
namespace {

class SceneResultJson {
 public:
  explicit SceneResultJson(const SceneResult& result)
      : result_(result), scene_(result.scene), options_(result.options.sequence) {}

  [[nodiscard]] Json json() const {
    Json out{{"input", input()}};
    out.update(answer_json(result_.answers[0]));
    if (result_.answers.size() > 1) out["intact"] = answer_json(result_.answers[1]);
    if (result_.ensemble) out["ensemble"] = ensemble_json();
    if (const auto remarks = hints(scene_); !remarks.empty()) out["hints"] = remarks;
    return out;
  }

 private:
  /// Everything that decides the answer, with what is taken by default.
  [[nodiscard]] Json input() const {
    Json bodies = Json::array();
    for (std::size_t i = 0; i < scene_.names.size(); ++i) {
      Json body{{"name", printable(scene_.names[i])}};
      body.update(to_json(scene_.arrangement.bodies[i]));
      bodies.push_back(std::move(body));
    }
    const auto pair = [&](const auto& one) {
      return Json::array({printable(scene_.names[one.first]), printable(scene_.names[one.second])});
    };
    Json contacts = Json::array();
    for (const ContactSpec& contact : scene_.arrangement.contacts) {
      Json parameters = Json::object();
      for (const auto& [name, value] : parameters_of(contact.law)) parameters[std::string(name)] = to_json(value);
      contacts.push_back({{"bodies", pair(contact)},
                          {"point", to_json(contact.point)},
                          {"normal", to_json(Vec3(contact.n.normalized()))},
                          {"law", laws()[contact.law.index()].name},
                          {"parameters", std::move(parameters)}});
    }
    Json hinges = Json::array();
    for (const Hinge& hinge : scene_.arrangement.hinges)
      hinges.push_back({{"bodies", pair(hinge)}, {"point", to_json(hinge.point)}});
    Json out{{"method", result_.method}};
    if (result_.method == "sequence") {
      out["ties"] = name(options_.ties);
      out["seed"] = options_.seed;
      out["uncertainty"] = options_.uncertainty;
      out["tolerance"] = options_.tolerance;
      out["extrapolation"] = options_.extrapolate;
      out["max_collisions"] = collision_limit(options_, result_.answers[0].assembled.problem);
    }
    out["bodies"] = std::move(bodies);
    out["contacts"] = std::move(contacts);
    out["hinges"] = std::move(hinges);
    return out;
  }

  [[nodiscard]] Json bodies_json(const std::vector<RigidBody>& bodies, bool settled) const {
    Json out = Json::array();
    for (std::size_t i = 0; i < bodies.size(); ++i)
      out.push_back({{"name", printable(scene_.names[i])},
                     {"velocity", settled ? to_json(bodies[i].velocity) : Json()},
                     {"angular_velocity", settled ? to_json(bodies[i].angular_velocity) : Json()}});
    return out;
  }

  /// +n·V, positive where the bodies separate.
  [[nodiscard]] Json contact_json(const SceneAnswer& a, std::size_t i) const {
    const Resolution& r = a.resolution;
    const Contact& before = a.assembled.problem.contacts()[i].contact;
    Json out{{"impulse", Json()},
             {"separation_speed_before", before.n.dot(a.assembled.problem.velocity(i, r.u_before)) + 0.0},
             {"separation_speed_after", Json()},
             {"permissible", Json()}};
    if (!a.settled()) return out;
    const Certificate& c = r.certificate.contacts[i];
    out["impulse"] = to_json(r.G[i]);
    out["separation_speed_after"] = before.n.dot(r.V[i]) + 0.0;
    out["permissible"] = c.permissible;
    out["violated"] = condition_names(c.violated);
    out["margins"] = {{"separation", to_json(c.margins.separation)},
                      {"compression", to_json(c.margins.compression)},
                      {"friction", to_json(c.margins.friction)}};
    return out;
  }

  [[nodiscard]] Json answer_json(const SceneAnswer& a) const {
    const Resolution& r = a.resolution;
    const bool settled = a.settled();
    Json out{{"status", name(r.status)},
             {"collisions", r.collisions},
             {"ties", r.ties},
             {"energy_change", settled ? Json(r.energy_change) : Json()},
             {"permissible", settled ? Json(r.certificate.permissible) : Json()},
             {"violated", settled ? Json(condition_names(r.certificate.violated)) : Json()},
             {"margins", settled ? to_json(r.certificate.margins) : Json()},
             {"bodies", bodies_json(a.bodies, settled)}};
    Json contacts = Json::array();
    const std::size_t count = scene_.arrangement.contacts.size();
    for (std::size_t i = 0; i < count; ++i) contacts.push_back(contact_json(a, i));
    out["contacts"] = std::move(contacts);
    if (r.first_tie)
      out["first_tie"] = {{"collision", r.first_tie->collision},
                          {"chosen", r.first_tie->chosen + 1},
                          {"other", r.first_tie->other + 1}};
    if (!scene_.arrangement.hinges.empty()) {
      out["hinges"] = a.assembled.hinges == Hinges::intact ? "intact" : "in sequence";
      Json hinges = Json::array();
      for (const HingeImpulse& hinge : a.hinges) {
        Json one{{"impulse", settled ? to_json(hinge.P) : Json()}};
        if (a.assembled.hinges == Hinges::intact) one["unique"] = hinge.unique;
        hinges.push_back(std::move(one));
      }
      out["hinge_impulses"] = std::move(hinges);
    }
    if (a.joint) {
      out["method"] = result_.method;
      out["gains_energy"] = r.certificate.violated.contains(Condition::energy);
      out["residual"] = a.joint->residual;
      out["solver"] = a.joint->solver;
      out["chosen"] = a.joint->chosen;
      out["singular"] = a.joint->singular ? Json(*a.joint->singular) : Json();
      if (!a.joint->kappa.empty()) out["kappa"] = a.joint->kappa;
    }
    if (!settled) {
      out["why"] = describe(r.end);
      Json cycle = Json::array();
      for (const std::uint32_t i : r.cycle) cycle.push_back(i + 1);
      out["cycle"] = std::move(cycle);
    }
    return out;
  }

  static Vec3 spread_of(const Ensemble& ensemble, std::ptrdiff_t at, double Spread::*part) {
    Vec3 out;
    for (int k = 0; k < 3; ++k) out(k) = ensemble.speeds[static_cast<std::size_t>(at + k)].*part;
    return out;
  }

  static Json spread_json(const Spread& s) {
    return {{"mean", s.mean}, {"deviation", s.deviation}, {"low", s.low}, {"high", s.high}};
  }

  [[nodiscard]] Json ensemble_json() const {
    const Ensemble& e = *result_.ensemble;
    const Assembled& assembled = result_.answers[0].assembled;
    Json out{{"members", e.members},
             {"unsettled", e.unsettled},
             {"seed", options_.seed},
             {"uncertainty", options_.uncertainty},
             {"contact_uncertainty",
              {{"e", result_.uncertainty.e},
               {"mu", result_.uncertainty.mu},
               {"normal", result_.uncertainty.normal},
               {"point", result_.uncertainty.point}}},
             {"resolution", result_.options.resolution},
             {"determinate", e.determinate()},
             {"distinct", e.outcomes.size()},
             {"spread", name(e.spread())}};
    Json branches = Json::array();
    for (const Branch& branch : e.branches) {
      Json order = Json::array();
      for (const std::uint32_t k : branch.first_order) order.push_back(k + 1);
      branches.push_back({{"weight", branch.weight},
                          {"members", branch.members},
                          {"energy_change", spread_json(branch.energy_change)},
                          {"order", std::move(order)}});
    }
    out["branches"] = std::move(branches);
    out["unexamined"] = e.unexamined;
    Json outcomes = Json::array();
    for (std::size_t i = 0; i < std::min<std::size_t>(e.outcomes.size(), 100); ++i) {
      const DistinctOutcome& o = e.outcomes[i];
      Json order = Json::array();
      for (const std::uint32_t k : o.first_order) order.push_back(k + 1);
      outcomes.push_back({{"weight", o.weight},
                          {"members", o.members},
                          {"branch", o.branch ? Json(*o.branch + 1) : Json()},
                          {"energy_change", o.energy_change},
                          {"order", std::move(order)},
                          {"bodies", bodies_json(moved(scene_.arrangement, assembled, o.u), true)}});
    }
    out["outcomes"] = std::move(outcomes);
    if (e.outcomes.empty()) return out;
    out["energy_change"] = spread_json(e.energy_change);
    out["collisions"] = spread_json(e.collisions);
    Json bodies = Json::array();
    for (std::size_t i = 0; i < scene_.names.size(); ++i) {
      const std::ptrdiff_t at = assembled.speeds[i];
      if (at < 0) continue;
      Json body{{"name", printable(scene_.names[i])}};
      for (const auto& [key, first] : {std::pair{"velocity", at}, std::pair{"angular_velocity", at + 3}})
        body[key] = {{"mean", to_json(spread_of(e, first, &Spread::mean))},
                     {"deviation", to_json(spread_of(e, first, &Spread::deviation))},
                     {"low", to_json(spread_of(e, first, &Spread::low))},
                     {"high", to_json(spread_of(e, first, &Spread::high))}};
      bodies.push_back(std::move(body));
    }
    out["bodies"] = std::move(bodies);
    return out;
  }

  const SceneResult& result_;
  const Scene& scene_;
  const SequenceOptions& options_;
};

}  // namespace

std::string write_json(const SceneResult& result) { return pretty(SceneResultJson(result).json()) + "\n"; }

}  // namespace ricochet
