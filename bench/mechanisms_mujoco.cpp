/// MuJoCo on the same mechanisms: what it needs for M⁻¹Jᵀ, and a whole step with the soles on a floor.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>

#include "robots.hpp"

namespace ricochet::bench {
namespace {

std::string text(const Vec3& v) { return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z()); }

/// The file's text, in pieces: its reader refuses elements nested deeper than about a hundred, so that a long chain
/// goes on in files that are included.
class Pieces {
 public:
  explicit Pieces(const Robot& robot) : robot_(robot) {
    const double floor = expected(robot).points[0].z();
    begin(fmt::format(
        R"(<mujoco><compiler angle="radian"/><size njmax="100" nconmax="20" nstack="{}"/>
           <option timestep="0.001" gravity="0 0 0" cone="elliptic"/><worldbody>
           <geom type="plane" size="100 100 1" pos="0 0 {:.17g}" contype="1" conaffinity="2" friction="0.4 0 0"/>)",
        // Room for the dense matrices of the constraint solver.
        12 * robot.dof() * robot.dof() + 200000, floor));
    for (int k = 0; k < static_cast<int>(robot.tree.links.size()); ++k)
      if (robot.tree.links[static_cast<std::size_t>(k)].parent < 0) body(k, 0);
    end("</worldbody></mujoco>");
  }
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
  [[nodiscard]] static std::string name(std::size_t k) { return fmt::format("robot{}.xml", k); }

 private:
  void begin(std::string head) {
    files_.push_back(std::move(head));
    open_.push_back(files_.size() - 1);
  }
  void end(const char* tail) {
    files_[open_.back()] += tail;
    open_.pop_back();
  }
  void write(const std::string& s) { files_[open_.back()] += s; }

  void body(int k, int depth) {
    const Link& link = robot_.tree.links[static_cast<std::size_t>(k)];
    const bool further = depth > 0 && depth % 50 == 0;
    if (further) {
      write(fmt::format(R"(<include file="{}"/>)", name(files_.size())));
      begin("<mujocoinclude>");
    }
    const std::string joint = link.joint == JointType::free ? std::string("<freejoint/>")
                                                            : fmt::format(R"(<joint axis="{}"/>)", text(link.axis));
    write(fmt::format(R"(<body pos="{}">{}<inertial pos="{}" mass="{:.17g}" diaginertia="{}"/>)", text(link.position),
                      joint, text(link.centre), link.mass, text(link.inertia.diagonal())));
    if (std::count(robot_.feet.begin(), robot_.feet.end(), k) > 0) write(ball());
    for (int child = k + 1; child < static_cast<int>(robot_.tree.links.size()); ++child)
      if (robot_.tree.links[static_cast<std::size_t>(child)].parent == k) body(child, depth + 1);
    write("</body>");
    if (further) end("</mujocoinclude>");
  }

  /// Round the sole, a little into the floor.
  [[nodiscard]] std::string ball() const {
    return fmt::format(R"(<geom type="sphere" size="0.001" pos="{}" contype="2" conaffinity="1" friction="0.4 0 0"/>)",
                       text(robot_.sole));
  }

  const Robot& robot_;
  std::vector<std::string> files_;
  std::vector<std::size_t> open_;
};

struct World {
  const Robot& robot;
  mjModel* model = nullptr;
  mjData* data = nullptr;
  std::vector<mjtNum> L, J;
  MatX W;

  explicit World(const Robot& r) : robot(r) {
    const Pieces pieces(robot);
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    for (std::size_t k = 0; k < pieces.files().size(); ++k) {
      const std::string& xml = pieces.files()[k];
      mj_makeEmptyFileVFS(files.get(), Pieces::name(k).c_str(), static_cast<int>(xml.size()));
      std::copy(xml.begin(), xml.end(), static_cast<char*>(files->filedata[k]));
    }
    std::array<char, 500> error{};
    model = mj_loadXML(Pieces::name(0).c_str(), files.get(), error.data(), static_cast<int>(error.size()));
    mj_deleteVFS(files.get());
    if (model == nullptr) throw std::runtime_error(error.data());
    data = mj_makeData(model);
    L.resize(3 * robot.feet.size() * static_cast<std::size_t>(model->nv));
    J.resize(L.size());
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() {
    mj_deleteData(data);
    mj_deleteModel(model);
  }

  /// Positions, and speeds, have the order and meaning of ours.
  void start(const VecX& q) const {
    mju_copy(data->qpos, q.data(), model->nq);
    mju_copy(data->qvel, robot.u.data(), model->nv);
    mju_zero(data->qacc_warmstart, model->nv);
  }

  const MatX& mobility(const VecX& q) {
    start(q);
    mj_kinematics(model, data);
    mj_comPos(model, data);
    mj_crb(model, data);
    mj_factorM(model, data);
    const int columns = 3 * static_cast<int>(robot.feet.size());
    mjtNum* rows = J.data();
    for (const int foot : robot.feet) {
      const int body = foot + 1;
      std::array<mjtNum, 3> point{};
      mju_rotVecMat(point.data(), robot.sole.data(), data->xmat + 9 * body);
      mju_addTo3(point.data(), data->xpos + 3 * body);
      mj_jac(model, data, rows, nullptr, point.data(), body);
      rows += 3 * model->nv;
    }
    mj_solveM(model, data, L.data(), J.data(), columns);
    W.noalias() = Eigen::Map<const MatX>(J.data(), model->nv, columns).transpose() *
                  Eigen::Map<const MatX>(L.data(), model->nv, columns);
    return W;
  }
  void step(const VecX& q) const {
    start(q);
    mj_step(model, data);
  }
};

void response(benchmark::State& state, const Robot& robot) {
  World world(robot);
  const double error = mobility_error(robot, world.mobility(robot.q[0]));
  if (!(error <= mobility_tolerance)) return state.SkipWithError("W differs");
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(world.mobility(robot.q[i++ % 2]).data());
  state.counters["W off by"] = error;
}

void step(benchmark::State& state, const Robot& robot) {
  World world(robot);
  world.step(robot.q[0]);
  if (world.data->ncon != static_cast<int>(robot.feet.size())) return state.SkipWithError("not one contact a foot");
  std::size_t i = 0;
  for (auto _ : state) world.step(robot.q[i++ % 2]);
  if (robot.feet.size() > 1) state.counters["contacts"] = world.data->ncon;
}

void add(const std::string& name, const Robot& robot) {
  benchmark::RegisterBenchmark((name + "MuJoCo, L and W").c_str(),
                               [&robot](benchmark::State& state) { response(state, robot); });
  benchmark::RegisterBenchmark((name + "MuJoCo, step").c_str(),
                               [&robot](benchmark::State& state) { step(state, robot); });
}

}  // namespace

void register_mujoco_mechanisms() {
  for (const Robot& robot : robots()) add(fmt::format("mechanism/{}/", robot.dof()), robot);
  add("feet/", lander());
}

}  // namespace ricochet::bench
