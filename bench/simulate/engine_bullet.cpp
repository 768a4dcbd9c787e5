/// Bullet, the double-precision build: rigid bodies and sequential impulses.

#include <btBulletDynamicsCommon.h>
#include <fmt/format.h>

#include "engine.hpp"

namespace ricochet::simulate {
namespace {

static_assert(sizeof(btScalar) == sizeof(double));

btVector3 bt(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Vec3 eigen(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

class Bullet : public Stepper {
 public:
  explicit Bullet(int iterations) : iterations_(iterations) {}
  ~Bullet() override {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  void setup(const Scene& scene, double dt) override {
    dt_ = dt;
    world_.setGravity(btVector3(0, 0, -scene.gravity));
    btContactSolverInfo& info = world_.getSolverInfo();
    // No velocity from position errors, no threshold below which nothing rebounds, sweeps to the end.
    info.m_erp = info.m_erp2 = 0;
    info.m_splitImpulse = 0;
    info.m_restitutionVelocityThreshold = 0;
    info.m_leastSquaresResidualThreshold = 0;
    info.m_numIterations = iterations_;
    sphere_ = std::make_unique<btSphereShape>(scene.radius);
    // Coefficients of the two sides are multiplied: plane 0.5, box 0.8 and sphere 1 make the three that are asked for.
    for (const Vec3& p : scene.spheres)
      add(*sphere_, scene.mass, Vec3::Constant(scene.inertia), p).setFriction(scene.friction() ? 1 : 0);
    if (scene.box) {
      const Scene::Box& b = *scene.box;
      box_shape_ = std::make_unique<btBoxShape>(bt(0.5 * b.size));
      box_ = &add(*box_shape_, b.mass, b.inertia, b.position);
      box_->setFriction(scene.mu_box_sphere);
      force_ = bt(b.force);
    }
    // The error of a box on a box is far below that of a box on a plane.
    btRigidBody& floor = scene.box ? add(slab_, 0, Vec3::Zero(), Vec3(0, 0, -slab_.getHalfExtentsWithMargin().z()))
                                   : add(plane_, 0, Vec3::Zero(), Vec3::Zero());
    floor.setFriction(scene.mu_plane_sphere);
    for (const auto& body : bodies_) {
      body->setRestitution(scene.e > 0 ? 1 : 0);
      // With open contacts too, as by default, most of the energy is lost at small steps.
      if (scene.e > 0) body->setContactProcessingThreshold(0);
    }
    floor.setRestitution(scene.e);
  }

  void states(std::vector<State>& out) const override {
    out.clear();
    for (std::size_t i = 0; i + 1 < bodies_.size(); ++i) {
      const btRigidBody& b = *bodies_[i];
      out.push_back({eigen(b.getCenterOfMassPosition()), eigen(b.getLinearVelocity()), eigen(b.getAngularVelocity())});
    }
  }

 private:
  btRigidBody& add(btCollisionShape& shape, double mass, const Vec3& inertia, const Vec3& position) {
    bodies_.push_back(
        std::make_unique<btRigidBody>(btRigidBody::btRigidBodyConstructionInfo(mass, nullptr, &shape, bt(inertia))));
    btRigidBody& body = *bodies_.back();
    body.setWorldTransform(btTransform(btQuaternion::getIdentity(), bt(position)));
    body.setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(&body);
    return body;
  }

  void step() override {
    if (box_ != nullptr) box_->applyCentralForce(force_);
    world_.stepSimulation(dt_, 0);
  }

  int iterations_;
  double dt_ = 0;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
  btStaticPlaneShape plane_{btVector3(0, 0, 1), 0};
  btBoxShape slab_{btVector3(50, 50, 1)};
  std::unique_ptr<btSphereShape> sphere_;
  std::unique_ptr<btBoxShape> box_shape_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;  ///< the plane is the last
  btRigidBody* box_ = nullptr;
  btVector3 force_{0, 0, 0};
};

std::vector<Variant> variants(const Scene& scene) {
  std::vector<Variant> out;
  for (const int n : scene.box ? std::vector<int>{10, 1000} : std::vector<int>{10})
    out.push_back(
        {fmt::format("Bullet, {} iterations", n),
         "sequential impulses, double precision, no position correction, rebound at any speed and only on overlap",
         [n] { return std::make_unique<Bullet>(n); }});
  return out;
}

}  // namespace
}  // namespace ricochet::simulate

int main(int argc, char** argv) {
  using namespace ricochet::simulate;
  return run({.name = "Bullet",
              .version = fmt::format("{}.{}", btGetVersion() / 100, btGetVersion() % 100),
              .variants = variants},
             argc, argv);
}
