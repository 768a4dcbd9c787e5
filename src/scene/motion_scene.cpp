#include "ricochet/scene/motion_scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "moving_robots.hpp"
#include "ricochet/base/error_path.hpp"
#include "ricochet/base/suggest.hpp"
#include "ricochet/base/text.hpp"
#include "ricochet/law/registry.hpp"

namespace ricochet {
namespace {

constexpr std::string_view assumed_law = "chatterjee-ruina";
constexpr double assumed_value = 0.5;

/// The parameters of `own`, and of `common` those that it does not give.
LawParameters overlaid(const LawParameters& common, const LawParameters& own) {
  LawParameters out = common;
  for (const std::string_view name : parameter_names())
    if (const auto value = get(own, name)) (void)set(out, name, *value);
  return out;
}

std::optional<double> number_of(const Law& law, std::string_view parameter) {
  for (const auto& [name, value] : parameters_of(law))
    if (name == parameter)
      if (const auto* x = std::get_if<double>(&value)) return *x;
  return std::nullopt;
}

Expected<motion::PairLaw> pair_law(std::string_view name, const LawParameters& settings, std::string_view path) {
  auto law = make_law(name, settings);
  if (!law) {
    Error error = law.error();
    if (error.path == "law" && path == "law") error.path = "name";
    return tl::unexpected(under(path, std::move(error)));
  }
  motion::PairLaw out;
  out.mu = number_of(*law, "mu").value_or(0);
  const auto stick = number_of(*law, "mu_s");
  out.mu_s = stick ? *stick : settings.mu_s && number_of(*law, "mu") ? *settings.mu_s : out.mu;
  if (!(out.mu_s >= out.mu))
    return fail(ErrorCode::out_of_range, join_path(path, "mu_s"), to_text(out.mu_s),
                fmt::format("must be at least mu = {}", to_text(out.mu)));
  if (const auto e = number_of(*law, "e")) out.e = *e;
  out.law = *std::move(law);
  return out;
}

/// Which law each pair has: bodies before materials.
class PairTable {
 public:
  /// `materials`: one for each body, empty where it has none.
  PairTable(const MotionScene& scene, const motion::World& world, const std::vector<std::string>& materials)
      : scene_(scene), materials_(materials) {
    for (std::size_t i = 0; i < world.bodies.size(); ++i) index_.emplace(world.bodies[i].name, i);
  }

  Expected<void> fill(motion::World& world) {
    const std::size_t n = world.bodies.size();
    world.law_of_pair.assign(n * n, 0);
    for (const bool materials : {true, false})
      for (std::size_t k = 0; k < scene_.pairs.size(); ++k) {
        const ScenePair& pair = scene_.pairs[k];
        if (pair.materials != materials) continue;
        const auto first = members(k, pair.first), second = members(k, pair.second);
        if (!first) return tl::unexpected(first.error());
        if (!second) return tl::unexpected(second.error());
        const auto entry = static_cast<std::uint32_t>(k + 1);
        if (!materials && first->front() == second->front())
          return fail(ErrorCode::conflict, field(k), fmt::format("\"{}\"", pair.first), "must be two bodies");
        for (const std::size_t i : *first)
          for (const std::size_t j : *second) {
            std::uint32_t& at = world.law_of_pair[i * n + j];
            if (at != entry && at != 0 && scene_.pairs[at - 1].materials == materials)
              return fail(ErrorCode::conflict, field(k), fmt::format("\"{}\" and \"{}\"", pair.first, pair.second),
                          fmt::format("is the pair of pair[{}] again", at));
            at = world.law_of_pair[j * n + i] = entry;
          }
      }
    return {};
  }

 private:
  [[nodiscard]] std::string field(std::size_t k) const {
    return join_path(entry_path("pair", k), scene_.pairs[k].materials ? "materials" : "bodies");
  }

  [[nodiscard]] Expected<std::vector<std::size_t>> members(std::size_t k, const std::string& name) const {
    std::vector<std::size_t> out;
    std::vector<std::string_view> known;
    const bool materials = scene_.pairs[k].materials;
    if (materials) {
      for (std::size_t i = 0; i < materials_.size(); ++i) {
        if (materials_[i] == name) out.push_back(i);
        if (!materials_[i].empty()) known.emplace_back(materials_[i]);
      }
    } else if (const auto at = index_.find(name); at != index_.end()) {
      out.push_back(at->second);
    } else {
      for (const auto& [body, at_body] : index_) known.push_back(body);
      std::sort(known.begin(), known.end());
    }
    if (!out.empty()) return out;
    const std::string_view guess = known.size() <= 1000 ? closest(name, known) : std::string_view{};
    const std::string said = materials ? "no body is of this material" : "no body has this name";
    return fail(ErrorCode::unknown_name, field(k), fmt::format("\"{}\"", name),
                guess.empty() ? said : fmt::format("{}; did you mean {}?", said, guess));
  }

