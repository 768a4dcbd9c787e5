#include "ricochet/report/contacts_document.hpp"

#include <algorithm>

#include "ricochet/base/printable.hpp"
#include "ricochet/io/collision_toml.hpp"
#include "ricochet/io/json.hpp"
#include "ricochet/report/mechanism_picture.hpp"
#include "ricochet/report/scene_picture.hpp"

namespace ricochet {
namespace {

Json speeds_json(const BodySpeeds& speeds) {
  return {{"velocity", to_json(speeds.velocity)},
          {"angular_velocity", speeds.angular_velocity ? to_json(*speeds.angular_velocity) : Json()}};
}

/// As the explorer reads it. A body that one collision may not have, such as a rod without inertia about its axis,
/// leaves the contact alone.
std::string collision_text(Collision collision) {
  std::string text = write_toml(collision);
  if (!collision.bodies || read_toml(text)) return text;
  collision.bodies.reset();
  return write_toml(collision);
}

Json contact_json(const ContactAnswers& all, std::size_t i) {
  const Collision& c = all.collisions[i];
  return {{"bodies", {printable(c.body_a), printable(c.body_b)}},
          {"point", to_json(all.points[i])},
          {"n", to_json(c.contact.n)},
          {"V", to_json(c.contact.V)},
          {"law", c.law ? Json(*c.law) : Json()},
          {"collision", collision_text(c)}};
}

Json steps_json(const std::vector<AnsweredStep>& steps) {
  Json out = Json::array();
  for (const AnsweredStep& one : steps) {
    Json bodies;
    if (one.bodies) bodies = {speeds_json((*one.bodies)[0]), speeds_json((*one.bodies)[1])};
    out.push_back({{"contact", one.hinge ? Json() : Json(one.step.contact)},
                   {"mode", name(one.step.mode)},
                   {"V", to_json(one.step.V_before)},
                   {"P", to_json(one.step.P)},
                   {"energy_change", one.step.energy_change},
                   {"bodies", std::move(bodies)}});
  }
  return out;
}

/// `before` and `after` are pictures, to one scale of speed.
Json answer_json(const ContactAnswer& answer, std::size_t count, const std::string& before, const std::string& after) {
  if (answer.error) return {{"law", answer.law}, {"error", to_json(*answer.error)}};
  const Resolution& r = answer.resolution;
  Json out{{"law", answer.law},          {"verdict", answer.verdict},         {"ties", answer.ties},
           {"collisions", r.collisions}, {"steps", steps_json(answer.steps)}, {"outcome", Json()}};
  if (!answer.settled) return out;
  Json contacts = Json::array();
  for (std::size_t i = 0; i < count; ++i) {
    const Certificate& c = r.certificate.contacts[i];
    contacts.push_back({{"P", to_json(r.G[i])},
                        {"V", to_json(r.V[i])},
                        {"permissible", c.permissible},
                        {"violated", condition_names(c.violated)},
                        {"margins", to_json(c.margins)}});
  }
  Json bodies = Json::array();
  for (const BodySpeeds& speeds : answer.after) bodies.push_back(speeds_json(speeds));
  out["outcome"] = {{"energy_change", r.energy_change},
                    {"permissible", r.certificate.permissible},
                    {"violated", condition_names(r.certificate.violated)},
                    {"margins", to_json(r.certificate.margins)},
                    {"contacts", std::move(contacts)},
                    {"bodies", std::move(bodies)},
                    {"before", before},
                    {"after", after}};
  return out;
}

/// `drawn` gives the pictures before and after, the latter for an answer that settles.
template <class Drawn>
std::string document(const ContactAnswers& all, std::string_view kind, Drawn drawn) {
  Json bodies = Json::array();
  for (const NamedBody& body : all.bodies) {
    Json one{{"name", printable(body.name)}, {"fixed", body.fixed}};
    one.update(speeds_json(body.before));
    bodies.push_back(std::move(one));
  }
  Json contacts = Json::array();
  for (std::size_t i = 0; i < all.collisions.size(); ++i) contacts.push_back(contact_json(all, i));
  const auto svg = [](Drawing drawing, std::string id) {
    drawing.id = std::move(id);
    return to_svg(drawing, false);
  };
  Json answers = Json::array();
  std::string before;
  for (const ContactAnswer& answer : all.answers) {
    const auto [first, second] = drawn(answer);
    const std::string own = svg(first, "many-before");
    if (before.empty()) before = own;
    answers.push_back(answer_json(answer, all.collisions.size(), own, second ? svg(*second, "many-after") : ""));
  }
  const Json out{{"ricochet", "contacts"},
                 {"version", 1},
                 {"kind", kind},
                 {"title", printable(all.title)},
                 {"remark", all.remark},
                 {"bodies", std::move(bodies)},
                 {"contacts", std::move(contacts)},
                 {"answers", std::move(answers)},
                 {"before", before}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string contacts_document(const Scene& scene, const ContactAnswers& answers) {
  return document(answers, "scene", [&](const ContactAnswer& answer) {
    std::optional<std::vector<RigidBody>> after;
    std::vector<Vec3> impulses;
    if (answer.settled) {
      after = scene.arrangement.bodies;
      for (std::size_t i = 0; i < after->size(); ++i) {
        (*after)[i].velocity = answer.after[i].velocity;
        (*after)[i].angular_velocity = *answer.after[i].angular_velocity;
      }
      const auto count = static_cast<std::ptrdiff_t>(scene.arrangement.contacts.size());
      impulses.assign(answer.resolution.G.begin(), answer.resolution.G.begin() + count);
    }
    ScenePictures pictures = picture_scene(scene, after, impulses);
    return std::pair(std::move(pictures.before), std::move(pictures.after));
  });
}

std::string contacts_document(const MechanismImpact& impact, std::span<const std::size_t> struck,
                              const ContactAnswers& answers) {
  const std::vector<std::size_t> numbers(struck.begin(), struck.end());
  const auto [right, up] = struck.size() == 1 ? view_axes(answers.collisions[0].contact) : view_axes(impact, numbers);
  return document(answers, "robot", [&, right = right, up = up](const ContactAnswer& answer) {
    PicturedContacts pictured{numbers, std::vector<double>(struck.size(), 0)};
    const SolidsPicture before = picture_of(impact, pictured, impact.u, "before");
    SolidsView view = view_of(before, right, up);
    std::optional<Drawing> second;
    if (answer.settled) {
      double hardest = 0;
      for (const Vec3& G : answer.resolution.G) hardest = std::max(hardest, G.norm());
      for (std::size_t k = 0; k < struck.size() && hardest > 0; ++k)
        pictured.shares[k] = answer.resolution.G[k].norm() / hardest;
      const SolidsPicture after = picture_of(impact, pictured, answer.resolution.u, "after");
      view.fastest = std::max(view.fastest, view_of(after, right, up).fastest);
      second = draw_solids(after, view);
    }
    return std::pair(draw_solids(before, view), std::move(second));
  });
}

}  // namespace ricochet
