#include "ricochet/simultaneous/assemble.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "body_jacobian.hpp"
#include "hinged_bodies.hpp"
#include "ricochet/base/error_path.hpp"
#include "ricochet/contact/between.hpp"

namespace ricochet {
namespace {

/// The names of the parts of a contact or hinge in errors.
struct ScenePaths {
  std::string own, first, second;

  [[nodiscard]] ContactPaths view() const { return {.A = first, .B = second, .contact = own, .normal = "normal"}; }
};

ScenePaths scene_paths(std::string_view list, std::size_t index, std::size_t first, std::size_t second) {
  return {entry_path(list, index), entry_path("body", first), entry_path("body", second)};
}

Expected<void> check_pair(const BodyScene& scene, std::size_t first, std::size_t second, const std::string& what) {
  for (const std::size_t i : {first, second})
    if (i >= scene.bodies.size())
      return fail(ErrorCode::out_of_range, join_path(what, "bodies"), fmt::format("body {}", i + 1),
                  fmt::format("is not there; there are {} bodies", scene.bodies.size()));
  if (first == second)
    return fail(ErrorCode::conflict, join_path(what, "bodies"), fmt::format("body {} twice", first + 1),
                "must be two different bodies");
  if (scene.bodies[first].fixed && scene.bodies[second].fixed)
    return fail(ErrorCode::conflict, join_path(what, "bodies"),
                fmt::format("body {} and body {}", first + 1, second + 1),
                "are both fixed; one of them must be able to move");
  return {};
}

Expected<void> check(const BodyScene& scene) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    if (const auto fine = ricochet::check(scene.bodies[i], entry_path("body", i)); !fine) return fine;
  for (std::size_t c = 0; c < scene.contacts.size(); ++c)
    if (const auto fine =
            check_pair(scene, scene.contacts[c].first, scene.contacts[c].second, entry_path("contact", c));
        !fine)
      return fine;
  for (std::size_t h = 0; h < scene.hinges.size(); ++h)
    if (const auto fine = check_pair(scene, scene.hinges[h].first, scene.hinges[h].second, entry_path("hinge", h));
        !fine)
      return fine;
  return {};
}

/// Every body a system of its own, every hinge a contact.
Expected<Assembled> assemble_in_sequence(const BodyScene& scene) {
  Assembled out;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    out.speeds.push_back(scene.bodies[i].fixed ? -1 : static_cast<std::ptrdiff_t>(out.problem.u().size()));
    if (const auto added = out.problem.add(scene.bodies[i], entry_path("body", i)); !added)
      return tl::unexpected(added.error());
  }
  for (std::size_t c = 0; c < scene.contacts.size(); ++c) {
    const ContactSpec& t = scene.contacts[c];
    const ScenePaths paths = scene_paths("contact", c, t.first, t.second);
    if (const auto added = out.problem.touch(t.first, t.second, t.point, t.n, t.law, paths.view()); !added)
      return tl::unexpected(added.error());
  }
  for (std::size_t h = 0; h < scene.hinges.size(); ++h) {
    const Hinge& hinge = scene.hinges[h];
    const ScenePaths paths = scene_paths("hinge", h, hinge.first, hinge.second);
    if (const auto added = out.problem.hinge(hinge.first, hinge.second, hinge.point, paths.view()); !added)
      return tl::unexpected(added.error());
  }
  return out;
}

/// Every set of bodies that hinges connect one mechanism.
class IntactAssembly {
 public:
  explicit IntactAssembly(const BodyScene& scene) : scene_(scene), system_(scene.bodies.size(), 0) {
    out_.hinges = Hinges::intact;
    out_.speeds.assign(scene.bodies.size(), -1);
  }

  Expected<Assembled> run() {
    if (const auto fine = add_mechanisms(); !fine) return tl::unexpected(fine.error());
    for (std::size_t c = 0; c < scene_.contacts.size(); ++c)
      if (const auto added = add_contact(c); !added) return tl::unexpected(added.error());
    return std::move(out_);
  }

