/// DART: every body a skeleton with a free joint, a boxed linear complementarity problem at the velocities of each
/// step.

#include <dart/dart.hpp>

#include "engine.hpp"

namespace ricochet::simulate {
namespace {

class Dart : public Stepper {
 public:
  void setup(const Scene& scene, double dt) override {
    using namespace dart::dynamics;
    world_->setGravity(Vec3(0, 0, -scene.gravity));
    world_->setTimeStep(dt);
    world_->getConstraintSolver()->setCollisionDetector(detector(scene));
    world_->getConstraintSolver()->getCollisionOption().maxNumContacts = 100000;
    // No velocity from position errors, and no more softness than DART insists on.
    dart::constraint::ContactConstraint::setErrorReductionParameter(0);
    dart::constraint::ContactConstraint::setConstraintForceMixing(1e-9);
    const auto sphere = std::make_shared<SphereShape>(scene.radius);
    // The smaller friction of the two sides counts, and the product of their restitutions.
    for (const Vec3& p : scene.spheres)
      add(sphere, scene.mass, Vec3::Constant(scene.inertia), p, scene.mu_box_sphere, scene.e);
    if (scene.box) {
      const Scene::Box& b = *scene.box;
      add(std::make_shared<BoxShape>(b.size), b.mass, b.inertia, b.position, scene.mu_box_sphere, scene.e);
      force_ = b.force;
      pulled_ = bodies_.back();
    }
    // Its own detector knows no pair with a plane: the floor is a box, of which only the upper face is reached.
    const auto floor = Skeleton::create("floor");
    auto* slab =
        floor->createJointAndBodyNodePair<WeldJoint>().second->createShapeNodeWith<CollisionAspect, DynamicsAspect>(
            std::make_shared<BoxShape>(Vec3(1000, 1000, 10)));
    slab->setRelativeTranslation(Vec3(0, 0, -5));
    slab->getDynamicsAspect()->setFrictionCoeff(scene.mu_plane_box);
    slab->getDynamicsAspect()->setRestitutionCoeff(scene.e > 0 ? 1 : 0);
    world_->addSkeleton(floor);
  }

  void states(std::vector<State>& out) const override {
    out.clear();
    for (const dart::dynamics::BodyNode* b : bodies_)
      out.push_back({b->getWorldTransform().translation(), b->getLinearVelocity(), b->getAngularVelocity()});
  }

 private:
  /// For spheres FCL, which has a broad phase; for the box DART's own, which finds all corners.
  static dart::collision::CollisionDetectorPtr detector(const Scene& scene) {
    if (scene.box) return dart::collision::DARTCollisionDetector::create();
    auto fcl = dart::collision::FCLCollisionDetector::create();
    fcl->setPrimitiveShapeType(dart::collision::FCLCollisionDetector::PRIMITIVE);
    fcl->setContactPointComputationMethod(dart::collision::FCLCollisionDetector::DART);
    return fcl;
  }

  void add(const dart::dynamics::ShapePtr& shape, double mass, const Vec3& J, const Vec3& p, double mu, double e) {
    using namespace dart::dynamics;
    const auto skeleton = Skeleton::create("body " + std::to_string(bodies_.size()));
    BodyNode::Properties properties;
    properties.mInertia.setMass(mass);
    properties.mInertia.setMoment(J.asDiagonal().toDenseMatrix());
    const auto made = skeleton->createJointAndBodyNodePair<FreeJoint>(nullptr, FreeJoint::Properties(), properties);
    auto* node = made.second->createShapeNodeWith<CollisionAspect, DynamicsAspect>(shape);
    node->getDynamicsAspect()->setFrictionCoeff(mu);
    node->getDynamicsAspect()->setRestitutionCoeff(e);
    Eigen::Isometry3d place = Eigen::Isometry3d::Identity();
    place.translation() = p;
    made.first->setPositions(FreeJoint::convertToPositions(place));
    world_->addSkeleton(skeleton);
    bodies_.push_back(made.second);
  }

  void step() override {
    if (pulled_ != nullptr) pulled_->addExtForce(force_);
    world_->step();
  }

  dart::simulation::WorldPtr world_ = dart::simulation::World::create();
  std::vector<dart::dynamics::BodyNode*> bodies_;
  dart::dynamics::BodyNode* pulled_ = nullptr;
  Vec3 force_ = Vec3::Zero();
};

std::vector<Variant> variants(const Scene&) {
  return {{"DART, Dantzig",
           "as shipped, no position correction, friction pyramid; collisions of spheres by FCL, of the box by DART",
           [] { return std::make_unique<Dart>(); }}};
}

}  // namespace
}  // namespace ricochet::simulate

int main(int argc, char** argv) {
  using namespace ricochet::simulate;
  return run({.name = "DART", .version = DART_VERSION, .variants = variants}, argc, argv);
}
