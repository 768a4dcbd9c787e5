/// Open Dynamics Engine, in double precision: its direct solver and its sweeps.

#include <fmt/format.h>
#include <ode/ode.h>
#include <ode/version.h>

#include <array>

#include "engine.hpp"

namespace ricochet::simulate {
namespace {

static_assert(sizeof(dReal) == sizeof(double));

Vec3 eigen(const dReal* v) { return {v[0], v[1], v[2]}; }

/// 0 iterations: the direct solver.
class Ode : public Stepper {
 public:
  explicit Ode(int iterations) : iterations_(iterations) {}
  ~Ode() override {
    dJointGroupDestroy(joints_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }

  void setup(const Scene& scene, double dt) override {
    scene_ = scene;
    dt_ = dt;
    dRandSetSeed(0);
    dWorldSetGravity(world_, 0, 0, -scene.gravity);
    dWorldSetERP(world_, 0);
    // The softness that it adds by default is most of the error of `bouncing` at 0.1 ms.
    if (!scene.box) dWorldSetCFM(world_, 0);
    dWorldSetAutoDisableFlag(world_, 0);
    dWorldSetContactSurfaceLayer(world_, 0);
    if (iterations_ > 0) dWorldSetQuickStepNumIterations(world_, iterations_);
    plane_ = dCreatePlane(space_, 0, 0, 1, 0);
    for (const Vec3& p : scene.spheres)
      add(dCreateSphere(space_, scene.radius), scene.mass, Vec3::Constant(scene.inertia), p);
    if (scene.box) {
      const Scene::Box& b = *scene.box;
      box_ = dCreateBox(space_, b.size.x(), b.size.y(), b.size.z());
      add(box_, b.mass, b.inertia, b.position);
    }
  }

  void states(std::vector<State>& out) const override {
    out.clear();
    for (const dBodyID b : bodies_)
      out.push_back({eigen(dBodyGetPosition(b)), eigen(dBodyGetLinearVel(b)), eigen(dBodyGetAngularVel(b))});
  }

 private:
  void add(dGeomID geom, double mass, const Vec3& J, const Vec3& p) {
    const dBodyID body = dBodyCreate(world_);
    dMass m;
    dMassSetParameters(&m, mass, 0, 0, 0, J.x(), J.y(), J.z(), 0, 0, 0);
    dBodySetMass(body, &m);
    dBodySetPosition(body, p.x(), p.y(), p.z());
    dGeomSetBody(geom, body);
    bodies_.push_back(body);
  }

  void touch(dGeomID a, dGeomID b) {
    std::array<dContactGeom, 8> found{};
    const int n = dCollide(a, b, static_cast<int>(found.size()), found.data(), sizeof(dContactGeom));
    const bool box = a == box_ || b == box_, plane = a == plane_ || b == plane_;
    for (int i = 0; i < n; ++i) {
      dContact contact{};
      contact.geom = found[static_cast<std::size_t>(i)];
      contact.surface.mode = dContactApprox1 | (scene_.e > 0 ? dContactBounce : 0);
      contact.surface.mu = box ? (plane ? scene_.mu_plane_box : scene_.mu_box_sphere) : scene_.mu_plane_sphere;
      contact.surface.bounce = scene_.e;
      contact.surface.bounce_vel = 0;
      dJointAttach(dJointCreateContact(world_, joints_, &contact), dGeomGetBody(a), dGeomGetBody(b));
    }
  }

  void step() override {
    if (box_ != nullptr) {
      const Vec3& f = scene_.box->force;
      dBodyAddForce(bodies_.back(), f.x(), f.y(), f.z());
    }
    dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) { static_cast<Ode*>(self)->touch(a, b); });
    if (iterations_ > 0)
      dWorldQuickStep(world_, dt_);
    else
      dWorldStep(world_, dt_);
    dJointGroupEmpty(joints_);
  }

  int iterations_;
  double dt_ = 0;
  Scene scene_;
  dWorldID world_ = dWorldCreate();
  dSpaceID space_ = dHashSpaceCreate(nullptr);
  dJointGroupID joints_ = dJointGroupCreate(0);
  dGeomID plane_ = nullptr, box_ = nullptr;
  std::vector<dBodyID> bodies_;
};

std::vector<Variant> variants(const Scene& scene) {
  std::vector<Variant> out{
      {"ODE, direct", "dWorldStep, no position correction, friction pyramid", [] { return std::make_unique<Ode>(0); }}};
  for (const int n : scene.box ? std::vector<int>{20, 1000} : std::vector<int>{20})
    out.push_back({fmt::format("ODE, {} iterations", n), "dWorldQuickStep, no position correction, friction pyramid",
                   [n] { return std::make_unique<Ode>(n); }});
  return out;
}

}  // namespace
}  // namespace ricochet::simulate

int main(int argc, char** argv) {
  using namespace ricochet::simulate;
  dInitODE2(0);
  dAllocateODEDataForThread(dAllocateMaskAll);
  const int status = run({.name = "ODE", .version = dODE_VERSION, .variants = variants}, argc, argv);
  dCloseODE();
  return status;
}
