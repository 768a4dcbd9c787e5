/// Bullet, the double-precision build: as one articulated multibody, and as two rigid bodies held by hinges.

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <btBulletDynamicsCommon.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>

#include "puzzle.hpp"

namespace ricochet::kane {
namespace {

static_assert(sizeof(btScalar) == sizeof(double));

constexpr double radius = 0.05;
const btVector3 turning(0, -1, 0);  ///< angles turn x towards z

btQuaternion turned(double angle) { return {turning, angle}; }

/// Collision detection and the floor; the ball's middle is above the tip, and the tip its lowest point.
struct Place {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btStaticPlaneShape plane{btVector3(0, 0, 1), puzzle().tip.y()};
  btRigidBody floor{btRigidBody::btRigidBodyConstructionInfo(0, nullptr, &plane)};
  btSphereShape sphere{radius};
  btCompoundShape ball{false};

  Place() {
    const Puzzle& p = puzzle();
    // In the lower rod's frame, at its middle and turned with it.
    const btVector3 up = quatRotate(turned(p.q(1)).inverse(), btVector3(0, 0, radius));
    ball.addChildShape(btTransform(btQuaternion::getIdentity(), btVector3(0, 0, -p.length / 2) + up), &sphere);
    // Coefficients of the two sides are multiplied.
    floor.setFriction(1);
    floor.setRestitution(1);
  }
};

void dress(btCollisionObject& tip, const Case& c) {
  tip.setFriction(c.mu);
  tip.setRestitution(c.e);
}

/// No position correction, no threshold below which nothing rebounds, sweeps until nothing moves.
void set(btContactSolverInfo& info, int sweeps) {
  info.m_erp = info.m_erp2 = 0;
  info.m_restitutionVelocityThreshold = 0;
  info.m_leastSquaresResidualThreshold = 0;
  info.m_numIterations = sweeps;
  // Without this a multibody has friction along one direction, taken from the normal alone: here it would be across
  // the plane of motion.
  info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
}

struct Multibody {
  Place place;
  btMultiBodyConstraintSolver solver;
  btMultiBodyDynamicsWorld world{&place.dispatcher, &place.broadphase, &solver, &place.configuration};
  btMultiBody body{2, 0, btVector3(0, 0, 0), true, false};
  std::unique_ptr<btMultiBodyLinkCollider> tip;

  explicit Multibody(const Case& c) {
    const Puzzle& p = puzzle();
    world.setGravity(btVector3(0, 0, 0));
    set(world.getSolverInfo(), 1000);
    const btVector3 inertia(p.inertia, p.inertia, 1e-3), half(0, 0, -p.length / 2);
    body.setupRevolute(0, p.mass, inertia, -1, btQuaternion::getIdentity(), turning, btVector3(0, 0, 0), half, true);
    body.setupRevolute(1, p.mass, inertia, 0, btQuaternion::getIdentity(), turning, half, half, true);
    body.finalizeMultiDof();
    body.setLinearDamping(0);
    body.setAngularDamping(0);
    body.setJointPos(0, p.q(0));
    body.setJointPos(1, p.q(1) - p.q(0));
    body.setJointVel(0, p.u(0));
    body.setJointVel(1, p.u(1) - p.u(0));
    tip = std::make_unique<btMultiBodyLinkCollider>(&body, 1);
    tip->setCollisionShape(&place.ball);
    dress(*tip, c);
    body.getLink(1).m_collider = tip.get();
    btAlignedObjectArray<btQuaternion> turns;
    btAlignedObjectArray<btVector3> places;
    body.forwardKinematics(turns, places);
    body.updateCollisionObjectWorldTransforms(turns, places);
    world.addRigidBody(&place.floor);
    world.addCollisionObject(tip.get(), btBroadphaseProxy::DefaultFilter, btBroadphaseProxy::AllFilter);
    world.addMultiBody(&body);
  }
  Multibody(const Multibody&) = delete;
  Multibody& operator=(const Multibody&) = delete;
  ~Multibody() {
    world.removeMultiBody(&body);
    world.removeCollisionObject(tip.get());
    world.removeRigidBody(&place.floor);
  }