 private:
  Expected<void> add_mechanisms() {
    const auto inverse = inverse_inertias(scene_);
    if (!inverse) return tl::unexpected(inverse.error());
    for (const std::vector<std::size_t>& members : connected_by_hinges(scene_)) {
      auto mechanism = hinged_bodies(scene_, members, *inverse);
      if (!mechanism) return tl::unexpected(mechanism.error());
      const auto first = out_.problem.u().size();
      const auto system = out_.problem.add(std::move(mechanism->solve), mechanism->u);
      if (!system) return tl::unexpected(system.error());
      for (std::size_t k = 0; k < members.size(); ++k) {
        system_[members[k]] = *system;
        out_.speeds[members[k]] = first + static_cast<std::ptrdiff_t>(body_dof * k);
      }
    }
    return {};
  }

  /// Of the point of a contact on body i, by the speeds of the body's mechanism.
  [[nodiscard]] MatX jacobian(std::size_t i, const Vec3& point) const {
    const DynamicSystem& system = out_.problem.systems()[system_[i]];
    MatX J = MatX::Zero(3, system.dof);
    J.block<3, 6>(0, out_.speeds[i] - static_cast<std::ptrdiff_t>(system.first)) =
        body_jacobian(point - scene_.bodies[i].position);
    return J;
  }

  Expected<std::size_t> add_contact(std::size_t index) {
    const ContactSpec& c = scene_.contacts[index];
    const ScenePaths paths = scene_paths("contact", index, c.first, c.second);
    // The pair as free bodies, which rejects undefined impacts.
    if (const auto free = contact_between(scene_.bodies[c.first], scene_.bodies[c.second], c.point, c.n, paths.view());
        !free)
      return tl::unexpected(free.error());
    const auto fixed = [&](std::size_t i) { return scene_.bodies[i].fixed; };
    return (fixed(c.first) || fixed(c.second) ? add_contact_with_wall(c) : add_contact_between(c))
        .map_error([&](Error error) { return under(paths.own, std::move(error)); });
  }

  Expected<std::size_t> add_contact_with_wall(const ContactSpec& c) {
    Problem& problem = out_.problem;
    const bool fixed_first = scene_.bodies[c.first].fixed;
    const std::size_t free = fixed_first ? c.second : c.first;
    const auto wall = problem.add(scene_.bodies[fixed_first ? c.first : c.second]);
    if (!wall) return wall;
    const MatX J = jacobian(free, c.point);
    return fixed_first ? problem.touch(*wall, {}, system_[free], J, c.point, c.n, c.law)
                       : problem.touch(system_[free], J, *wall, {}, c.point, c.n, c.law);
  }

  Expected<std::size_t> add_contact_between(const ContactSpec& c) {
    if (system_[c.first] == system_[c.second]) {
      ContactPoint at;
      at.point = c.point;
      at.n = c.n.normalized();
      at.J = jacobian(c.second, c.point) - jacobian(c.first, c.point);
      return out_.problem.touch(system_[c.first], at, c.law);
    }
    return out_.problem.touch(system_[c.first], jacobian(c.first, c.point), system_[c.second],
                              jacobian(c.second, c.point), c.point, c.n, c.law);
  }

  const BodyScene& scene_;
  std::vector<std::size_t> system_;  ///< of each body that is not fixed
  Assembled out_;
};

}  // namespace

Expected<Assembled> assemble(const BodyScene& scene, Hinges hinges) {
  if (const auto fine = check(scene); !fine) return tl::unexpected(fine.error());
  return hinges == Hinges::intact ? IntactAssembly(scene).run() : assemble_in_sequence(scene);
}

std::vector<RigidBody> moved(const BodyScene& scene, const Assembled& assembled, const VecX& u) {
  std::vector<RigidBody> out = scene.bodies;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::ptrdiff_t at = assembled.speeds[i];
    if (at < 0) continue;
    out[i].velocity = u.segment<3>(at);
    out[i].angular_velocity = u.segment<3>(at + 3);
  }
  return out;
}

}  // namespace ricochet