  const MotionScene& scene_;
  const std::vector<std::string>& materials_;
  std::unordered_map<std::string_view, std::size_t> index_;
};

Expected<void> check_force(const MotionScene& scene, std::size_t i) {
  const motion::AppliedForce& force = scene.forces[i];
  const std::string path = entry_path("force", i);
  if (scene.bodies[force.body].body.fixed)
    return fail(ErrorCode::conflict, join_path(path, "body"), fmt::format("\"{}\"", scene.bodies[force.body].name),
                "is fixed, so that no force moves it");
  return {};
}

}  // namespace

std::string assume_missing(MotionScene& scene) {
  std::string said;
  const auto say = [&](std::string_view text) { said += fmt::format("{}{}", said.empty() ? "" : ", ", text); };
  if (scene.law.empty()) {
    scene.law = assumed_law;
    say(fmt::format("law {}", scene.law));
  }
  const LawInfo* law = find_law(scene.law);
  if (law == nullptr) return said;
  for (const ParameterInfo& parameter : law->parameters) {
    if ((parameter.name != "e" && parameter.name != "mu") || !parameter.needed()) continue;
    if (get(scene.settings, parameter.name)) continue;
    (void)set(scene.settings, parameter.name, assumed_value);
    say(fmt::format("{} = {}", parameter.name, assumed_value));
  }
  return said;
}

void use_law(MotionScene& scene, std::string_view law) {
  scene.law = law;
  for (ScenePair& pair : scene.pairs) pair.law.clear();
}

Expected<void> set_parameter(MotionScene& scene, std::string_view name, const Value& value) {
  if (auto fine = set(scene.settings, name, value); !fine) return fine;
  for (ScenePair& pair : scene.pairs)
    if (auto fine = set(pair.settings, name, value); !fine) return fine;
  return {};
}

Expected<motion::World> make_world(const MotionScene& scene, std::vector<std::string>* notes) {
  motion::World world;
  std::vector<std::string> materials;
  world.gravity = scene.gravity;
  world.forces = scene.forces;
  world.joints = scene.joints;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const SceneBody& b = scene.bodies[i];
    if (const auto fine = check(b.body, entry_path("body", i)); !fine) return tl::unexpected(fine.error());
    motion::WorldBody body{b.name, b.body, {}};
    if (b.shape.kind == Shape::Kind::height_field)
      body.fields.push_back({b.shape.field, Vec3::Zero(), Mat3::Identity()});
    else if (b.shape.kind != Shape::Kind::none)
      body.shapes.push_back(place(b.shape, Vec3::Zero(), Mat3::Identity()));
    world.bodies.push_back(std::move(body));
    materials.push_back(b.material);
  }
  if (const auto fine = add_robots(scene, world, materials, notes); !fine) return tl::unexpected(fine.error());
  auto common = pair_law(scene.law, scene.settings, "law");
  if (!common) return tl::unexpected(common.error());
  world.laws.push_back(*std::move(common));
  for (std::size_t k = 0; k < scene.pairs.size(); ++k) {
    const ScenePair& pair = scene.pairs[k];
    auto law = pair_law(pair.law.empty() ? scene.law : pair.law, overlaid(scene.settings, pair.settings),
                        entry_path("pair", k));
    if (!law) return tl::unexpected(law.error());
    world.laws.push_back(*std::move(law));
  }
  if (scene.pairs.empty()) {
    world.law_of_pair = {0};
  } else if (const auto fine = PairTable(scene, world, materials).fill(world); !fine) {
    return tl::unexpected(fine.error());
  }
  for (std::size_t i = 0; i < scene.forces.size(); ++i)
    if (const auto fine = check_force(scene, i); !fine) return tl::unexpected(fine.error());
  for (std::size_t i = 0; i < scene.joints.size(); ++i)
    if (scene.joints[i].first == scene.joints[i].second)
      return fail(ErrorCode::conflict, join_path(entry_path("hinge", i), "bodies"),
                  fmt::format("\"{}\"", scene.bodies[scene.joints[i].first].name), "must be two bodies");
  return world;
}

long long line_of(const MotionScene& scene, const Error& error) {
  std::string_view path = error.path;
  while (!path.empty()) {
    if (const auto at = scene.lines.find(path); at != scene.lines.end()) return at->second;
    const std::size_t dot = path.rfind('.');
    path = path.substr(0, dot == std::string_view::npos ? 0 : dot);
  }
  return 0;
}

std::vector<std::string> bodies_without_shape(const MotionScene& scene) {
  std::vector<std::string> out;
  for (const SceneBody& body : scene.bodies)
    if (body.shape.kind == Shape::Kind::none) out.push_back(body.name);
  return out;
}

}  // namespace ricochet