  [[nodiscard]] Vec2 u() const { return absolute_from_relative() * Vec2(body.getJointVel(0), body.getJointVel(1)); }
};

Model multibody_model() {
  const Puzzle& p = puzzle();
  Multibody m({0, 0});
  btAlignedObjectArray<btScalar> r;
  btAlignedObjectArray<btVector3> v;
  btAlignedObjectArray<btMatrix3x3> mm;
  // Prepares the articulated inertias; the speeds it writes are accelerations times the step, here zero.
  m.body.computeAccelerationsArticulatedBodyAlgorithmMultiDof(0, r, v, mm, false, false, false);
  constexpr int base = 6;  // entries of the base come first, fixed or not
  Mat2 inverse;
  for (int k = 0; k < 2; ++k) {
    std::array<btScalar, base + 2> f{}, a{};
    f[base + static_cast<std::size_t>(k)] = 1;
    m.body.calcAccelerationDeltasMultiDof(f.data(), a.data(), r, v);
    inverse.col(k) = Vec2(a[base], a[base + 1]);
  }
  Mat2 J;
  for (int k = 0; k < 2; ++k) {
    std::array<btScalar, base + 2> row{};
    m.body.fillContactJacobianMultiDof(1, btVector3(p.tip.x(), 0, p.tip.y()),
                                       k == 0 ? btVector3(1, 0, 0) : btVector3(0, 0, 1), row.data(), r, v, mm);
    J.row(k) << row[base], row[base + 1];
  }
  const Mat2 to_relative = absolute_from_relative().inverse();
  Model out;
  out.mass = to_relative.transpose() * inverse.inverse() * to_relative;
  out.W = J * inverse * J.transpose();
  const Vec2 speeds(m.body.getJointVel(0), m.body.getJointVel(1));
  out.V = J * speeds;
  out.energy = 0.5 * speeds.dot(inverse.inverse() * speeds);
  return out;
}

MechanismImpact struck(const Vec2& u, bool touched, double step) {
  return {touched, u, step, touched ? "" : "no contact was found"};
}

double step_of(int level) { return 1e-3 / std::pow(8, level); }

MechanismImpact strike_multibody(const Case& c, int level) {
  Multibody m(c);
  m.world.stepSimulation(step_of(level), 0);
  return struck(m.u(), m.place.dispatcher.getNumManifolds() == 1, step_of(level));
}

struct Hinged {
  Place place;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{&place.dispatcher, &place.broadphase, &solver, &place.configuration};
  btEmptyShape nothing;
  std::unique_ptr<btRigidBody> upper, lower;
  std::unique_ptr<btHingeConstraint> shoulder, elbow;

  explicit Hinged(const Case& c) {
    const Puzzle& p = puzzle();
    world.setGravity(btVector3(0, 0, 0));
    set(world.getSolverInfo(), 20000);
    upper = rod(&nothing, 0.5 * p.elbow, p.q(0), 0.5 * p.u(0) * Vec2(-p.elbow.y(), p.elbow.x()), p.u(0));
    const Vec2 along = 0.5 * (p.tip - p.elbow);
    lower = rod(&place.ball, p.elbow + along, p.q(1),
                p.u(0) * Vec2(-p.elbow.y(), p.elbow.x()) + p.u(1) * Vec2(-along.y(), along.x()), p.u(1));
    dress(*lower, c);
    const btVector3 top(0, 0, p.length / 2), bottom(0, 0, -p.length / 2);
    shoulder = std::make_unique<btHingeConstraint>(*upper, top, turning);
    elbow = std::make_unique<btHingeConstraint>(*upper, *lower, bottom, top, turning, turning);
    world.addRigidBody(&place.floor);
    world.addRigidBody(upper.get());
    world.addRigidBody(lower.get());
    world.addConstraint(shoulder.get());
    world.addConstraint(elbow.get(), true);
  }
  Hinged(const Hinged&) = delete;
  Hinged& operator=(const Hinged&) = delete;
  ~Hinged() {
    world.removeConstraint(elbow.get());
    world.removeConstraint(shoulder.get());
    for (btRigidBody* b : {lower.get(), upper.get(), &place.floor}) world.removeRigidBody(b);
  }

