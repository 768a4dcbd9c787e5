/// Simbody on the same mechanisms: L and W by its linear-time operators.

#include <Simbody.h>
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <vector>

#include "robots.hpp"

namespace ricochet::bench {
namespace {

SimTK::Vec3 vec(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

struct World {
  const Robot& robot;
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  std::vector<SimTK::MobilizedBody> bodies;
  SimTK::State state;
  SimTK::Vector f;
  SimTK::Vector L;
  MatX W;

  explicit World(const Robot& r) : robot(r) {
    for (const Link& link : robot.tree.links) {
      SimTK::MobilizedBody parent =
          link.parent < 0 ? SimTK::MobilizedBody(matter.Ground()) : bodies[static_cast<std::size_t>(link.parent)];
      const Vec3 moments = link.inertia.diagonal();
      const SimTK::Inertia inertia =
          SimTK::Inertia(moments.x(), moments.y(), moments.z()).shiftFromMassCenter(-vec(link.centre), link.mass);
      const SimTK::Body::Rigid rigid(SimTK::MassProperties(link.mass, vec(link.centre), inertia));
      if (link.joint == JointType::free) {
        bodies.push_back(
            SimTK::MobilizedBody::Free(parent, SimTK::Transform(vec(link.position)), rigid, SimTK::Transform()));
      } else {
        // A pin turns about its own z.
        const SimTK::Rotation axis(SimTK::UnitVec3(vec(link.axis)), SimTK::ZAxis);
        bodies.push_back(SimTK::MobilizedBody::Pin(parent, SimTK::Transform(axis, vec(link.position)), rigid,
                                                   SimTK::Transform(axis)));
      }
    }
    state = system.realizeTopology();
    system.realizeModel(state);
    f.resize(state.getNU());
    L.resize(state.getNU());
    W.resize(3 * static_cast<Eigen::Index>(robot.feet.size()), 3 * static_cast<Eigen::Index>(robot.feet.size()));
  }

  void start(const VecX& q) {
    int k = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (robot.tree.links[i].joint == JointType::free) {
        const SimTK::Rotation turn(SimTK::Quaternion(q(k + 3), q(k + 4), q(k + 5), q(k + 6)));
        bodies[i].setQToFitTransform(state, SimTK::Transform(turn, SimTK::Vec3(q(k), q(k + 1), q(k + 2))));
        k += 7;
      } else {
        bodies[i].setOneQ(state, 0, q(k++));
      }
    }
  }

  const MatX& mobility(const VecX& q) {
    start(q);
    system.realize(state, SimTK::Stage::Position);
    matter.realizeArticulatedBodyInertias(state);
    const SimTK::Vec3 sole = vec(robot.sole);
    Eigen::Index column = 0;
    for (const int struck : robot.feet)
      for (int axis = 0; axis < 3; ++axis, ++column) {
        SimTK::Vec3 push(0);
        push[axis] = 1;
        matter.multiplyByStationJacobianTranspose(state, body(struck), sole, push, f);
        matter.multiplyByMInv(state, f, L);
        Eigen::Index row = 0;
        for (const int foot : robot.feet) {
          const SimTK::Vec3 jump = matter.multiplyByStationJacobian(state, body(foot), sole, L);
          W.block<3, 1>(row, column) = Vec3(jump[0], jump[1], jump[2]);
          row += 3;
        }
      }
    return W;
  }
  [[nodiscard]] SimTK::MobilizedBodyIndex body(int link) const {
    return bodies[static_cast<std::size_t>(link)].getMobilizedBodyIndex();
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

void add(const std::string& name, const Robot& robot) {
  benchmark::RegisterBenchmark((name + "Simbody, L and W").c_str(),
                               [&robot](benchmark::State& state) { response(state, robot); });
}

}  // namespace

void register_simbody_mechanisms() {
  for (const Robot& robot : robots()) add(fmt::format("mechanism/{}/", robot.dof()), robot);
  add("feet/", lander());
}

}  // namespace ricochet::bench
