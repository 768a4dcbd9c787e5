#include "ricochet/io/named_scene.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ricochet/base/read_number.hpp"
#include "ricochet/io/scene_toml.hpp"
#include "ricochet/scene/bundled_scenes.hpp"

namespace ricochet {

namespace {

void add_ball(Scene& scene, std::string name, double mass, double radius, const Vec3& position, const Vec3& velocity) {
  const Shape shape{.kind = Shape::Kind::sphere, .radius = radius};
  scene.names.push_back(std::move(name));
  scene.shapes.push_back(shape);
  scene.arrangement.bodies.push_back({.mass = mass,
                                      .inertia = homogeneous_inertia(shape, mass).asDiagonal(),
                                      .position = position,
                                      .velocity = velocity});
}

/// By `law`, with the parameters in `settings`.
void add_contact(Scene& scene, std::size_t first, std::size_t second, const Vec3& point, const Vec3& n,
                 std::string_view law, const LawParameters& settings) {
  scene.arrangement.contacts.push_back({first, second, point, n, make_law(law, settings).value()});
  scene.laws.emplace_back(law);
  scene.settings.push_back(settings);
}

LawParameters parameters(double e, double mu) {
  LawParameters out;
  out.e = e;
  out.e_k = e;
  out.e_t = 0;
  out.mu = mu;
  return out;
}

Scene cradle(std::size_t n) {
  Scene scene;
  scene.title = fmt::format("Newton's cradle of {} balls", n);
  const double r = 0.02;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = 2 * r * static_cast<double>(i);
    add_ball(scene, fmt::format("ball {}", i + 1), 0.26, r, {x, 0, 0}, {i == 0 ? 1.0 : 0.0, 0, 0});
    if (i > 0) add_contact(scene, i - 1, i, {x - r, 0, 0}, Vec3::UnitX(), "frictionless", parameters(1, 0));
  }
  return scene;
}

Scene tower(std::size_t n) {
  Scene scene;
  scene.title = fmt::format("tower of {} boxes lands on the floor", n);
  scene.names.emplace_back("floor");
  scene.shapes.push_back({.kind = Shape::Kind::plane});
  scene.arrangement.bodies.push_back({.fixed = true});
  const Shape box{.kind = Shape::Kind::box, .size = {0.2, 0.2, 0.1}};
  const LawParameters settings = parameters(0.3, 0.5);
  for (std::size_t i = 0; i < n; ++i) {
    const double z = static_cast<double>(i) / 10;
    scene.names.push_back(fmt::format("box {}", i + 1));
    scene.shapes.push_back(box);
    scene.arrangement.bodies.push_back({.mass = 1,
                                        .inertia = homogeneous_inertia(box, 1).asDiagonal(),
                                        .position = {0, 0, static_cast<double>(2 * i + 1) / 20},
                                        .velocity = {0, 0, -1}});
    for (const double x : {-0.1, 0.1})
      for (const double y : {-0.1, 0.1})
        add_contact(scene, i, i + 1, {x, y, z}, Vec3::UnitZ(), "chatterjee-ruina", settings);
  }
  return scene;
}

/// n × n × n touching balls, a column of which is struck: 3 n² (n − 1) contacts and one.
Scene crystal(std::size_t n) {
  Scene scene;
  scene.title = fmt::format("{} touching balls, struck by one", n * n * n);
  const double r = 0.01;
  const LawParameters settings = parameters(0.5, 0.2);
  const auto at = [n](std::size_t i, std::size_t j, std::size_t k) { return (i * n + j) * n + k; };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k)
        add_ball(scene, fmt::format("ball {} {} {}", i + 1, j + 1, k + 1), 0.03, r,
                 2 * r * Vec3(static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)), Vec3::Zero());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) {
        const Vec3 here = scene.arrangement.bodies[at(i, j, k)].position;
        if (i + 1 < n)
          add_contact(scene, at(i, j, k), at(i + 1, j, k), here + r * Vec3::UnitX(), Vec3::UnitX(), "chatterjee-ruina",
                      settings);
        if (j + 1 < n)
          add_contact(scene, at(i, j, k), at(i, j + 1, k), here + r * Vec3::UnitY(), Vec3::UnitY(), "chatterjee-ruina",
                      settings);
        if (k + 1 < n)
          add_contact(scene, at(i, j, k), at(i, j, k + 1), here + r * Vec3::UnitZ(), Vec3::UnitZ(), "chatterjee-ruina",
                      settings);
      }
  const std::size_t middle = at(0, n / 2, n / 2);
  const Vec3 struck = scene.arrangement.bodies[middle].position;
  // Slightly off the axis: generic, as CR98 6.4 requires.
  const Vec3 from = Vec3(-1, 0.21, 0.13).normalized();
  add_ball(scene, "striker", 0.3, 2 * r, struck + 3 * r * from, -5 * from);
  add_contact(scene, n * n * n, middle, struck + r * from, -from, "chatterjee-ruina", settings);
  return scene;
}

}  // namespace

const std::vector<NamedScene>& named_scenes() {
  static const std::vector<NamedScene> scenes{
      {"cradle", "Newton's cradle of n balls, 5 by default", true},
      {"three-spheres", "Ivanov: a ball struck from both sides at once", false},
      {"falling-rod", "Goyal: a rod falls flat on both its ends", false},
      {"pool-break", "a cue ball strikes fifteen racked balls", false},
      {"hinged-pendulum", "CR98 Fig. 8: a hinged rod strikes the floor", false},
      {"linkage", "a double pendulum strikes the floor", false},
      {"rocking-block", "a block rocks over from one edge to the other", false},
      {"tower", "a tower of n boxes lands, 5 by default", true},
      {"pile", "30 contacts between 8 bodies and the floor", false},
      {"crystal", "n x n x n touching balls struck by one, 10 by default", true},
  };
  return scenes;
}

std::optional<Expected<Scene>> named_scene(std::string_view given) {
  const std::size_t colon = given.find(':');
  const std::string_view name = given.substr(0, colon);
  for (const NamedScene& known : named_scenes()) {
    if (known.name != name) continue;
    std::optional<std::size_t> count;
    if (colon != std::string_view::npos) {
      const std::string_view text = given.substr(colon + 1);
      const std::optional<double> x = read_number(text);
      const double most = name == "crystal" ? 60 : 100000;
      if (!known.counted)
        return Expected<Scene>(
            fail(ErrorCode::malformed, "scene", std::string(given), fmt::format("{} takes no number", name)));
      if (!x || !(*x >= 2 && *x <= most) || *x != std::floor(*x))
        return Expected<Scene>(fail(ErrorCode::out_of_range, "scene", std::string(given),
                                    fmt::format("must be {}:n with n from 2 to {}", name, most)));
      count = static_cast<std::size_t>(*x);
    }
    if (name == "cradle" && count) return Expected<Scene>(cradle(*count));
    if (name == "tower" && count) return Expected<Scene>(tower(*count));
    if (name == "crystal") return Expected<Scene>(crystal(count.value_or(10)));
    const BundledScene* file = find_bundled_scene(name);
    if (file == nullptr)
      return Expected<Scene>(fail(ErrorCode::unknown_name, "scene", std::string(name), "is not bundled"));
    auto scene = read_scene(file->text);
    if (!scene) return Expected<Scene>(tl::unexpected(scene.error().error));
    return Expected<Scene>(*std::move(scene));
  }
  return std::nullopt;
}

}  // namespace ricochet
