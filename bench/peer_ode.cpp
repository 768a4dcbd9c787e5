/// Open Dynamics Engine: two bodies and one contact joint made by hand, so that no collision detection is timed.

#include <benchmark/benchmark.h>
#include <ode/ode.h>

#include <array>
#include <cmath>
#include <memory>

#include "pair.hpp"

namespace ricochet::bench {
namespace {

struct World {
  Pair pair;
  dWorldID world = dWorldCreate();
  dJointGroupID joints = dJointGroupCreate(0);
  dBodyID A, B;
  dContact contact{};

  explicit World(const Problem& p) : pair(as_pair(p)), A(body(pair.A)), B(body(pair.B)) {
    dWorldSetGravity(world, 0, 0, 0);
    contact.surface.mode = dContactBounce | dContactApprox1;
    contact.surface.mu = p.mu;
    contact.surface.bounce = p.e;
    contact.surface.bounce_vel = 0;
    for (int i = 0; i < 3; ++i) {
      contact.geom.pos[i] = pair.point(i);
      contact.geom.normal[i] = pair.n(i);
    }
    contact.geom.depth = 0;
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() {
    dJointGroupDestroy(joints);
    dWorldDestroy(world);
  }

  dBodyID body(const RigidBody& b) const {
    const dBodyID id = dBodyCreate(world);
    dMass mass;
    const Mat3& J = b.inertia;
    dMassSetParameters(&mass, b.mass, 0, 0, 0, J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2));
    dBodySetMass(id, &mass);
    return id;
  }

  static void place(dBodyID id, const RigidBody& b) {
    const std::array<dReal, 4> q{b.orientation.w(), b.orientation.x(), b.orientation.y(), b.orientation.z()};
    dBodySetPosition(id, b.position.x(), b.position.y(), b.position.z());
    dBodySetQuaternion(id, q.data());
    dBodySetLinearVel(id, b.velocity.x(), b.velocity.y(), b.velocity.z());
    dBodySetAngularVel(id, 0, 0, 0);
  }

  template <auto step>
  void collide() {
    place(A, pair.A);
    place(B, pair.B);
    dJointAttach(dJointCreateContact(world, joints, &contact), B, A);
    step(world, 1e-3);
    dJointGroupEmpty(joints);
  }

  [[nodiscard]] double rebound() const {
    const auto vec = [](const dReal* x) { return Vec3(x[0], x[1], x[2]); };
    return normal_velocity(pair, vec(dBodyGetLinearVel(A)), vec(dBodyGetAngularVel(A)), vec(dBodyGetLinearVel(B)),
                           vec(dBodyGetAngularVel(B)));
  }
};

template <auto step>
void run(benchmark::State& state, const char* label) {
  dInitODE2(0);
  dAllocateODEDataForThread(dAllocateMaskAll);
  {
    std::vector<std::unique_ptr<World>> list;
    for (std::size_t i = 0; i < worlds; ++i) list.push_back(std::make_unique<World>(typical()[i]));
    std::size_t i = 0;
    for (auto _ : state) list[i++ % worlds]->template collide<step>();
    double missed = 0;
    for (const auto& w : list) {
      w->template collide<step>();
      const double wanted = -w->pair.e * w->pair.n.dot(w->pair.B.velocity);
      missed += std::abs(w->rebound() - wanted) > 0.01 * std::abs(w->pair.n.dot(w->pair.B.velocity));
    }
    state.counters["rebound off by over 1 %"] = missed;
    state.counters["of"] = static_cast<double>(worlds);
  }
  dCloseODE();
  state.SetLabel(label);
}

}  // namespace

void register_ode() {
  benchmark::RegisterBenchmark(
      "peer/ODE dWorldStep", run<dWorldStep>,
      "two bodies, contact joint by hand; friction pyramid, Newton's e; integrates the bodies");
  benchmark::RegisterBenchmark("peer/ODE dWorldQuickStep", run<dWorldQuickStep>, "as above, 20 sweeps of SOR");
}

}  // namespace ricochet::bench
