/// One step of MuJoCo through the contacts of a crystal. Soft contacts: the impact goes on for many steps.

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <array>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>

#include "contacts.hpp"

namespace ricochet::bench {

Answer by_mujoco(const Crystal& crystal, MujocoSolver solver) {
  const auto& all = crystal.arrangement.bodies;
  std::string bodies;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const RigidBody& b = all[i];
    // Slightly larger than touching, so that rounding does not decide which contacts are detected.
    const double radius = (i + 1 == all.size() ? crystal.striker_radius : crystal.radius) * (1 + 1e-9);
    bodies += fmt::format(
        R"(<body pos="{:.17g} {:.17g} {:.17g}"><freejoint/><inertial pos="0 0 0" mass="{:.17g}" diaginertia="{} {} {}"/>)"
        R"(<geom type="sphere" size="{:.17g}" condim="3" friction="{} 0 0"/></body>)",
        b.position.x(), b.position.y(), b.position.z(), b.mass, b.inertia(0, 0), b.inertia(1, 1), b.inertia(2, 2),
        radius, crystal.mu);
  }
  const std::size_t contacts = crystal.arrangement.contacts.size();
  const std::size_t rows = 3 * contacts;
  const std::size_t speeds = 6 * all.size();
  // Full matrices of rows by speeds and of rows by rows, sparse or not (mjxmacro.h), counted in an int.
  const std::size_t bytes =
      rows * speeds * 2 * (sizeof(mjtNum) + sizeof(int)) + rows * rows * (sizeof(mjtNum) + sizeof(int));
  if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    return {.seconds = 0,
            .bodies = {},
            .note = fmt::format("its data would take {:.3g} GB and are counted in 32 bits, 2.1 GB at most",
                                1e-9 * static_cast<double>(bytes))};
  // The stack holds a full Hessian of Newton's method and a few vectors.
  const std::size_t stack = 20'000'000 + 2000 * contacts + (solver == MujocoSolver::newton ? 3 * speeds * speeds : 0);
  const std::string xml =
      fmt::format(R"(<mujoco><size nstack="{}" njmax="{}" nconmax="{}"/>)"
                  R"(<option timestep="0.001" gravity="0 0 0" cone="elliptic" solver="{}" jacobian="sparse"/>)"
                  R"(<worldbody>{}</worldbody></mujoco>)",
                  stack, rows, contacts, solver == MujocoSolver::newton ? "Newton" : "CG", bodies);
  mjVFS files;
  mj_defaultVFS(&files);
  mj_makeEmptyFileVFS(&files, "crystal.xml", static_cast<int>(xml.size()));
  std::memcpy(files.filedata[0], xml.data(), xml.size());
  std::array<char, 500> error{};
  const std::unique_ptr<mjModel, void (*)(mjModel*)> model(
      mj_loadXML("crystal.xml", &files, error.data(), static_cast<int>(error.size())), mj_deleteModel);
  mj_deleteVFS(&files);
  if (!model) return {.seconds = 0, .bodies = {}, .note = error.data()};
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
  if (static_cast<std::size_t>(data->ncon) != contacts)
    return {.seconds = 0, .bodies = {}, .note = fmt::format("it sees {} contacts", data->ncon)};
  out.note = fmt::format("{} iterations", data->solver_iter);
  return out;
}

}  // namespace ricochet::bench
