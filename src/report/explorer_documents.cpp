#include "ricochet/report/explorer_documents.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "ricochet/body/realize.hpp"
#include "ricochet/contact/contact.hpp"
#include "ricochet/io/collision_json.hpp"
#include "ricochet/io/collision_toml.hpp"
#include "ricochet/io/json.hpp"
#include "ricochet/io/landmarks_json.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/report/body_pictures.hpp"
#include "ricochet/report/collision_plots.hpp"
#include "ricochet/report/impact_course.hpp"
#include "ricochet/report/plot_document.hpp"
#include "ricochet/scene/bundled_scenes.hpp"

namespace ricochet {
namespace {

std::string written(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string refused(const Error& error, long long line = 0) {
  Json out = to_json(error);
  out["line"] = line;
  return written({{"error", std::move(out)}});
}

Read<Collision> read_text(const std::string& text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string::npos || text[start] != '{') return read_toml(text);
  Collision collision;
  if (const auto fine = read_json_line(std::string_view(text).substr(start), collision); !fine)
    return tl::unexpected(Fault{fine.error(), 1});
  return collision;
}

/// "routh,smith" as names.
std::vector<std::string_view> names_in(std::string_view list) {
  std::vector<std::string_view> out;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (comma > 0) out.push_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return out;
}

Json named(const RigidBody& body, const std::string& name) {
  Json out{{"name", name}};
  out.update(to_json(body));
  return out;
}

Json settings_json(const LawParameters& settings) {
  Json out = Json::object();
  for (const std::string_view name : parameter_names()) {
    const auto value = get(settings, name);
    if (!value) continue;
    const std::string key(name);
    if (const auto* x = std::get_if<double>(&*value)) out[key] = to_json(*x);
    if (const auto* word = std::get_if<std::string>(&*value)) out[key] = *word;
    if (const auto* numbers = std::get_if<std::vector<double>>(&*value)) out[key] = *numbers;
  }
  return out;
}

Json answers_json(Answers& answers) {
  std::vector<Answer> all;
  all.reserve(laws().size());
  for (const LawInfo& info : laws()) all.push_back(answers.of(info.name));
  Json out{{"source", "explorer"}};
  out.update(to_json(answers.collision(), all));
  return out;
}

/// In a phase of the compliant contact: more are not seen, and each of them costs time in every picture of a drag.
constexpr int path_points = 10;

/// Dragged numbers are round ones: nobody drags to sixteen digits.
double rounded(double x, int decimals) {
  if (decimals < 0) return std::round(x / std::pow(10, -decimals)) * std::pow(10, -decimals);
  const double scale = std::pow(10, decimals);
  return std::round(x * scale) / scale;
}

/// Decimals that leave so many digits of a number of this size.
int decimals_for(double size, int digits) {
  return size > 0 ? digits - 1 - static_cast<int>(std::floor(std::log10(size))) : 0;
}

Expected<Json> dragged(const Contact& contact, std::string_view handle, const Vec2& at) {
  if (!at.allFinite()) return fail(ErrorCode::out_of_range, "at", "", "must be finite");
  const Mat3 R = localize<double>(contact).R;
  const Vec3 n = R.col(0), t = R.col(1), b = R.col(2);
  if (handle == "e") {
    // On the section P = x t + y n, and e = V_n⁺ / −V_n⁻ there.
    const double V_n = n.dot(contact.V);
    const double e = (V_n + n.dot(contact.W * (at.x() * t + at.y() * n))) / -V_n;
    if (!std::isfinite(e)) return Json::object();
    return Json{{"e", rounded(std::clamp(e, 0.0, 1.0), 3)}};
  }
  if (handle == "mu") {
    if (!(at.y() > 0)) return Json::object();
    const double mu = std::abs(at.x()) / at.y();
    return Json{{"mu", rounded(mu, decimals_for(mu, 3))}};
  }
  if (handle == "V") {
    // The slip goes along −t and keeps its direction; the bodies approach.
    if (at.x() < 0 || at.y() >= 0) return Json::object();
    const double size = std::max(at.cwiseAbs().maxCoeff(), contact.V.norm());
    const int decimals = std::clamp(decimals_for(size, 4), 0, 12);
    Vec3 V = at.y() * n - at.x() * t + b.dot(contact.V) * b;
    for (double& v : V) v = rounded(v, decimals);
    return Json{{"V", to_json(V)}};
  }
  return fail(ErrorCode::unknown_name, "handle", std::string(handle), "must be e, mu or V");
}

}  // namespace

ExplorerDocuments::Question& ExplorerDocuments::question(const std::string& text) {
  if (!last_.answers || last_.text != text) {
    last_.answers.reset();
    last_.plots.clear();
    last_.text = text;
    last_.read = read_text(text);
    if (last_.read) last_.answers = std::make_unique<Answers>(*last_.read, path_points);
  }
  return last_;
}

template <class Function>
std::string ExplorerDocuments::with(const std::string& text, Function function) {
  Question& asked = question(text);
  if (!asked.read) return refused(asked.read.error().error, asked.read.error().line);
  const Expected<Json> answer = function(asked);
  return answer ? written(*answer) : refused(answer.error(), asked.read->line_of(answer.error().path));
}

std::string ExplorerDocuments::laws() {
  Json out = Json::array();
  for (const LawInfo& info : ricochet::laws()) out.push_back(to_json(info));
  return written(out);
}

std::string ExplorerDocuments::scenes() {
  Json out = Json::array();
  for (const BundledScene& scene : bundled_scenes())
    if (const auto collision = read_toml(scene.text))
      out.push_back({{"name", scene.name}, {"title", collision->title}, {"text", scene.text}});
  return written(out);
}

std::string ExplorerDocuments::ticks(double low, double high, int wanted) {
  return written(ricochet::ticks(low, high, wanted));
}

std::string ExplorerDocuments::read(const std::string& text) {
  return with(text, [](const Question& asked) -> Expected<Json> {
    const Collision& c = *asked.read;
    Json bodies = nullptr;
    if (c.bodies) bodies = {named(c.bodies->A, printable(c.body_a)), named(c.bodies->B, printable(c.body_b))};
    return Json{{"title", printable(c.title)},
                {"law", c.law ? Json(printable(*c.law)) : Json(nullptr)},
                {"settings", settings_json(c.settings)},
                {"contact", to_json(c.contact)},
                {"given", c.bodies               ? "bodies"
                          : c.contact.mass_given ? "M"
                                                 : "W"},
                {"bodies", std::move(bodies)},
                {"point", to_json(c.point)}};
  });
}

std::string ExplorerDocuments::collide(const std::string& text) {
  return with(text, [](const Question& asked) -> Expected<Json> { return answers_json(*asked.answers); });
}

std::string ExplorerDocuments::answers_file(const std::string& text) {
  const Question& asked = question(text);
  if (!asked.read) return refused(asked.read.error().error, asked.read.error().line);
  return pretty(answers_json(*asked.answers)) + "\n";
}

std::string ExplorerDocuments::inspect(const std::string& text) {
  return with(text, [](const Question& asked) -> Expected<Json> {
    return landmarks_of(*asked.read).map([](const Landmarks& l) { return to_json(l); });
  });
}

std::string ExplorerDocuments::realize(const std::string& text) {
  return with(text, [](const Question& asked) -> Expected<Json> {
    const Contact& contact = asked.read->contact;
    if (contact.immovable)
      return fail(ErrorCode::invalid, "W", "",
                  "is singular: no two free bodies have it, only bodies on hinges or guides");
    auto pair = ricochet::realize(contact.M);
    if (!pair) return tl::unexpected(pair.error());
    pair->B.velocity = contact.V;
    return Json{{"point", to_json(pair->point)},
                {"bodies", {named(pair->A, "first body"), named(pair->B, "second body")}}};
  });
}

std::string ExplorerDocuments::axes(const std::string& text) {
  return with(text, [](const Question& asked) -> Expected<Json> {
    const Mat3 R = localize<double>(asked.read->contact).R;
    return Json{{"n", to_json(Vec3(R.col(0)))}, {"t", to_json(Vec3(R.col(1)))}, {"b", to_json(Vec3(R.col(2)))}};
  });
}

std::string ExplorerDocuments::reach(const std::string& text, const std::string& law) {
  return with(text, [&](const Question& asked) -> Expected<Json> {
    const auto sheet = reach_sheet(asked.read->contact, law, asked.read->settings);
    if (!sheet) return tl::unexpected(sheet.error());
    Json points = Json::array();
    for (const auto& P : sheet->points) points.push_back(P ? to_json(*P) : Json(nullptr));
    return Json{{"law", law}, {"rows", sheet->rows}, {"columns", sheet->columns}, {"points", std::move(points)}};
  });
}

std::string ExplorerDocuments::path(const std::string& text, const std::string& law) {
  return with(text, [&](const Question& asked) -> Expected<Json> {
    const Answer& answer = asked.answers->of(law);
    if (!answer.outcome) return tl::unexpected(answer.outcome.error());
    Json points = Json::array();
    for (const Vec3& P : asked.answers->path(law)) points.push_back(to_json(P));
    return Json{{"law", law}, {"points", std::move(points)}};
  });
}

std::string ExplorerDocuments::course(const std::string& text, const std::string& law) {
  return with(text, [&](const Question& asked) -> Expected<Json> {
    const auto course = impact_course(*asked.answers, law);
    if (!course) return tl::unexpected(course.error());
    constexpr std::array<const char*, 3> over{"impulse", "length", "time"};
    Json steps = Json::array(), events = Json::array();
    for (const CourseStep& step : course->steps)
      steps.push_back({{"at", step.at},
                       {"P", to_json(step.state.P)},
                       {"V", to_json(step.state.V)},
                       {"normal_work", step.state.normal_work},
                       {"friction_work", step.state.friction_work}});
    for (const CourseEvent& event : course->events) events.push_back({{"name", event.name}, {"step", event.step}});
    return Json{{"law", law},
                {"over", over.at(static_cast<std::size_t>(course->over))},
                {"unit", course->over != ImpactCourse::Over::time ? "N s"
                         : course->seconds                        ? "s"
                                                                  : ""},
                {"steps", std::move(steps)},
                {"events", std::move(events)}};
  });
}

std::string ExplorerDocuments::during(const std::string& text, const std::string& law, double x, double y, double z,
                                      const std::string& pane) {
  return with(text, [&](const Question& asked) -> Expected<Json> {
    const auto place = read_pane(pane);
    if (!place) return tl::unexpected(place.error());
    const Answer& answer = asked.answers->of(law);
    if (!answer.outcome) return tl::unexpected(answer.outcome.error());
    const auto pictures = body_pictures(*asked.read, answer, Vec3(x, y, z));
    if (!pictures) return tl::unexpected(pictures.error());
    return plot_document(pictures->during, *place);
  });
}

std::string ExplorerDocuments::plot(const std::string& text, const std::string& kind, const std::string& laws,
                                    const std::string& reaches, const std::string& pane) {
  return with(text, [&](Question& asked) -> Expected<Json> {
    const auto place = read_pane(pane);
    if (!place) return tl::unexpected(place.error());
    const std::string key = kind + "\n" + laws + "\n" + reaches;
    auto known = asked.plots.find(key);
    if (known == asked.plots.end()) {
      PlaneExtras extras{.own_e = true, .short_names = true, .only_asked = true};
      // A law without an answer anywhere has nothing to show; its row of the table says why.
      for (const std::string_view law : names_in(reaches))
        if (auto r = ricochet::reach(asked.read->contact, law, asked.read->settings))
          extras.reaches.push_back(*std::move(r));
      known = asked.plots.emplace(key, plot_of(*asked.answers, kind, names_in(laws), std::move(extras))).first;
    }
    if (!known->second) return tl::unexpected(known->second.error());
    return plot_document(*known->second, *place);
  });
}

std::string ExplorerDocuments::figure(const std::string& text, const std::string& kind, const std::string& laws) {
  return with(text, [&](const Question& asked) -> Expected<Json> {
    const auto drawn = plot_of(*asked.answers, kind, names_in(laws), {.only_asked = true}).and_then(draw);
    if (!drawn) return tl::unexpected(drawn.error());
    return Json{{"svg", to_svg(*drawn)}};
  });
}

std::string ExplorerDocuments::drag(const std::string& text, const std::string& handle, double x, double y) {
  // Apart from the last text: what is dragged asks about the collision where the drag began, between two pictures of
  // another one.
  const auto began = read_text(text);
  if (!began) return refused(began.error().error, began.error().line);
  const auto change = dragged(began->contact, handle, Vec2(x, y));
  return change ? written(*change) : refused(change.error());
}

tl::expected<RegionSurface, std::string> ExplorerDocuments::region(const std::string& text) {
  const Question& asked = question(text);
  if (!asked.read) return tl::unexpected(refused(asked.read.error().error, asked.read.error().line));
  const auto& mu = asked.read->settings.mu;
  auto surface = mu ? region_surface(asked.read->contact, *mu, {.turns = 48, .rings = 8})
                    : fail(ErrorCode::missing, "mu", "", "needed for the permissible region");
  if (!surface) return tl::unexpected(refused(surface.error(), asked.read->line_of(surface.error().path)));
  return *std::move(surface);
}

}  // namespace ricochet
