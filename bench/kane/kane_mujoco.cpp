/// MuJoCo: hinges, a ball under the tip, a plane. Its contact is a spring and damper on the acceleration of the contact
/// point, and the impact takes many steps of it.

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "puzzle.hpp"

namespace ricochet::kane {
namespace {

/// The ball's lowest point is the tip. Its middle lies off the rod's end, so that contact and tip are one point.
constexpr double radius = 0.05;

/// With full impedance the normal velocity follows v̇ = −2ζω v − ω² r whatever the masses are, until the push ends:
///   e = exp(−2 ζ acos ζ / √(1 − ζ²)), continued beyond ζ = 1 by acosh.
double rebound(double zeta) {
  if (zeta < 1) return std::exp(-2 * zeta * std::acos(zeta) / std::sqrt(1 - zeta * zeta));
  if (zeta == 1) return std::exp(-2.0);
  return std::exp(-2 * zeta * std::acosh(zeta) / std::sqrt(zeta * zeta - 1));
}

/// No finite damping gives e = 0: the largest taken here leaves 3e-4.
constexpr double largest_zeta = 30;

double damping_ratio(double e) {
  if (e >= 1) return 0;
  double low = 0, high = largest_zeta;
  if (e <= rebound(high)) return high;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (rebound(middle) > e ? low : high) = middle;
  }
  return low;
}

struct LawParameters {
  std::string cone = "elliptic";
  std::string solref, solimp;
  double step = 1e-3, mu = 0;
};

struct World {
  mjModel* model = nullptr;
  mjData* data = nullptr;

  explicit World(const LawParameters& s) {
    const Puzzle& p = puzzle();
    // Link frames hang straight down at zero angle; the second angle is relative to the first.
    const double c = std::cos(p.q(1)), sn = std::sin(p.q(1));
    // The ball's middle in the lower link's frame: the tip and `radius` straight up in the world.
    const double x = radius * sn, z = -p.length + radius * c;
    const std::string rod =
        fmt::format(R"(<inertial pos="0 0 {:.17g}" mass="{:.17g}" diaginertia="{:.17g} {:.17g} 1e-3"/>)", -p.length / 2,
                    p.mass, p.inertia, p.inertia);
    const std::string contact = fmt::format(R"(condim="3" friction="{:.17g} 0 0" {} {})", s.mu, s.solref, s.solimp);
    const std::string xml = fmt::format(
        R"(<mujoco><compiler angle="radian" autolimits="true"/>
           <option timestep="{:.17g}" gravity="0 0 0" cone="{}" integrator="Euler" tolerance="0" iterations="200">
             <flag energy="enable"/></option>
           <worldbody>
             <geom type="plane" size="10 10 1" pos="0 0 {:.17g}" {}/>
             <body><joint axis="0 -1 0"/>{}
               <body pos="0 0 {:.17g}"><joint axis="0 -1 0"/>{}
                 <geom type="sphere" size="{}" pos="{:.17g} 0 {:.17g}" {}/>
               </body>
             </body>
           </worldbody></mujoco>)",
        s.step, s.cone, p.tip.y(), contact, rod, -p.length, rod, radius, x, z, contact);
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "kane.xml", static_cast<int>(xml.size()));
    std::copy(xml.begin(), xml.end(), static_cast<char*>(files->filedata[0]));
    std::array<char, 500> error{};
    model = mj_loadXML("kane.xml", files.get(), error.data(), static_cast<int>(error.size()));
    mj_deleteVFS(files.get());
    if (model == nullptr) throw std::runtime_error(error.data());
    data = mj_makeData(model);
    data->qpos[0] = p.q(0);
    data->qpos[1] = p.q(1) - p.q(0);
    data->qvel[0] = p.u(0);
    data->qvel[1] = p.u(1) - p.u(0);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() {
    mj_deleteData(data);
    mj_deleteModel(model);
  }

  [[nodiscard]] Vec2 u() const { return absolute_from_relative() * Vec2(data->qvel[0], data->qvel[1]); }
  [[nodiscard]] double push() const {
    if (data->ncon == 0 || data->contact[0].efc_address < 0) return 0;
    std::array<mjtNum, 6> force{};
    mj_contactForce(model, data, 0, force.data());
    return force[0];
  }
};

