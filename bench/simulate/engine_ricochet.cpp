/// Ours: event by event. It takes no steps, so that dt only says when the recorder looks.

#include <cmath>
#include <stdexcept>
#include <utility>

#include "engine.hpp"
#include "ricochet/geometry/convex_shape.hpp"
#include "ricochet/motion/simulation.hpp"
#include "ricochet/ricochet.hpp"

namespace ricochet::simulate {
namespace {

template <class T>
T value(Expected<T> x) {
  if (!x) throw std::runtime_error(x.error().message());
  return *std::move(x);
}

motion::WorldBody body(const char* name, std::size_t i, const Shape& shape, double mass, const Vec3& J, const Vec3& p) {
  motion::WorldBody out;
  out.name = name + std::to_string(i);
  out.body.mass = mass;
  out.body.inertia = J.asDiagonal().toDenseMatrix();
  out.body.position = p;
  out.shapes = {place(shape, Vec3::Zero(), Mat3::Identity())};
  return out;
}

motion::World world(const Scene& scene) {
  motion::World out;
  out.gravity = Vec3(0, 0, -scene.gravity);
  for (const Vec3& p : scene.spheres)
    out.bodies.push_back(body("sphere", out.bodies.size(), {.kind = Shape::Kind::sphere, .radius = scene.radius},
                              scene.mass, Vec3::Constant(scene.inertia), p));
  if (scene.box) {
    const Scene::Box& b = *scene.box;
    out.forces.push_back({.body = out.bodies.size(), .times = {}, .forces = {b.force}, .torques = {Vec3::Zero()}});
    out.bodies.push_back(body("box", 0, {.kind = Shape::Kind::box, .size = b.size}, b.mass, b.inertia, b.position));
  }
  motion::WorldBody floor;
  floor.name = "floor";
  floor.body.fixed = true;
  floor.shapes = {place({.kind = Shape::Kind::plane}, Vec3::Zero(), Mat3::Identity())};
  out.bodies.push_back(std::move(floor));

  const auto rough = [&](double mu) {
    return motion::PairLaw{.law = ChatterjeeRuina{.e = scene.e, .mu = mu}, .mu = mu, .mu_s = mu};
  };
  if (!scene.box) {
    out.laws = {{.law = Frictionless{.e = scene.e}}};
    out.law_of_pair = {0};
    return out;
  }
  out.laws = {rough(scene.mu_box_sphere), rough(scene.mu_plane_box), rough(scene.mu_plane_sphere)};
  const std::size_t n = out.bodies.size(), floor_at = n - 1, box_at = n - 2;
  out.law_of_pair.assign(n * n, 0);
  for (std::size_t i = 0; i < floor_at; ++i)
    out.law_of_pair[i * n + floor_at] = out.law_of_pair[floor_at * n + i] = i == box_at ? 1 : 2;
  return out;
}

class Ricochet : public Engine {
 public:
  void setup(const Scene& scene, double dt) override {
    dt_ = dt;
    bodies_ = scene.bodies();
    world_ = world(scene);
  }

  bool run(long steps, Recorder* recorder, const Deadline& deadline) override {
    // The search for the first events of all bodies is part of the run.
    simulation_.emplace(value(motion::Simulation::start(world_)));
    const double until = static_cast<double>(steps) * dt_;
    if (recorder == nullptr) {
      check(simulation_->run(until));
      return true;
    }
    std::vector<State> now;
    states(now);
    recorder->see(0, now);
    long next = 1;
    struct Late {};  // the only way out of a run that is under way
    const auto sample = [&](double time, const std::vector<motion::Pose>& poses) {
      if (deadline.over()) throw Late{};
      // Others are those after an event.
      if (next >= steps || std::abs(time - static_cast<double>(next) * dt_) > 1e-9 * dt_) return;
      read(poses, now);
      recorder->see(next++, now);
    };
    try {
      check(simulation_->run(until, {.event = {}, .sample = sample}, dt_));
    } catch (const Late&) {
      return false;
    }
    return true;
  }

  void states(std::vector<State>& out) const override {
    if (simulation_) return read(simulation_->poses(), out);
    out.clear();
    for (std::size_t i = 0; i < bodies_; ++i)
      out.push_back({world_.bodies[i].body.position, world_.bodies[i].body.velocity, Vec3::Zero()});
  }

 private:
  static void check(const Expected<void>& done) {
    if (!done) throw std::runtime_error(done.error().message());
  }
  void read(const std::vector<motion::Pose>& poses, std::vector<State>& out) const {
    out.clear();
    for (std::size_t i = 0; i < bodies_; ++i)
      out.push_back({poses[i].position, poses[i].velocity, poses[i].angular_velocity});
  }

  double dt_ = 0;
  std::size_t bodies_ = 0;
  motion::World world_;
  std::optional<motion::Simulation> simulation_;
};

std::vector<Variant> variants(const Scene&) {
  return {{"ricochet", "event by event", [] { return std::make_unique<Ricochet>(); }}};
}

}  // namespace
}  // namespace ricochet::simulate

int main(int argc, char** argv) {
  using namespace ricochet::simulate;
  return run(
      {.name = "ricochet", .version = RICOCHET_VERSION, .variants = variants, .overlap = 0, .takes_steps = false}, argc,
      argv);
}
