/// MuJoCo: two free bodies, each with a ball, and one step through their contact.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>

#include "pair.hpp"

namespace ricochet::bench {
namespace {

std::string text(const Vec3& v) { return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z()); }

std::string body(const RigidBody& b, const Vec3& ball, const Pair& pair) {
  const Quaternion& q = b.orientation;
  return fmt::format(
      R"(<body pos="{}" quat="{:.17g} {:.17g} {:.17g} {:.17g}"><freejoint/>
         <inertial pos="0 0 0" mass="{:.17g}" diaginertia="{}"/>
         <geom type="sphere" size="{}" pos="{}" condim="3" friction="{:.17g} 0 0"/></body>)",
      text(b.position), q.w(), q.x(), q.y(), q.z(), b.mass, text(b.inertia.diagonal()), pair.radius, text(ball),
      pair.mu);
}

struct World {
  Pair pair;
  mjModel* model = nullptr;
  mjData* data = nullptr;

  explicit World(const Problem& p) : pair(as_pair(p)) {
    const std::string xml = fmt::format(
        R"(<mujoco><size nstack="20000" njmax="20" nconmax="4"/>
           <option timestep="0.001" gravity="0 0 0" cone="elliptic"/>
           <worldbody>{}{}</worldbody></mujoco>)",
        body(pair.A, pair.ball_A, pair), body(pair.B, pair.ball_B, pair));
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "pair.xml", static_cast<int>(xml.size()));
    std::copy(xml.begin(), xml.end(), static_cast<char*>(files->filedata[0]));
    std::array<char, 500> error{};
    model = mj_loadXML("pair.xml", files.get(), error.data(), static_cast<int>(error.size()));
    mj_deleteVFS(files.get());
    if (model == nullptr) throw std::runtime_error(error.data());
    data = mj_makeData(model);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() {
    mj_deleteData(data);
    mj_deleteModel(model);
  }

  void step() {
    mju_copy(data->qpos, model->qpos0, model->nq);
    mju_zero(data->qvel, model->nv);
    mju_zero(data->qacc_warmstart, model->nv);
    for (int i = 0; i < 3; ++i) data->qvel[6 + i] = pair.B.velocity(i);
    mj_step(model, data);
  }
};

void run(benchmark::State& state) {
  std::vector<std::unique_ptr<World>> list;
  for (std::size_t i = 0; i < worlds; ++i) list.push_back(std::make_unique<World>(typical()[i]));
  std::size_t i = 0;
  for (auto _ : state) list[i++ % worlds]->step();
  double untouched = 0;
  for (const auto& w : list) {
    w->step();
    untouched += w->data->ncon != 1;
  }
  state.counters["without a contact"] = untouched;
  state.counters["of"] = static_cast<double>(worlds);
  state.SetLabel("soft contact, elliptic cone: the impact is spread over many steps, and this is one of them; no e");
}

}  // namespace

void register_mujoco() { benchmark::RegisterBenchmark("peer/MuJoCo step", run); }

}  // namespace ricochet::bench
