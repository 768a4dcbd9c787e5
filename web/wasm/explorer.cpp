/// The library as the page calls it: text in, JSON out (docs/explorer.md). All that is decided here is which answer of
/// the library goes under which name.

#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answers.hpp"
#include "bundled_scenes.hpp"
#include "landmarks.hpp"
#include "plots.hpp"
#include "read_jsonl.hpp"
#include "read_toml.hpp"
#include "ricochet/body/realize.hpp"
#include "ricochet/report/impulse_plane.hpp"
#include "ricochet/space/region_surface.hpp"
#include "text.hpp"
#include "to_json.hpp"

namespace ricochet::app {
namespace {

using Read = tl::expected<Collision, Fault>;

std::string written(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string refused(const Error& error, long long line = 0) {
  Json out = to_json(error);
  out["line"] = line;
  return written({{"error", std::move(out)}});
}

Read read_text(const std::string& text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string::npos || text[start] != '{') return read_toml(text);
  Collision collision;
  if (const auto fine = read_json_line(std::string_view(text).substr(start), collision); !fine)
    return tl::unexpected(Fault{fine.error(), 1});
  return collision;
}

/// One frame of the page asks many things of the same text: it is read once, and each law answers once.
struct Question {
  std::string text;
  Read read;
  std::unique_ptr<Answers> answers;  ///< null where the text could not be read
};

Question& question_of(const std::string& text) {
  static Question last;
  if (!last.answers || last.text != text) {
    last.answers.reset();
    last.text = text;
    last.read = read_text(text);
    if (last.read) last.answers = std::make_unique<Answers>(*last.read);
  }
  return last;
}

template <class Function>
std::string with_answers(const std::string& text, Function function) {
  const Question& question = question_of(text);
  const Read& read = question.read;
  if (!read) return refused(read.error().error, read.error().line);
  const Expected<Json> answer = function(*question.answers);
  return answer ? written(*answer) : refused(answer.error(), read->line_of(answer.error().field));
}

template <class Function>
std::string with_collision(const std::string& text, Function function) {
  return with_answers(text, [&](const Answers& answers) { return function(answers.collision()); });
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

Json named(Json body, const std::string& name) {
  Json out{{"name", name}};
  out.update(body);
  return out;
}

Json settings_json(const Settings& settings) {
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

std::string laws_text() {
  Json out = Json::array();
  for (const LawInfo& info : laws()) out.push_back(to_json(info));
  return written(out);
}

/// Scenes of many contacts are no collisions, and left out.
std::string scenes_text() {
  Json out = Json::array();
  for (const BundledScene& scene : bundled_scenes())
    if (const auto collision = read_toml(scene.text))
      out.push_back({{"name", scene.name}, {"title", collision->title}, {"text", scene.text}});
  return written(out);
}

std::string read(const std::string& text) {
  return with_collision(text, [](const Collision& c) -> Expected<Json> {
    Json bodies = nullptr;
    if (c.bodies)
      bodies = {named(to_json(c.bodies->A), printable(c.body_a)), named(to_json(c.bodies->B), printable(c.body_b))};
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

std::string collide_all(const std::string& text) {
  return with_answers(text, [](Answers& answers) -> Expected<Json> {
    std::vector<Answer> all;
    all.reserve(laws().size());
    for (const LawInfo& info : laws()) all.push_back(answers.of(info.name));
    Json out{{"source", "explorer"}};
    out.update(to_json(answers.collision(), all));
    return out;
  });
}

std::string inspect(const std::string& text) {
  return with_collision(text, [](const Collision& c) -> Expected<Json> {
    return landmarks_of(c).map([](const Landmarks& l) { return to_json(l); });
  });
}

std::string realize_bodies(const std::string& text) {
  return with_collision(text, [](const Collision& c) -> Expected<Json> {
    if (c.contact.immovable)
      return fail("W", "", "is singular: no two free bodies have it, only bodies on hinges or guides");
    auto pair = realize(c.contact.M);
    if (!pair) return tl::unexpected(pair.error());
    pair->B.velocity = c.contact.V;
    return Json{{"point", to_json(pair->point)},
                {"bodies", {named(to_json(pair->A), "first body"), named(to_json(pair->B), "second body")}}};
  });
}

Expected<RegionSurface> surface_of(const Collision& c) {
  if (!c.settings.mu) return fail("mu", "", "needed for the permissible region");
  return region_surface(c.contact, *c.settings.mu, {.turns = 48, .rings = 8});
}

/// A copy that the page owns.
template <class Number>
emscripten::val array_of(const Number* numbers, std::size_t count) {
  return emscripten::val(emscripten::typed_memory_view(count, numbers)).call<emscripten::val>("slice");
}

/// Thousands of numbers in every frame: as arrays, because writing and reading them would take longer than the laws.
emscripten::val region(const std::string& text) {
  std::optional<RegionSurface> surface;
  const std::string rest = with_collision(text, [&](const Collision& c) -> Expected<Json> {
    auto found = surface_of(c);
    if (!found) return tl::unexpected(found.error());
    surface = *std::move(found);
    return Json{{"bounded", surface->bounded}};
  });
  auto out = emscripten::val::global("JSON").call<emscripten::val>("parse", rest);
  if (!surface) return out;
  static_assert(sizeof(Vec3) == 3 * sizeof(double));
  out.set("points", array_of(surface->points.front().data(), 3 * surface->points.size()));
  out.set("triangles", array_of(surface->triangles.data(), surface->triangles.size()));
  return out;
}

std::string reach_of(const std::string& text, const std::string& law) {
  return with_collision(text, [&](const Collision& c) -> Expected<Json> {
    const auto sheet = reach_sheet(c.contact, law, c.settings);
    if (!sheet) return tl::unexpected(sheet.error());
    Json points = Json::array();
    for (const auto& P : sheet->points) points.push_back(P ? to_json(*P) : Json(nullptr));
    return Json{{"law", law}, {"rows", sheet->rows}, {"columns", sheet->columns}, {"points", std::move(points)}};
  });
}

std::string path(const std::string& text, const std::string& law) {
  return with_answers(text, [&](Answers& answers) -> Expected<Json> {
    const Answer& answer = answers.of(law);
    if (!answer.outcome) return tl::unexpected(answer.outcome.error());
    Json points = Json::array();
    for (const Vec3& P : answers.path(law)) points.push_back(to_json(P));
    return Json{{"law", law}, {"points", std::move(points)}};
  });
}

Json pair(const Vec2& at) { return Json::array({to_json(at.x()), to_json(at.y())}); }

Json plot_json(const Plot& plot) {
  Json curves = Json::array();
  for (const PlotCurve& curve : plot.curves) {
    Json points = Json::array();
    for (const Vec2& at : curve.points) points.push_back(pair(at));
    curves.push_back({{"name", curve.name},
                      {"points", std::move(points)},
                      {"colour", curve.stroke.colour},
                      {"width", curve.stroke.width},
                      {"dash", curve.stroke.dash},
                      {"closed", curve.closed},
                      {"fill", curve.fill},
                      {"opacity", curve.opacity},
                      {"arrow", curve.arrow},
                      {"counts", curve.counts}});
  }
  constexpr std::array<std::string_view, 5> forms{"disc", "ring", "square", "diamond", "cross"};
  Json points = Json::array();
  for (const PlotPoint& point : plot.points)
    points.push_back({{"name", point.name},
                      {"at", pair(point.at)},
                      {"colour", point.colour},
                      {"form", forms.at(static_cast<std::size_t>(point.form))},
                      {"in_legend", point.in_legend},
                      {"angle", point.angle},
                      {"dot", point.dot}});
  return {{"title", plot.title},
          {"x_label", plot.x_label},
          {"y_label", plot.y_label},
          {"equal_scales", plot.equal_scales},
          {"bare", plot.bare},
          {"x_log", plot.x_log},
          {"y_log", plot.y_log},
          {"low", plot.low ? pair(*plot.low) : Json(nullptr)},
          {"high", plot.high ? pair(*plot.high) : Json(nullptr)},
          {"curves", std::move(curves)},
          {"points", std::move(points)}};
}

std::string plot(const std::string& text, const std::string& kind, const std::string& law) {
  return with_answers(text, [&](Answers& answers) -> Expected<Json> {
    return plot_of(answers, kind, names_in(law)).map(plot_json);
  });
}

std::string figure(const std::string& text, const std::string& kind, const std::string& law) {
  return with_answers(text, [&](Answers& answers) -> Expected<Json> {
    const auto drawn = plot_of(answers, kind, names_in(law)).and_then(draw);
    if (!drawn) return tl::unexpected(drawn.error());
    return Json{{"svg", to_svg(*drawn)}};
  });
}

std::string axes(const std::string& text) {
  return with_collision(text, [](const Collision& c) -> Expected<Json> {
    const Mat3 R = localize<double>(c.contact).R;
    return Json{{"n", to_json(Vec3(R.col(0)))}, {"t", to_json(Vec3(R.col(1)))}, {"b", to_json(Vec3(R.col(2)))}};
  });
}

}  // namespace
}  // namespace ricochet::app

EMSCRIPTEN_BINDINGS(explorer) {
  using namespace ricochet::app;
  emscripten::function("laws", &laws_text);
  emscripten::function("scenes", &scenes_text);
  emscripten::function("read", &read);
  emscripten::function("collide", &collide_all);
  emscripten::function("inspect", &inspect);
  emscripten::function("realize", &realize_bodies);
  emscripten::function("region", &region);
  emscripten::function("reach", &reach_of);
  emscripten::function("path", &path);
  emscripten::function("plot", &plot);
  emscripten::function("figure", &figure);
  emscripten::function("axes", &axes);
}