  static std::unique_ptr<btRigidBody> rod(btCollisionShape* shape, const Vec2& middle, double angle,
                                          const Vec2& velocity, double speed) {
    const Puzzle& p = puzzle();
    // The moment along the rod has no part in planar motion; a round number keeps the sweeps well conditioned.
    auto body = std::make_unique<btRigidBody>(
        btRigidBody::btRigidBodyConstructionInfo(p.mass, nullptr, shape, btVector3(p.inertia, p.inertia, p.inertia)));
    body->setWorldTransform(btTransform(turned(angle), btVector3(middle.x(), 0, middle.y())));
    body->setLinearVelocity(btVector3(velocity.x(), 0, velocity.y()));
    body->setAngularVelocity(speed * turning);
    body->updateInertiaTensor();
    body->setActivationState(DISABLE_DEACTIVATION);
    return body;
  }
  [[nodiscard]] Vec2 u() const {
    return {upper->getAngularVelocity().dot(turning), lower->getAngularVelocity().dot(turning)};
  }
  /// How far the hinges are from holding, in velocity.
  [[nodiscard]] double parted() const {
    const btVector3 top(0, 0, puzzle().length / 2);
    const auto velocity = [](const btRigidBody& b, const btVector3& arm) {
      return b.getVelocityInLocalPoint(quatRotate(b.getOrientation(), arm));
    };
    return velocity(*upper, top).length() + (velocity(*lower, top) - velocity(*upper, -top)).length();
  }
};

Model hinged_model() {
  const Puzzle& p = puzzle();
  const Hinged h({0, 0});
  // Momenta of the bodies where they stand: 𝓜 = Σ Jᵀ diag(m, I) J over them, in the absolute speeds.
  const auto perpendicular = [](const btVector3& arm) { return Vec2(-arm.z(), arm.x()); };
  Model out;
  out.mass.setZero();
  const btVector3 elbow = h.upper->getWorldTransform() * btVector3(0, 0, -p.length / 2);
  const btVector3 tip = h.lower->getWorldTransform() * btVector3(0, 0, -p.length / 2);
  const auto add = [&](const btRigidBody& b, const Mat2& J, int k) {
    const double inertia = 1 / (b.getInvInertiaTensorWorld() * turning).dot(turning);
    out.mass += J.transpose() * J / b.getInvMass();
    out.mass(k, k) += inertia;
    out.energy += 0.5 * (b.getLinearVelocity().length2() / b.getInvMass() +
                         inertia * std::pow(b.getAngularVelocity().dot(turning), 2));
  };
  Mat2 J = Mat2::Zero();
  J.col(0) = perpendicular(h.upper->getCenterOfMassPosition());
  add(*h.upper, J, 0);
  J.col(0) = perpendicular(elbow);
  J.col(1) = perpendicular(h.lower->getCenterOfMassPosition() - elbow);
  add(*h.lower, J, 1);
  J.col(1) = perpendicular(tip - elbow);
  out.W = J * out.mass.inverse() * J.transpose();
  const btVector3 V = h.lower->getVelocityInLocalPoint(tip - h.lower->getCenterOfMassPosition());
  out.V = Vec2(V.x(), V.z());
  return out;
}

MechanismImpact strike_hinged(const Case& c, int level) {
  Hinged h(c);
  h.world.stepSimulation(step_of(level), 0);
  // The rods turn on within the step, which lets their ends differ by as much.
  if (const double parted = h.parted(); parted > 1e-6 + step_of(level))
    return {false, Vec2::Zero(), step_of(level), fmt::format("the hinges come apart at {:.1e} m/s", parted)};
  return struck(h.u(), h.place.dispatcher.getNumManifolds() == 1, step_of(level));
}

Engine engine() {
  return {"Bullet",
          fmt::format("{}.{}", btGetVersion() / 100, btGetVersion() % 100),
          {{.name = "Bullet, multibody", .model = multibody_model, .strike = strike_multibody, .settled = 1e-5},
           {.name = "Bullet, bodies and hinges", .model = hinged_model, .strike = strike_hinged, .settled = 1e-5}}};
}

}  // namespace
}  // namespace ricochet::kane

int main(int argc, char** argv) { return ricochet::kane::run(ricochet::kane::engine(), argc, argv); }