Model model() {
  World world({});
  mj_forward(world.model, world.data);
  Model m;
  std::array<mjtNum, 4> M{};
  mj_fullM(world.model, M.data(), world.data->qM);
  const Mat2 to_relative = absolute_from_relative().inverse();
  m.mass =
      to_relative.transpose() * Eigen::Map<const Eigen::Matrix<double, 2, 2, Eigen::RowMajor>>(M.data()) * to_relative;
  const std::array<mjtNum, 3> point{puzzle().tip.x(), 0, puzzle().tip.y()};
  std::array<mjtNum, 6> jac{};
  mj_jac(world.model, world.data, jac.data(), nullptr, point.data(), 2);
  const Mat2 J = (Mat2() << jac[0], jac[1], jac[4], jac[5]).finished();
  std::array<mjtNum, 4> rows{J(0, 0), J(0, 1), J(1, 0), J(1, 1)}, L{};
  mj_solveM(world.model, world.data, L.data(), rows.data(), 2);
  m.W = J * Eigen::Map<const Mat2>(L.data());
  m.V = J * Vec2(world.data->qvel[0], world.data->qvel[1]);
  m.energy = world.data->energy[1];
  return m;
}

/// Steps until the push that began has ended.
MechanismImpact through(World& world, int most) {
  bool touched = false;
  for (int i = 0; i < most; ++i) {
    const Vec2 before = world.u();
    mj_step(world.model, world.data);
    // mj_step takes the forces of where it starts: nothing has changed in a step without any.
    const bool pushes = world.push() > 0;
    if (touched && !pushes) return {true, before, world.model->opt.timestep, ""};
    touched = touched || pushes;
  }
  return {false, Vec2::Zero(), world.model->opt.timestep, touched ? "the contact did not end" : "no contact"};
}

/// Stiffness and damping given directly, so that the normal motion is that of `rebound`.
MechanismImpact calibrated(const std::string& cone, const Case& c, int level) {
  const double omega = 1e3 * std::pow(4, level), zeta = damping_ratio(c.e);
  const double period = 1 / (omega * std::max(1.0, zeta));
  LawParameters s;
  s.cone = cone;
  s.mu = c.mu;
  s.step = period / (100 * std::pow(2, level));
  s.solref = fmt::format(R"(solref="{:.17g} {:.17g}")", -omega * omega, -2 * zeta * omega);
  s.solimp = R"(solimp="0.9999 0.9999 1")";
  World world(s);
  return through(world, static_cast<int>(50 * period / s.step));
}

/// The same impact without MuJoCo: (K2) of docs/kane.md integrated at the tip, in units of 1/ω. In the plane the cone
/// has two edges, and the minimum is inside it, on an edge or at the tip.
MechanismImpact by_itself(const Case& c, int level) {
  const Mat2 W = model().W;
  const double zeta = damping_ratio(c.e), step = 1 / (std::max(1.0, zeta) * 500 * std::pow(2, level));
  Vec2 V = reference().V;
  double r = 0;
  for (int i = 0; i < static_cast<int>(100 / step); ++i) {
    const Vec2 a = -2 * zeta * V - Vec2(0, r);
    Vec2 f = W.inverse() * a;
    if (f.y() < 0 || std::abs(f.x()) > c.mu * f.y()) {
      f.setZero();
      double least = 0;
      for (const double sigma : {-c.mu, c.mu}) {
        const Vec2 edge(sigma, 1);
        const double along = edge.dot(a), mobility = edge.dot(W * edge);
        if (along <= 0 || -0.5 * along * along / mobility >= least) continue;
        least = -0.5 * along * along / mobility;
        f = along / mobility * edge;
      }
    }
    // Nothing pushes before the first penetration where there is no damping.
    if (f.y() <= 0 && V.y() > 0) {
      const Mat2 J = (Mat2() << tip_velocity(Vec2::UnitX()), tip_velocity(Vec2::UnitY())).finished();
      return {true, J.inverse() * V, 0, ""};
    }
    V += step * W * f;
    r += step * V.y();
  }
  return {false, Vec2::Zero(), 0, "the contact did not end"};
}

/// Contact parameters as shipped: time constant 0.02 s, damping ratio 1. Only the step is made smaller.
MechanismImpact shipped(const Case& c, int level) {
  LawParameters s;
  s.cone = "pyramidal";
  s.mu = c.mu;
  s.step = 1e-4 / std::pow(2, level);
  World world(s);
  return through(world, static_cast<int>(1 / s.step));
}

Engine engine() {
  Engine made{"MuJoCo", mj_versionString(), {}};
  for (const char* cone : {"elliptic", "pyramidal"})
    made.variants.push_back({.name = fmt::format("MuJoCo, {} cone, damping for e", cone),
                             .model = model,
                             .strike = [cone](const Case& c, int level) { return calibrated(cone, c, level); },
                             .levels = 6,
                             .settled = 1e-3});
  made.variants.push_back(
      {.name = "the same, (K2) by itself", .model = model, .strike = by_itself, .levels = 12, .settled = 1e-4});
  made.variants.push_back(
      {.name = "MuJoCo, contact as shipped (no e)", .model = model, .strike = shipped, .levels = 6, .settled = 1e-3});
  return made;
}

}  // namespace
}  // namespace ricochet::kane

int main(int argc, char** argv) { return ricochet::kane::run(ricochet::kane::engine(), argc, argv); }
