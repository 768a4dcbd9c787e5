/// DART: generalised coordinates and a boxed linear complementarity problem at the velocities of each step.

#include <fmt/format.h>

#include <cmath>
#include <dart/dart.hpp>
#include <memory>

#include "puzzle.hpp"

namespace ricochet::kane {
namespace {

constexpr double radius = 0.05;

/// DART lets nothing rebound below 0.1 m/s, by a constant that cannot be set, and e = 0.3 would be below it. An impact
/// scales with its speeds, so that it is given this many times the speeds, and the answer is scaled back.
constexpr double faster = 10;

struct Pendulum {
  dart::simulation::WorldPtr world = dart::simulation::World::create();
  dart::dynamics::SkeletonPtr skeleton = dart::dynamics::Skeleton::create("pendulum");
  dart::dynamics::BodyNode* lower = nullptr;

  Pendulum(const Case& c, double step) {
    using namespace dart::dynamics;
    const Puzzle& p = puzzle();
    world->setGravity(Eigen::Vector3d::Zero());
    world->setTimeStep(step);
    world->getConstraintSolver()->setCollisionDetector(dart::collision::DARTCollisionDetector::create());
    // No velocity from position errors, and no more softness than DART insists on.
    dart::constraint::ContactConstraint::setErrorReductionParameter(0);
    dart::constraint::ContactConstraint::setConstraintForceMixing(1e-9);

    const auto rod = [&](BodyNode* parent, const char* name) {
      RevoluteJoint::Properties joint;
      joint.mName = std::string(name) + " joint";
      joint.mAxis = -Eigen::Vector3d::UnitY();
      if (parent != nullptr) joint.mT_ParentBodyToJoint.translation() = Eigen::Vector3d(0, 0, -p.length);
      BodyNode::Properties body;
      body.mName = name;
      body.mInertia.setMass(p.mass);
      body.mInertia.setLocalCOM(Eigen::Vector3d(0, 0, -p.length / 2));
      body.mInertia.setMoment(Eigen::Vector3d(p.inertia, p.inertia, 1e-3).asDiagonal().toDenseMatrix());
      return skeleton->createJointAndBodyNodePair<RevoluteJoint>(parent, joint, body).second;
    };
    lower = rod(rod(nullptr, "upper"), "lower");

    auto* ball = lower->createShapeNodeWith<CollisionAspect, DynamicsAspect>(std::make_shared<SphereShape>(radius));
    const Eigen::Vector3d up = Eigen::AngleAxisd(-p.q(1), -Eigen::Vector3d::UnitY()) * Eigen::Vector3d(0, 0, radius);
    ball->setRelativeTranslation(Eigen::Vector3d(0, 0, -p.length) + up);
    const auto floor = Skeleton::create("floor");
    auto* ground = floor->createJointAndBodyNodePair<WeldJoint>().second;
    auto* slab = ground->createShapeNodeWith<CollisionAspect, DynamicsAspect>(
        std::make_shared<BoxShape>(Eigen::Vector3d(20, 20, 2)));
    // Shapes must overlap to touch: by a nanometre, which nothing corrects.
    slab->setRelativeTranslation(Eigen::Vector3d(0, 0, p.tip.y() - 1 + 1e-9));
    for (ShapeNode* side : {ball, slab}) {
      // The smaller friction counts; restitutions are multiplied. No friction across the plane, where nothing moves.
      auto* surface = side->getDynamicsAspect();
      surface->setFrictionCoeff(c.mu);
      surface->setSecondaryFrictionCoeff(0);
      surface->setRestitutionCoeff(side == ball ? c.e : 1);
      surface->setFirstFrictionDirectionFrame(Frame::World());
      surface->setFirstFrictionDirection(Eigen::Vector3d::UnitX());
    }
    world->addSkeleton(floor);
    world->addSkeleton(skeleton);
    skeleton->setPositions(Vec2(p.q(0), p.q(1) - p.q(0)));
    skeleton->setVelocities(faster * Vec2(p.u(0), p.u(1) - p.u(0)));
  }

  [[nodiscard]] Vec2 u() const { return absolute_from_relative() * Vec2(skeleton->getVelocities()) / faster; }
};

Model model() {
  const Pendulum pendulum({0, 0}, 1e-3);
  const Mat2 to_relative = absolute_from_relative().inverse();
  const Eigen::Vector3d tip(0, 0, -puzzle().length);
  const Eigen::MatrixXd full = pendulum.skeleton->getLinearJacobian(pendulum.lower, tip);
  const Mat2 J = (Mat2() << full.row(0), full.row(2)).finished();
  Model out;
  out.mass = to_relative.transpose() * pendulum.skeleton->getMassMatrix() * to_relative;
  out.W = J * pendulum.skeleton->getInvMassMatrix() * J.transpose();
  const Eigen::Vector3d V = pendulum.lower->getLinearVelocity(tip) / faster;
  out.V = Vec2(V.x(), V.z());
  out.energy = pendulum.skeleton->computeKineticEnergy() / (faster * faster);
  return out;
}

MechanismImpact strike(const Case& c, int level, const std::shared_ptr<dart::constraint::BoxedLcpSolver>& lcp) {
  const double step = 1e-3 / std::pow(8, level);
  Pendulum pendulum(c, step);
  auto* solver = dynamic_cast<dart::constraint::BoxedLcpConstraintSolver*>(pendulum.world->getConstraintSolver());
  if (solver == nullptr) return {false, Vec2::Zero(), step, "DART has another constraint solver by default"};
  if (lcp) solver->setBoxedLcpSolver(lcp);
  pendulum.world->step();
  if (pendulum.world->getLastCollisionResult().getNumContacts() != 1)
    return {false, Vec2::Zero(), step, "DART does not see one contact"};
  return {true, pendulum.u(), step, ""};
}

Engine engine() {
  const auto sweeps = std::make_shared<dart::constraint::PgsBoxedLcpSolver>();
  sweeps->setOption(dart::constraint::PgsBoxedLcpSolver::Option(100000, 1e-14, 1e-14));
  return {"DART",
          DART_VERSION,
          {{.name = "DART, Dantzig (as shipped)",
            .model = model,
            .strike = [](const Case& c, int level) { return strike(c, level, nullptr); },
            .settled = 1e-5},
           {.name = "DART, projected Gauss–Seidel",
            .model = model,
            .strike = [sweeps](const Case& c, int level) { return strike(c, level, sweeps); },
            .settled = 1e-5}}};
}

}  // namespace
}  // namespace ricochet::kane

int main(int argc, char** argv) { return ricochet::kane::run(ricochet::kane::engine(), argc, argv); }
