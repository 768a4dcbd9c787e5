#include "commands/simulate_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "ricochet/base/printable.hpp"
#include "ricochet/io/assignments.hpp"
#include "ricochet/io/motion_json.hpp"
#include "ricochet/io/open_scene.hpp"
#include "ricochet/law/registry.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {
namespace {

constexpr double most_samples = 1e9;

std::string hexadecimal_sum(const std::string& text) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", h);
}

}  // namespace

double SimulateInput::step() const { return options_.step.value_or(motion::StepOptions{}.step); }

motion::MotionMethod SimulateInput::method() const {
  return {options_.method, options_.max_events, step(), scene_.stiffness.value_or(0)};
}

int SimulateInput::check() const {
  const auto wrong = [](std::string_view option, double x, const char* allowed) {
    return refuse(option, 0, Error{ErrorCode::out_of_range, "", to_text(x), allowed});
  };
  if (!(options_.until > 0 && std::isfinite(options_.until)))
    return wrong("--until", options_.until, "must be positive and finite");
  if (!(sample() >= 0 && std::isfinite(sample()))) return wrong("--sample", sample(), "must be at least 0, and finite");
  if (sample() > 0 && !(options_.until / sample() <= most_samples))
    return wrong("--sample", sample(), "gives more than 1e9 samples until then; 0 samples at events only");
  if (options_.step && options_.method != "time-stepping")
    return refuse("--step", 0, Error{ErrorCode::conflict, "", "", "goes with --method time-stepping"});
  if (options_.sensitivity && options_.method != "events")
    return refuse("--sensitivity", 0, Error{ErrorCode::conflict, "", "", "goes with --method events"});
  if (options_.stiffness && options_.method != "compliant")
    return refuse("--stiffness", 0, Error{ErrorCode::conflict, "", "", "goes with --method compliant"});
  if (options_.stiffness && !(*options_.stiffness > 0 && std::isfinite(*options_.stiffness)))
    return wrong("--stiffness", *options_.stiffness, "must be positive and finite");
  if (!(step() > 0 && std::isfinite(step()))) return wrong("--step", step(), "must be positive and finite");
  if (options_.method == "time-stepping" && !(options_.until / step() <= most_samples))
    return wrong("--step", step(), "gives more than 1e9 steps until then");
  if (options_.ensemble == 0 && !options_.ensemble_only.empty())
    return refuse(options_.ensemble_only, 0, Error{ErrorCode::conflict, "", "", "goes with --ensemble"});
  if (options_.ensemble > 0 && !options_.alone_only.empty())
    return refuse(options_.alone_only, 0, Error{ErrorCode::conflict, "", "", "goes without --ensemble"});
  if (!(options_.save_every >= 0)) return wrong("--save-every", options_.save_every, "must be at least 0");
  if (options_.out.empty() && !options_.folder_only.empty())
    return refuse(options_.folder_only, 0, Error{ErrorCode::conflict, "", "", "goes with --out"});
  if (options_.resume && options_.force)
    return refuse("--resume", 0, Error{ErrorCode::conflict, "", "", "excludes --force"});
  if (!options_.motion.empty() && !options_.out.empty())
    return refuse("--motion", 0, Error{ErrorCode::conflict, "", "", "goes without --out, which writes motion.html"});
  return 0;
}
int SimulateInput::read() {
  auto scene = open_motion_scene(options_.scene);
  if (!scene) return refuse(scene.error());
  scene_ = *std::move(scene);
  const auto assignments = read_assignments(options_.sets);
  if (!assignments) return refuse("--set", 0, assignments.error());
  if (!options_.law.empty()) {
    if (find_law(options_.law) == nullptr) return refuse("--law", 0, unknown_law(options_.law));
    use_law(scene_, options_.law);
  }
  for (const auto& [name, value] : *assignments)
    if (const auto fine = set_parameter(scene_, name, value); !fine) return refuse("--set", 0, fine.error());
  if (const std::string assumed = assume_missing(scene_); !assumed.empty())
    notes_.push_back(fmt::format("assumed: {}; --law and --set change it", assumed));
  if (options_.stiffness) scene_.stiffness = options_.stiffness;
  if (options_.method == "compliant" && !scene_.stiffness)
    return refuse(options_.scene, 0,
                  Error{ErrorCode::missing, "compliance.stiffness", "",
                        "missing; the normal spring of every contact [N/m], here or by --stiffness"});
  if (scene_.states_contacts)
    notes_.emplace_back("contacts are found from the shapes; those that the scene states are not used");
  if (const auto bare = bodies_without_shape(scene_);
      !bare.empty() && (scene_.states_contacts || scene_.joints.empty())) {
    const std::size_t few = std::min<std::size_t>(bare.size(), 3);
    notes_.push_back(
        printable(fmt::format("without a shape, and so in no contact: {}{}",
                              fmt::join(bare.begin(), bare.begin() + static_cast<std::ptrdiff_t>(few), ", "),
                              bare.size() > few ? fmt::format(" and {} more", bare.size() - few) : "")));
  }
  if (options_.height) {
    if (!scene_.robot_file)
      return refuse("--height", 0, Error{ErrorCode::conflict, "", "", "goes with a robot file, which falls"});
    if (!(*options_.height >= 0 && std::isfinite(*options_.height)))
      return refuse("--height", 0,
                    Error{ErrorCode::out_of_range, "", to_text(*options_.height), "must be at least 0, and finite"});
    scene_.drop = *options_.height;
  }
  auto world = make_world(scene_, &notes_);
  if (world) {
    world_ = *std::move(world);
    note_method();
    return 0;
  }
  for (const auto& [name, value] : *assignments)
    if (world.error().path.ends_with("." + name)) return refuse("--set", 0, world.error());
  if (!options_.law.empty()) return refuse("--law", 0, world.error());
  return refuse_scene(world.error());
}

/// What the method does not take from the laws.
void SimulateInput::note_method() {
  if (options_.method == "events") return;
  const auto sticks = [](const motion::PairLaw& law) { return law.mu_s > law.mu; };
  if (std::any_of(world_.laws.begin(), world_.laws.end(), sticks))
    notes_.push_back(fmt::format("{} uses mu, not mu_s", options_.method));
  if (options_.method == "compliant" && scene_.law != "spring-sledge")
    notes_.push_back(
        fmt::format("contacts are spring-sledge elements with e and mu of {}, and the default of kappa", scene_.law));
}

int SimulateInput::refuse_scene(const Error& error) const {
  return refuse(options_.scene, line_of(scene_, error), error);
}

Json SimulateInput::identity(std::optional<double> sample) const {
  Json out{{"ricochet", RICOCHET_VERSION},
           {"scene", hexadecimal_sum(to_json(scene_).dump() + robot_texts())},
           {"method", options_.method},
           {"until", options_.until}};
  if (sample) out["sample"] = *sample;
  out["max_events"] = options_.max_events;
  if (options_.method == "time-stepping") out["step"] = step();
  if (options_.method == "compliant") out["stiffness"] = scene_.stiffness.value_or(0);
  return out;
}

std::string SimulateInput::robot_texts() const {
  std::string out;
  for (const PlacedRobot& robot : scene_.robots) {
    std::ifstream in(robot.file, std::ios::binary);
    out.append(std::istreambuf_iterator<char>(in), {});
  }
  return out;
}

}  // namespace ricochet::app
