/// DART on the same mechanisms: the three unit impulses by which its contacts learn W, and a whole step with the sole
/// on a floor.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <dart/dart.hpp>
#include <memory>
#include <vector>

#include "robots.hpp"

namespace ricochet::bench {
namespace {

struct World {
  const Robot& robot;
  dart::dynamics::SkeletonPtr skeleton = dart::dynamics::Skeleton::create("robot");
  dart::dynamics::BodyNode* foot = nullptr;
  dart::simulation::WorldPtr world;
  std::vector<Eigen::VectorXd> q;
  Eigen::VectorXd u;

  explicit World(const Robot& r) : robot(r) {
    using namespace dart::dynamics;
    std::vector<BodyNode*> bodies;
    for (const Link& link : robot.tree.links) {
      BodyNode* parent = link.parent < 0 ? nullptr : bodies[static_cast<std::size_t>(link.parent)];
      BodyNode::Properties body;
      body.mName = link.name;
      body.mInertia.setMass(link.mass);
      body.mInertia.setLocalCOM(link.centre);
      body.mInertia.setMoment(link.inertia);
      if (link.joint == JointType::free) {
        bodies.push_back(skeleton->createJointAndBodyNodePair<FreeJoint>(parent, FreeJoint::Properties(), body).second);
      } else {
        RevoluteJoint::Properties joint;
        joint.mName = link.name + " joint";
        joint.mAxis = link.axis;
        joint.mT_ParentBodyToJoint.translation() = link.position;
        bodies.push_back(skeleton->createJointAndBodyNodePair<RevoluteJoint>(parent, joint, body).second);
      }
    }
    foot = bodies[static_cast<std::size_t>(robot.foot)];
    for (const VecX& ours : robot.q) q.push_back(positions(ours));
    // Only a time depends on the speeds, and hinges are all that moves the same way in both.
    u = Eigen::VectorXd::Zero(robot.dof());
    const bool floats = robot.tree.links[0].joint == JointType::free;
    u.tail(robot.dof() - (floats ? 6 : 0)) = robot.u.tail(robot.dof() - (floats ? 6 : 0));
  }

  /// A free joint has a rotation vector, then the position.
  [[nodiscard]] Eigen::VectorXd positions(const VecX& ours) const {
    if (robot.tree.links[0].joint != JointType::free) return ours;
    Eigen::VectorXd out(robot.dof());
    Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
    T.linear() = Eigen::Quaterniond(ours(3), ours(4), ours(5), ours(6)).toRotationMatrix();
    T.translation() = ours.head<3>();
    out.head<6>() = dart::dynamics::FreeJoint::convertToPositions(T);
    out.tail(robot.dof() - 6) = ours.tail(robot.dof() - 6);
    return out;
  }

  /// As its contact constraint does: an impulse at one body, and what the velocities there become.
  Mat3 mobility(std::size_t k) {
    skeleton->setPositions(q[k]);
    const Eigen::Isometry3d& T = foot->getWorldTransform();
    Mat3 W;
    for (int axis = 0; axis < 3; ++axis) {
      Eigen::Vector6d impulse;  // in the body's frame: moment, then force
      impulse.tail<3>() = T.linear().row(axis).transpose();
      impulse.head<3>() = robot.sole.cross(impulse.tail<3>());
      skeleton->clearConstraintImpulses();
      skeleton->updateBiasImpulse(foot, impulse);
      skeleton->updateVelocityChange();
      const Eigen::Vector6d& jump = foot->getBodyVelocityChange();
      W.col(axis) = T.linear() * (jump.tail<3>() + jump.head<3>().cross(robot.sole));
    }
    return W;
  }

  void add_floor() {
    using namespace dart::dynamics;
    world = dart::simulation::World::create();
    world->setGravity(Eigen::Vector3d::Zero());
    world->setTimeStep(1e-3);
    world->getConstraintSolver()->setCollisionDetector(dart::collision::DARTCollisionDetector::create());
    const auto floor = Skeleton::create("floor");
    auto* slab =
        floor->createJointAndBodyNodePair<WeldJoint>().second->createShapeNodeWith<CollisionAspect, DynamicsAspect>(
            std::make_shared<BoxShape>(Eigen::Vector3d(200, 200, 2)));
    slab->setRelativeTranslation(Eigen::Vector3d(0, 0, expected(robot).point.z() - 1));
    auto* ball = foot->createShapeNodeWith<CollisionAspect, DynamicsAspect>(std::make_shared<SphereShape>(0.001));
    ball->setRelativeTranslation(robot.sole);
    for (ShapeNode* side : {slab, ball}) {
      side->getDynamicsAspect()->setFrictionCoeff(0.4);
      side->getDynamicsAspect()->setRestitutionCoeff(side == ball ? 0.5 : 1);
    }
    world->addSkeleton(floor);
    world->addSkeleton(skeleton);
  }
  void step(std::size_t k) const {
    skeleton->setPositions(q[k]);
    skeleton->setVelocities(u);
    world->step();
  }
};

}  // namespace

void register_dart_mechanisms() {
  for (const Robot& robot : robots()) {
    benchmark::RegisterBenchmark(fmt::format("mechanism/{}/DART, L and W", robot.dof()).c_str(),
                                 [&robot](benchmark::State& state) {
                                   World world(robot);
                                   const double error = mobility_error(robot, world.mobility(0));
                                   if (!(error <= mobility_tolerance)) return state.SkipWithError("W differs");
                                   std::size_t i = 0;
                                   for (auto _ : state) {
                                     const Mat3 W = world.mobility(i++ % 2);
                                     benchmark::DoNotOptimize(W);
                                   }
                                   state.counters["W off by"] = error;
                                 });
    benchmark::RegisterBenchmark(fmt::format("mechanism/{}/DART, step", robot.dof()).c_str(),
                                 [&robot](benchmark::State& state) {
                                   World world(robot);
                                   world.add_floor();
                                   world.step(0);
                                   if (world.world->getLastCollisionResult().getNumContacts() != 1)
                                     return state.SkipWithError("not one contact");
                                   std::size_t i = 0;
                                   for (auto _ : state) world.step(i++ % 2);
                                 });
  }
}

}  // namespace ricochet::bench
