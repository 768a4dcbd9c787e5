/// One step of MuJoCo through the contacts of a crystal. Soft contacts: the impact goes on for many steps.

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <array>
#include <chrono>
#include <cstring>
#include <memory>

#include "contacts.hpp"

namespace ricochet::bench {

std::optional<Answer> by_mujoco(const Crystal& crystal) {
  const auto& all = crystal.arrangement.bodies;
  std::string bodies;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const RigidBody& b = all[i];
    // A hair larger than touching, or rounding decides which contacts are seen.
    const double radius = (i + 1 == all.size() ? crystal.striker_radius : crystal.radius) * (1 + 1e-9);
    bodies += fmt::format(
        R"(<body pos="{:.17g} {:.17g} {:.17g}"><freejoint/><inertial pos="0 0 0" mass="{:.17g}" diaginertia="{} {} {}"/>)"
        R"(<geom type="sphere" size="{:.17g}" condim="3" friction="{} 0 0"/></body>)",
        b.position.x(), b.position.y(), b.position.z(), b.mass, b.inertia(0, 0), b.inertia(1, 1), b.inertia(2, 2),
        radius, crystal.mu);
  }
  const std::size_t contacts = crystal.arrangement.contacts.size();
  const std::string xml = fmt::format(
      R"(<mujoco><size nstack="{}" njmax="{}" nconmax="{}"/><option timestep="0.001" gravity="0 0 0" cone="elliptic"/>)"
      R"(<worldbody>{}</worldbody></mujoco>)",
      20'000'000 + 2000 * contacts + 40 * 36 * all.size() * all.size(), 4 * contacts + 100, contacts + 20, bodies);
  mjVFS files;
  mj_defaultVFS(&files);
  mj_makeEmptyFileVFS(&files, "crystal.xml", static_cast<int>(xml.size()));
  std::memcpy(files.filedata[0], xml.data(), xml.size());
  std::array<char, 500> error{};
  const std::unique_ptr<mjModel, void (*)(mjModel*)> model(
      mj_loadXML("crystal.xml", &files, error.data(), static_cast<int>(error.size())), mj_deleteModel);
  mj_deleteVFS(&files);
  if (!model) return std::nullopt;
  const std::unique_ptr<mjData, void (*)(mjData*)> data(mj_makeData(model.get()), mj_deleteData);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (int k = 0; k < 3; ++k) data->qvel[6 * i + static_cast<std::size_t>(k)] = all[i].velocity(k);
  const auto begin = std::chrono::steady_clock::now();
  mj_step(model.get(), data.get());
  Answer out;
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  out.bodies = all;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (int k = 0; k < 3; ++k) {
      out.bodies[i].velocity(k) = data->qvel[6 * i + static_cast<std::size_t>(k)];
      out.bodies[i].angular_velocity(k) = data->qvel[6 * i + 3 + static_cast<std::size_t>(k)];
    }
  out.note = fmt::format("one soft step of 1 ms, collision detection included, {} contacts seen", data->ncon);
  return out;
}

}  // namespace ricochet::bench
