/// Bullet's sequential impulses on the contacts of a crystal, single precision as packaged.

#include <btBulletDynamicsCommon.h>

#include <chrono>
#include <cmath>
#include <memory>

#include "contacts.hpp"

namespace ricochet::bench {
namespace {

btVector3 bt(const Vec3& v) {
  return {static_cast<btScalar>(v.x()), static_cast<btScalar>(v.y()), static_cast<btScalar>(v.z())};
}

}  // namespace

Answer by_bullet(const Crystal& crystal, int iterations) {
  btSphereShape ball(static_cast<btScalar>(crystal.radius));
  btSphereShape striker(static_cast<btScalar>(crystal.striker_radius));
  std::vector<std::unique_ptr<btRigidBody>> bodies;
  const auto& all = crystal.arrangement.bodies;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const RigidBody& b = all[i];
    bodies.push_back(std::make_unique<btRigidBody>(btRigidBody::btRigidBodyConstructionInfo(
        static_cast<btScalar>(b.mass), nullptr, i + 1 == all.size() ? &striker : &ball, bt(b.inertia.diagonal()))));
    btRigidBody& made = *bodies.back();
    made.setWorldTransform(btTransform(btQuaternion::getIdentity(), bt(b.position)));
    made.setLinearVelocity(bt(b.velocity));
    made.setFriction(static_cast<btScalar>(std::sqrt(crystal.mu)));  // combined by multiplication
    made.setRestitution(static_cast<btScalar>(std::sqrt(crystal.e)));
    made.setActivationState(DISABLE_DEACTIVATION);
    made.updateInertiaTensor();
  }
  std::vector<btCollisionObject*> objects;
  for (const auto& b : bodies) objects.push_back(b.get());
  std::vector<std::unique_ptr<btPersistentManifold>> manifolds;
  std::vector<btPersistentManifold*> listed;
  for (const ContactSpec& t : crystal.arrangement.contacts) {
    btRigidBody* A = bodies[t.first].get();
    btRigidBody* B = bodies[t.second].get();
    manifolds.push_back(std::make_unique<btPersistentManifold>(B, A, 0, btScalar(0.02), btScalar(0.02)));
    const btVector3 point = bt(t.point);
    btManifoldPoint touch(B->getWorldTransform().invXform(point), A->getWorldTransform().invXform(point),
                          bt(t.n.normalized()), 0);
    touch.m_positionWorldOnA = touch.m_positionWorldOnB = point;
    touch.m_combinedFriction = static_cast<btScalar>(crystal.mu);
    touch.m_combinedRestitution = static_cast<btScalar>(crystal.e);
    manifolds.back()->addManifoldPoint(touch);
    listed.push_back(manifolds.back().get());
  }
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btSequentialImpulseConstraintSolver solver;
  btContactSolverInfo info;
  info.m_timeStep = btScalar(1e-3);
  info.m_restitutionVelocityThreshold = 0;
  info.m_numIterations = iterations;
  const auto begin = std::chrono::steady_clock::now();
  solver.solveGroup(objects.data(), static_cast<int>(objects.size()), listed.data(), static_cast<int>(listed.size()),
                    nullptr, 0, info, nullptr, &dispatcher);
  Answer out;
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  out.bodies = all;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const btVector3& v = bodies[i]->getLinearVelocity();
    const btVector3& w = bodies[i]->getAngularVelocity();
    out.bodies[i].velocity = Vec3(v.x(), v.y(), v.z());
    out.bodies[i].angular_velocity = Vec3(w.x(), w.y(), w.z());
  }
  return out;
}

}  // namespace ricochet::bench
