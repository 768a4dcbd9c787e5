/// DART on the same mechanisms: the three unit impulses by which its contacts learn W, and a whole step with the soles
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
  std::vector<dart::dynamics::BodyNode*> feet;
  dart::simulation::WorldPtr world;
  std::vector<Eigen::VectorXd> q;
  Eigen::VectorXd u;
  MatX W;

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
    for (const int foot : robot.feet) feet.push_back(bodies[static_cast<std::size_t>(foot)]);
    for (const VecX& ours : robot.q) q.push_back(positions(ours));
    // A free joint has angular velocity, then velocity, in the body's axes.
    u = robot.u;
    if (robot.tree.links[0].joint == JointType::free) {
      const Eigen::Quaterniond turn(robot.q[0](3), robot.q[0](4), robot.q[0](5), robot.q[0](6));
      u.head<3>() = robot.u.segment<3>(3);
      u.segment<3>(3) = turn.conjugate() * robot.u.head<3>();
    }
    W.resize(3 * static_cast<Eigen::Index>(feet.size()), 3 * static_cast<Eigen::Index>(feet.size()));
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

  /// As its contact constraints do: an impulse at one body, and what the velocities at all become.
  const MatX& mobility(std::size_t k) {
    skeleton->setPositions(q[k]);
    Eigen::Index column = 0;
    for (dart::dynamics::BodyNode* struck : feet)
      for (int axis = 0; axis < 3; ++axis, ++column) {
        Eigen::Vector6d impulse;  // in the body's frame: moment, then force
        impulse.tail<3>() = struck->getWorldTransform().linear().row(axis).transpose();
        impulse.head<3>() = robot.sole.cross(impulse.tail<3>());
        skeleton->clearConstraintImpulses();
        skeleton->updateBiasImpulse(struck, impulse);
        skeleton->updateVelocityChange();
        Eigen::Index row = 0;
        for (const dart::dynamics::BodyNode* foot : feet) {
          const Eigen::Vector6d& jump = foot->getBodyVelocityChange();
          W.block<3, 1>(row, column) =
              foot->getWorldTransform().linear() * (jump.tail<3>() + jump.head<3>().cross(robot.sole));
          row += 3;
        }
      }
    return W;
  }

  /// ‖V − expected‖ / ‖expected‖ of the soles.
  [[nodiscard]] double velocity_error() const {
    skeleton->setPositions(q[0]);
    skeleton->setVelocities(u);
    VecX V(W.rows());
    for (std::size_t i = 0; i < feet.size(); ++i)
      V.segment<3>(3 * static_cast<Eigen::Index>(i)) = feet[i]->getLinearVelocity(robot.sole);
    return (V - expected(robot).V).norm() / expected(robot).V.norm();
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
    slab->setRelativeTranslation(Eigen::Vector3d(0, 0, expected(robot).points[0].z() - 1));
    slab->getDynamicsAspect()->setFrictionCoeff(0.4);
    slab->getDynamicsAspect()->setRestitutionCoeff(1);
    for (BodyNode* foot : feet) {
      auto* ball = foot->createShapeNodeWith<CollisionAspect, DynamicsAspect>(std::make_shared<SphereShape>(0.001));
      ball->setRelativeTranslation(robot.sole);
      ball->getDynamicsAspect()->setFrictionCoeff(0.4);
      ball->getDynamicsAspect()->setRestitutionCoeff(0.5);
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

void response(benchmark::State& state, const Robot& robot) {
  World world(robot);
  const double error = mobility_error(robot, world.mobility(0));
  if (!(error <= mobility_tolerance)) return state.SkipWithError("W differs");
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(world.mobility(i++ % 2).data());
  state.counters["W off by"] = error;
}

void step(benchmark::State& state, const Robot& robot) {
  World world(robot);
  if (!(world.velocity_error() <= mobility_tolerance)) return state.SkipWithError("V differs");
  world.add_floor();
  world.step(0);
  const std::size_t contacts = world.world->getLastCollisionResult().getNumContacts();
  if (contacts != robot.feet.size()) return state.SkipWithError("not one contact a foot");
  std::size_t i = 0;
  for (auto _ : state) world.step(i++ % 2);
  if (contacts > 1) state.counters["contacts"] = static_cast<double>(contacts);
}

void add(const std::string& name, const Robot& robot) {
  benchmark::RegisterBenchmark((name + "DART, L and W").c_str(),
                               [&robot](benchmark::State& state) { response(state, robot); });
  benchmark::RegisterBenchmark((name + "DART, step").c_str(),
                               [&robot](benchmark::State& state) { step(state, robot); });
}

}  // namespace

void register_dart_mechanisms() {
  for (const Robot& robot : robots()) add(fmt::format("mechanism/{}/", robot.dof()), robot);
  add("feet/", lander());
}

}  // namespace ricochet::bench
