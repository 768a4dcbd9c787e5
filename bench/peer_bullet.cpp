/// Bullet, single precision as packaged: its textbook collision formula, its contact solver alone, and a whole step.

#include <btBulletDynamicsCommon.h>
// Needs the header above.
#include <BulletDynamics/ConstraintSolver/btContactConstraint.h>
#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <memory>

#include "pair.hpp"

namespace ricochet::bench {
namespace {

btVector3 bt(const Vec3& v) {
  return {static_cast<btScalar>(v.x()), static_cast<btScalar>(v.y()), static_cast<btScalar>(v.z())};
}
Vec3 vec(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

btTransform pose(const RigidBody& b) {
  const Quaternion& q = b.orientation;
  return btTransform(btQuaternion(static_cast<btScalar>(q.x()), static_cast<btScalar>(q.y()),
                                  static_cast<btScalar>(q.z()), static_cast<btScalar>(q.w())),
                     bt(b.position));
}

/// A ball away from the centre of mass. btMultiSphereShape would do it in one shape, but its normals are off by
/// degrees.
struct Ball {
  btSphereShape sphere;
  btCompoundShape shape{false};

  Ball(const Vec3& centre, double radius) : sphere(static_cast<btScalar>(radius)) {
    shape.addChildShape(btTransform(btQuaternion::getIdentity(), bt(centre)), &sphere);
  }
};

struct Bodies {
  Pair pair;
  Ball ball_A, ball_B;
  std::unique_ptr<btRigidBody> A, B;

  explicit Bodies(const Problem& p)
      : pair(as_pair(p)),
        ball_A(pair.ball_A, pair.radius),
        ball_B(pair.ball_B, pair.radius),
        A(body(pair.A, &ball_A.shape)),
        B(body(pair.B, &ball_B.shape)) {
    // Combined by multiplication.
    for (btRigidBody* b : {A.get(), B.get()}) {
      b->setFriction(static_cast<btScalar>(std::sqrt(pair.mu)));
      b->setRestitution(static_cast<btScalar>(std::sqrt(pair.e)));
      b->setActivationState(DISABLE_DEACTIVATION);
    }
  }

  static std::unique_ptr<btRigidBody> body(const RigidBody& b, btCollisionShape* shape) {
    const Vec3 moments = b.inertia.diagonal();  // realize gives bodies in their principal axes
    return std::make_unique<btRigidBody>(
        btRigidBody::btRigidBodyConstructionInfo(static_cast<btScalar>(b.mass), nullptr, shape, bt(moments)));
  }

  static void place(btRigidBody& body, const RigidBody& b) {
    body.setWorldTransform(pose(b));
    body.setLinearVelocity(bt(b.velocity));
    body.setAngularVelocity(btVector3(0, 0, 0));
    body.updateInertiaTensor();
  }
  void place() {
    place(*A, pair.A);
    place(*B, pair.B);
  }
  /// The velocities are all that the solvers change.
  void restart() {
    for (btRigidBody* b : {A.get(), B.get()}) b->setAngularVelocity(btVector3(0, 0, 0));
    A->setLinearVelocity(btVector3(0, 0, 0));
    B->setLinearVelocity(bt(pair.B.velocity));
  }

  /// Off the wanted rebound by more than 1 % of the approach.
  [[nodiscard]] bool missed(double e) const {
    const double after = normal_velocity(pair, vec(A->getLinearVelocity()), vec(A->getAngularVelocity()),
                                         vec(B->getLinearVelocity()), vec(B->getAngularVelocity()));
    const double approach = -pair.n.dot(pair.B.velocity);
    return !(std::abs(after - e * approach) <= 0.01 * approach);
  }
};

void tell(benchmark::State& state, double missed, const char* label) {
  state.counters["rebound off by over 1 %"] = missed;
  state.counters["of"] = static_cast<double>(worlds);
  state.SetLabel(label);
}

void single(benchmark::State& state) {
  std::vector<std::unique_ptr<Bodies>> list;
  for (std::size_t i = 0; i < worlds; ++i) {
    list.push_back(std::make_unique<Bodies>(typical()[i]));
    list.back()->place();
  }
  const btContactSolverInfo info;
  const auto hit = [&](Bodies& b) {
    b.restart();
    return resolveSingleCollision(b.B.get(), b.A.get(), bt(b.pair.point), bt(b.pair.n), info, 0);
  };
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(hit(*list[i++ % worlds]));
  double missed = 0;
  for (const auto& b : list) {
    hit(*b);
    missed += b->missed(0);
  }
  tell(state, missed, "single precision; ignores friction and e: P_I only; applies it to the bodies");
}

void solver_only(benchmark::State& state) {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btSequentialImpulseConstraintSolver solver;
  btContactSolverInfo info;
  info.m_timeStep = btScalar(1e-3);
  info.m_restitutionVelocityThreshold = 0;
  std::vector<std::unique_ptr<Bodies>> list;
  std::vector<std::unique_ptr<btPersistentManifold>> manifolds;
  for (std::size_t i = 0; i < worlds; ++i) {
    list.push_back(std::make_unique<Bodies>(typical()[i]));
    Bodies& b = *list.back();
    b.place();
    manifolds.push_back(
        std::make_unique<btPersistentManifold>(b.B.get(), b.A.get(), 0, btScalar(0.02), btScalar(0.02)));
  }
  const auto hit = [&](std::size_t k) {
    Bodies& b = *list[k];
    btPersistentManifold* manifold = manifolds[k].get();
    b.restart();
    // A fresh point, or the impulse of the last call would be the first guess of this one.
    const btVector3 point = bt(b.pair.point);
    btManifoldPoint touch(b.B->getWorldTransform().invXform(point), b.A->getWorldTransform().invXform(point),
                          bt(b.pair.n), 0);
    touch.m_positionWorldOnA = touch.m_positionWorldOnB = point;
    touch.m_combinedFriction = static_cast<btScalar>(b.pair.mu);
    touch.m_combinedRestitution = static_cast<btScalar>(b.pair.e);
    manifold->clearManifold();
    manifold->addManifoldPoint(touch);
    std::array<btCollisionObject*, 2> bodies{b.B.get(), b.A.get()};
    solver.solveGroup(bodies.data(), 2, &manifold, 1, nullptr, 0, info, nullptr, &dispatcher);
  };
  std::size_t i = 0;
  for (auto _ : state) hit(i++ % worlds);
  double missed = 0;
  for (std::size_t k = 0; k < worlds; ++k) {
    hit(k);
    missed += list[k]->missed(list[k]->pair.e);
  }
  tell(state, missed, "single precision; contact solver alone, 10 sweeps, friction along one or two directions");
}

struct World {
  btDefaultCollisionConfiguration configuration{small_pools()};
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  Bodies bodies;
  btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};

  explicit World(const Problem& p) : bodies(p) {
    world.setGravity(btVector3(0, 0, 0));
    world.getSolverInfo().m_restitutionVelocityThreshold = 0;
    bodies.place();
    world.addRigidBody(bodies.A.get());
    world.addRigidBody(bodies.B.get());
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() {
    world.removeRigidBody(bodies.A.get());
    world.removeRigidBody(bodies.B.get());
  }

  static btDefaultCollisionConstructionInfo small_pools() {
    btDefaultCollisionConstructionInfo info;
    info.m_defaultMaxPersistentManifoldPoolSize = 16;
    info.m_defaultMaxCollisionAlgorithmPoolSize = 16;
    return info;
  }

  void step() {
    bodies.place();
    world.stepSimulation(btScalar(1e-3), 0);
  }
};

void whole_step(benchmark::State& state) {
  std::vector<std::unique_ptr<World>> list;
  for (std::size_t i = 0; i < worlds; ++i) list.push_back(std::make_unique<World>(typical()[i]));
  std::size_t i = 0;
  for (auto _ : state) list[i++ % worlds]->step();
  double missed = 0;
  for (const auto& w : list) {
    w->step();
    missed += w->bodies.missed(w->bodies.pair.e);
  }
  tell(state, missed, "single precision; as the contact solver, with collision detection and integration");
}

}  // namespace

void register_bullet() {
  benchmark::RegisterBenchmark("peer/Bullet resolveSingleCollision", single);
  benchmark::RegisterBenchmark("peer/Bullet contact solver", solver_only);
  benchmark::RegisterBenchmark("peer/Bullet step", whole_step);
}

}  // namespace ricochet::bench
