/// Simulations for the page (docs/explorer.md): text in, JSON out. It runs in a worker.

#include <emscripten/bind.h>
#include <emscripten/emscripten.h>
#include <emscripten/val.h>
#include <fmt/format.h>

#include <algorithm>

#include "ricochet/io/assignments.hpp"
#include "ricochet/io/collision_toml.hpp"
#include "ricochet/io/json.hpp"
#include "ricochet/io/motion_json.hpp"
#include "ricochet/io/motion_toml.hpp"
#include "ricochet/io/scene_toml.hpp"
#include "ricochet/law/registry.hpp"
#include "ricochet/motion/simulation.hpp"
#include "ricochet/report/contacts_document.hpp"
#include "ricochet/report/motion_recorder.hpp"
#include "ricochet/scene/bundled_scenes.hpp"
#include "ricochet/scene/event_collision.hpp"
#include "ricochet/scene/page_simulation.hpp"
#include "ricochet/scene/scene_laws.hpp"

namespace {

using namespace ricochet;

constexpr double tell_every = 50;  ///< ms

std::string written(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json error_json(const Error& error, long long line = 0) {
  Json out = to_json(error);
  out["line"] = line;
  return {{"error", std::move(out)}};
}

std::string law_list() {
  Json out = Json::array();
  for (const LawInfo& info : ricochet::laws()) out.push_back(to_json(info));
  return written(out);
}

std::string scene_list() {
  Json out = Json::array();
  for (const BundledScene& motion : bundled_motions())
    if (const auto scene = read_motion_scene(motion.text))
      out.push_back({{"name", motion.name}, {"title", scene->title}, {"text", motion.text}});
  return written(out);
}

Read<MotionScene> scene_in(const std::string& text) {
  auto scene = read_motion_scene(text);
  if (scene)
    if (const auto fine = check_for_page(*scene); !fine)
      return tl::unexpected(Fault{fine.error(), line_of(*scene, fine.error())});
  return scene;
}

/// What the scene says of its laws, with what is assumed.
std::string read_scene_text(std::string text) {
  auto scene = scene_in(text);
  if (!scene) return written(error_json(scene.error().error, scene.error().line));
  const std::string assumed = assume_missing(*scene);
  const Json whole = to_json(*scene);
  Json out{{"title", scene->title}, {"law", scene->law}, {"parameters", whole["parameters"]}, {"assumed", assumed}};
  out["bodies"] = scene->bodies.size();
  out["pairs"] = scene->pairs.size();
  return written(out);
}

/// A law and --set for every pair, as on the command line.
Expected<motion::World> world_of(MotionScene& scene, const Json& choices) {
  if (const auto law = choices.value("law", std::string()); !law.empty()) {
    if (find_law(law) == nullptr) return tl::unexpected(unknown_law(law));
    use_law(scene, law);
  }
  const auto assignments = read_assignments(choices.value("sets", std::vector<std::string>()));
  if (!assignments) return tl::unexpected(assignments.error());
  for (const auto& [name, value] : *assignments)
    if (const auto fine = set_parameter(scene, name, value); !fine) return tl::unexpected(fine.error());
  (void)assume_missing(scene);
  return make_world(scene);
}

/// The events of the last simulation, to open one of them in impulse space.
struct Happened {
  motion::Event event;
  std::size_t poses = 0;  ///< which of them follow it
};
struct LastMotion {
  motion::World world;
  std::string title;
  std::vector<Happened> events;
  std::vector<std::vector<motion::Pose>> poses;  ///< after each instant with impacts
};
LastMotion& last_motion() {
  static LastMotion one;
  return one;
}

/// The contact of an event of the motion document as a collision: {"collision": TOML, "time", "together"}.
std::string event_text(int index) {
  const LastMotion& last = last_motion();
  if (index < 0 || static_cast<std::size_t>(index) >= last.events.size())
    return written(error_json(Error{ErrorCode::out_of_range, "event", std::to_string(index), "has not happened"}));
  const auto& [event, poses] = last.events[static_cast<std::size_t>(index)];
  if (poses >= last.poses.size())
    return written(error_json(Error{ErrorCode::invalid, "event", std::string(name(event.kind)), "must be an impact"}));
  auto collision = event_collision(last.world, event, last.poses[poses]);
  if (!collision) return written(error_json(collision.error()));
  if (!last.title.empty()) collision->title = last.title + ": " + collision->title;
  std::string text = write_toml(*collision);
  // A body that one collision may not have, such as a rod without inertia about its axis, leaves the contact alone.
  if (collision->bodies && !read_toml(text)) {
    collision->bodies.reset();
    text = write_toml(*collision);
  }
  return written({{"collision", text}, {"time", event.time}, {"together", event.together}});
}

emscripten::val answer(const Json& summary, const std::string& document = {}) {
  auto out = emscripten::val::object();
  out.set("summary", written(summary));
  out.set("document", document);
  return out;
}

/// `choices` is {"law", "sets", "until"}; `progress` is called with the time that is reached and the number of events.
emscripten::val simulate(std::string text, std::string choices_text, emscripten::val progress) {
  auto scene = scene_in(text);
  if (!scene) return answer(error_json(scene.error().error, scene.error().line));
  const Json choices = Json::parse(choices_text, nullptr, false);
  if (!choices.is_object()) return answer(error_json(Error{ErrorCode::malformed, "choices", "", "must be an object"}));
  const double until = choices.value("until", 10.0);
  if (!(until > 0 && until < 1e300))
    return answer(error_json(Error{ErrorCode::out_of_range, "until", "", "must be positive and finite"}));
  auto world = world_of(*scene, choices);
  if (!world) return answer(error_json(world.error(), line_of(*scene, world.error())));
  const std::uint64_t most_events = most_page_numbers / (1 + 13 * scene->bodies.size());
  auto simulation = motion::Simulation::start(*std::move(world), {.max_events = most_events});
  if (!simulation) return answer(error_json(simulation.error(), line_of(*scene, simulation.error())));

  MotionSummary summary;
  MotionRecorder recorder(scene->title.empty() ? "a scene" : scene->title, simulation->world());
  recorder.add_sample(0, simulation->poses());
  const auto losses = [&] { recorder.add_losses(simulation->time(), simulation->ledger().lost_to_friction); };
  losses();
  double told = emscripten_get_now();
  const auto tell = [&](double time) {
    if (emscripten_get_now() - told < tell_every) return;
    told = emscripten_get_now();
    progress(time, static_cast<double>(summary.events()));
  };
  motion::Observer observer;
  LastMotion& kept = last_motion();
  kept = {simulation->world(), scene->title, {}, {}};
  bool struck = false;
  observer.event = [&](const motion::Event& event) {
    struck = struck || event.kind == motion::EventKind::impact;
    kept.events.push_back({event, kept.poses.size()});
    summary.add(event);
    recorder.add_event(event);
    tell(event.time);
  };
  observer.sample = [&](double time, const std::vector<motion::Pose>& poses) {
    if (struck) kept.poses.push_back(poses);
    struck = false;
    recorder.add_sample(time, poses);
    tell(time);
  };
  for (std::uint64_t k = 1; k <= motion_pieces && !summary.stopped && !summary.limited; ++k) {
    const auto went = simulation->run(piece_end(k, until), observer, until / 1000);
    if (!went) summary.stopped = went.error();
    summary.limited = recorder.overflows() || simulation->events() >= most_events;
    losses();
  }
  summary.time = simulation->time();
  summary.ledger = simulation->ledger();
  MotionDocument document = std::move(recorder).finish();
  // Where there were too many numbers, what was left out is left out of the events too.
  const double last = document.samples.back().time;
  std::erase_if(document.events, [&](const motion::Event& event) { return event.time > last; });
  if (const auto fine = check(document); !fine) return answer(error_json(fine.error()));
  std::vector<std::string> names;
  for (const motion::WorldBody& body : document.bodies) names.push_back(body.name);
  Json out = to_json(summary, names);
  if (summary.limited) out["time"] = last;
  return answer(out, write_json(document));
}

/// A scene of many contacts; `choices` is {"sets"}.
std::string contacts(std::string text, std::string choices_text) {
  auto scene = read_scene(text);
  if (!scene) return written(error_json(scene.error().error, scene.error().line));
  if (const std::size_t count = scene->arrangement.contacts.size(); count > most_page_contacts)
    return written(error_json(Error{ErrorCode::unavailable, "contact", fmt::format("{} contacts", count),
                                    fmt::format("the page shows at most {}", most_page_contacts)}));
  const Json choices = Json::parse(choices_text, nullptr, false);
  if (!choices.is_object()) return written(error_json(Error{ErrorCode::malformed, "choices", "", "must be an object"}));
  const auto assignments = read_assignments(choices.value("sets", std::vector<std::string>()));
  if (!assignments) return written(error_json(assignments.error()));
  if (const auto fine = set_parameters(*scene, *assignments); !fine) return written(error_json(fine.error()));
  const auto answers = contact_answers(*scene);
  if (!answers) return written(error_json(answers.error()));
  return contacts_document(*scene, *answers);
}

std::string many_list() {
  Json out = Json::array();
  for (const BundledScene& bundled : bundled_scenes())
    if (const auto scene = read_scene(bundled.text); scene && !scene->arrangement.contacts.empty())
      out.push_back({{"name", bundled.name}, {"title", scene->title}, {"text", bundled.text}});
  return written(out);
}

}  // namespace

EMSCRIPTEN_BINDINGS(simulator) {
  emscripten::function("laws", &law_list);
  emscripten::function("scenes", &scene_list);
  emscripten::function("read", &read_scene_text);
  emscripten::function("simulate", &simulate);
  emscripten::function("event", &event_text);
  emscripten::function("contacts", &contacts);
  emscripten::function("many", &many_list);
}
