/// MuJoCo: soft contacts, which have no coefficient of restitution. An elastic impact is a spring without damping.

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <stdexcept>

#include "engine.hpp"

namespace ricochet::simulate {
namespace {

/// Steps in one elastic impact.
constexpr double steps_of_impact = 8;
/// Time constant of a lasting contact in steps; the error is larger with 2.
constexpr double steps_of_settling = 20;

std::string text(const Vec3& v) { return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z()); }

Vec3 eigen(const mjtNum* v) { return {v[0], v[1], v[2]}; }

class Mujoco : public Stepper {
 public:
  explicit Mujoco(const char* solver) : solver_(solver) {}

  void setup(const Scene& scene, double dt) override {
    const double frequency = std::numbers::pi / (steps_of_impact * dt);
    const std::string solref = scene.e > 0 ? fmt::format("-{:.17g} 0", frequency * frequency)
                                           : fmt::format("{:.17g} 1", steps_of_settling * dt);
    // The larger friction of the two sides counts.
    const auto geom = [&](const char* type, const std::string& size, double mu) {
      return fmt::format(
          R"(<geom type="{}" size="{}" condim="{}" friction="{} 0 0" solref="{}" solimp="0.9999 0.9999 0.001"/>)", type,
          size, scene.friction() ? 3 : 1, mu, solref);
    };
    const auto body = [](const Vec3& p, double mass, const Vec3& J, const std::string& shape) {
      return fmt::format(
          R"(<body pos="{}"><freejoint/><inertial pos="0 0 0" mass="{:.17g}" diaginertia="{}"/>{}</body>)", text(p),
          mass, text(J), shape);
    };
    std::string inside = geom("plane", "0 0 1", scene.mu_plane_box);
    for (const Vec3& p : scene.spheres)
      inside += body(p, scene.mass, Vec3::Constant(scene.inertia),
                     geom("sphere", fmt::format("{:.17g}", scene.radius), scene.mu_box_sphere));
    if (scene.box)
      inside += body(scene.box->position, scene.box->mass, scene.box->inertia,
                     geom("box", text(0.5 * scene.box->size), scene.mu_plane_box));
    const std::size_t contacts = 8 * scene.bodies();
    const std::string xml = fmt::format(
        R"(<mujoco><size nstack="30000000" njmax="{}" nconmax="{}"/><option timestep="{:.17g}" gravity="0 0 -{:.17g}" )"
        R"(cone="elliptic" solver="{}" tolerance="1e-15" iterations="{}" jacobian="{}"/>)"
        R"(<worldbody>{}</worldbody></mujoco>)",
        3 * contacts, contacts, dt, scene.gravity, solver_, scene.box ? 100 : 1000, scene.box ? "dense" : "sparse",
        inside);
    mjVFS files;
    mj_defaultVFS(&files);
    mj_makeEmptyFileVFS(&files, "scene.xml", static_cast<int>(xml.size()));
    std::memcpy(files.filedata[0], xml.data(), xml.size());
    std::array<char, 500> error{};
    model_.reset(mj_loadXML("scene.xml", &files, error.data(), static_cast<int>(error.size())));
    mj_deleteVFS(&files);
    if (!model_) throw std::runtime_error(error.data());
    data_.reset(mj_makeData(model_.get()));
    bodies_ = scene.bodies();
    if (scene.box)
      for (int k = 0; k < 3; ++k) data_->xfrc_applied[6 * bodies_ + static_cast<std::size_t>(k)] = scene.box->force(k);
  }

  void states(std::vector<State>& out) const override {
    out.clear();
    for (std::size_t i = 0; i < bodies_; ++i) {
      const mjtNum* v =
          data_->qvel + 6 * i;  // turning is in body axes, which does not matter to the energy of a sphere
      out.push_back({eigen(data_->qpos + 7 * i), eigen(v), eigen(v + 3)});
    }
  }

 private:
  void step() override { mj_step(model_.get(), data_.get()); }

  const char* solver_;
  std::size_t bodies_ = 0;
  std::unique_ptr<mjModel, void (*)(mjModel*)> model_{nullptr, mj_deleteModel};
  std::unique_ptr<mjData, void (*)(mjData*)> data_{nullptr, mj_deleteData};
};

std::vector<Variant> variants(const Scene& scene) {
  if (scene.box)
    return {{"MuJoCo, Newton", fmt::format("elliptic cones, time constant {:g} dt, tolerance 1e-15", steps_of_settling),
             [] { return std::make_unique<Mujoco>("Newton"); }}};
  return {{"MuJoCo, CG",
           fmt::format("springs without damping, {:g} steps to an impact, tolerance 1e-15", steps_of_impact),
           [] { return std::make_unique<Mujoco>("CG"); }}};
}

}  // namespace
}  // namespace ricochet::simulate

int main(int argc, char** argv) {
  using namespace ricochet::simulate;
  return run({.name = "MuJoCo", .version = mj_versionString(), .variants = variants}, argc, argv);
}
