/// Simbody: its rigid unilateral contact with impulses, and its Hunt–Crossley contact.

#include <Simbody.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <stdexcept>

#include "puzzle.hpp"

namespace ricochet::kane {
namespace {

using SimTK::MobilizedBody;
using SimTK::Real;
using SimTK::Vec3;
using Stepper = SimTK::SemiExplicitEulerTimeStepper;

/// Hung from a guide along y, so that the tip can be moved in every direction: where it cannot, rounding takes the
/// place of mobility and friction is spent on it. Nothing moves along the guide, and in the plane it changes nothing.
struct Pendulum {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  MobilizedBody::Slider guide;
  MobilizedBody::Pin upper, lower;

  Pendulum() {
    const Puzzle& p = puzzle();
    // A pin turns about its own z, laid along −y.
    const SimTK::Rotation turn(SimTK::Pi / 2, SimTK::XAxis);
    const Vec3 middle(0, 0, -p.length / 2);
    const SimTK::Inertia about_end = SimTK::Inertia(p.inertia, p.inertia, 1e-3).shiftFromMassCenter(-middle, p.mass);
    const SimTK::Body::Rigid rod(SimTK::MassProperties(p.mass, middle, about_end));
    const SimTK::Rotation across(SimTK::Pi / 2, SimTK::ZAxis);
    guide = MobilizedBody::Slider(matter.Ground(), SimTK::Transform(across), SimTK::Body::Massless(),
                                  SimTK::Transform(across));
    upper = MobilizedBody::Pin(guide, SimTK::Transform(turn), rod, SimTK::Transform(turn));
    lower = MobilizedBody::Pin(upper, SimTK::Transform(turn, Vec3(0, 0, -p.length)), rod, SimTK::Transform(turn));
  }

  /// The puzzle's state, after the topology is complete.
  SimTK::State start() {
    const Puzzle& p = puzzle();
    SimTK::State state = system.realizeTopology();
    upper.setOneQ(state, 0, p.q(0));
    lower.setOneQ(state, 0, p.q(1) - p.q(0));
    upper.setOneU(state, 0, p.u(0));
    lower.setOneU(state, 0, p.u(1) - p.u(0));
    return state;
  }
  [[nodiscard]] Vec2 u(const SimTK::State& state) const {
    return absolute_from_relative() * Vec2(upper.getOneU(state, 0), lower.getOneU(state, 0));
  }
  [[nodiscard]] static Vec3 tip() { return {0, 0, -puzzle().length}; }
};

Model model() {
  Pendulum pendulum;
  const SimTK::State state = pendulum.start();
  pendulum.system.realize(state, SimTK::Stage::Velocity);
  SimTK::Matrix M, inverse, full;
  pendulum.matter.calcM(state, M);
  pendulum.matter.calcMInv(state, inverse);
  pendulum.matter.calcStationJacobian(state, pendulum.lower, Pendulum::tip(), full);
  // The guide's speed comes first, and is no part of the plane.
  if (std::abs(M(0, 1)) + std::abs(M(0, 2)) > 1e-12 * M(0, 0)) throw std::logic_error("the guide is not apart");
  const auto two = [](const SimTK::Matrix& A, int first, int second) {
    return (Mat2() << A(first, 1), A(first, 2), A(second, 1), A(second, 2)).finished();
  };
  const Mat2 J = two(full, 0, 2), to_relative = absolute_from_relative().inverse();
  Model out;
  out.mass = to_relative.transpose() * two(M, 1, 2) * to_relative;
  out.W = J * two(inverse, 1, 2) * J.transpose();
  const Vec3 V = pendulum.lower.findStationVelocityInGround(state, Pendulum::tip());
  out.V = Vec2(V[0], V[2]);
  out.energy = pendulum.matter.calcKineticEnergy(state);
  return out;
}

MechanismImpact rigid(const Case& c, int level, Stepper::RestitutionModel restitution,
                      Stepper::ImpulseSolverType solver) {
  const double step = 1e-3 / std::pow(8, level);
  Pendulum pendulum;
  SimTK::MobilizedBody ground = pendulum.matter.Ground();
  pendulum.matter.adoptUnilateralContact(new SimTK::PointPlaneContact(
      ground, SimTK::UnitVec3(0, 0, 1), puzzle().tip.y(), pendulum.lower, Pendulum::tip(), c.e, c.mu, c.mu, 0));
  const SimTK::State state = pendulum.start();
  Stepper stepper(pendulum.system);
  stepper.setRestitutionModel(restitution);
  stepper.setImpulseSolverType(solver);
  stepper.setPositionProjectionMethod(Stepper::NoPositionProjection);
  stepper.setConstraintTolerance(1e-9);
  // e and μ depend on the speed below these.
  stepper.setDefaultImpactCaptureVelocity(1e-6);
  stepper.setDefaultImpactMinCORVelocity(1e-6);
  stepper.setDefaultFrictionTransitionVelocity(1e-6);
  stepper.initialize(state);
  stepper.stepTo(step);
  const Vec2 u = pendulum.u(stepper.getState());
  return {true, u, step, ""};
}

/// f = k x^1.5 (1 + a v) makes a frictionless impact at speed v rebound with e where a v = y solves
///   y (1 + e) = ln((1 + y) / (1 − e y)).
double hunt_crossley(double e, double speed) {
  if (e >= 1) return 0;
  double low = 0, high = 1 / e;
  for (int i = 0; i < 200; ++i) {
    const double y = 0.5 * (low + high);
    (y * (1 + e) > std::log((1 + y) / (1 - e * y)) ? low : high) = y;
  }
  return low / speed;
}

MechanismImpact compliant(const Case& c, int level) {
  if (c.e <= 0) return {false, Vec2::Zero(), 0, "no dissipation makes a Hunt–Crossley contact plastic"};
  constexpr double radius = 0.05;
  const Puzzle& p = puzzle();
  const double approach = -reference().V.y();
  const double dissipation = hunt_crossley(c.e, approach) / 1.5;
  Pendulum pendulum;
  SimTK::GeneralContactSubsystem contacts(pendulum.system);
  const SimTK::ContactSetIndex set = contacts.createContactSet();
  contacts.addBody(set, pendulum.matter.Ground(), SimTK::ContactGeometry::HalfSpace(),
                   SimTK::Transform(SimTK::Rotation(SimTK::Pi / 2, SimTK::YAxis), Vec3(0, 0, p.tip.y())));
  const Vec3 up(radius * std::sin(p.q(1)), 0, radius * std::cos(p.q(1)));
  contacts.addBody(set, pendulum.lower, SimTK::ContactGeometry::Sphere(radius), Pendulum::tip() + up);
  SimTK::HuntCrossleyForce force(pendulum.forces, contacts, set);
  const double stiffness = 1e10 * std::pow(32, level), transition = 1e-3 / std::pow(4, level);
  for (int side = 0; side < 2; ++side)
    force.setBodyParameters(SimTK::ContactSurfaceIndex(side), stiffness, dissipation, c.mu, c.mu, 0);
  force.setTransitionVelocity(transition);
  const SimTK::State state = pendulum.start();
  SimTK::RungeKuttaMersonIntegrator integrator(pendulum.system);
  integrator.setAccuracy(1e-9);
  SimTK::TimeStepper stepper(pendulum.system, integrator);
  stepper.initialize(state);
  // In pieces much shorter than the contact, whose length follows from Hertz: until the ball has left the floor.
  const double k = 4.0 / 3 * std::sqrt(radius) * stiffness / std::sqrt(8.0);
  const double mass = 1 / reference().W(1, 1);
  const double duration = 3 * std::pow(mass * mass / (k * k * approach), 0.2);
  for (int i = 1; i <= 4000; ++i) {
    stepper.stepTo(i * duration / 40);
    const SimTK::State& now = integrator.getState();
    pendulum.system.realize(now, SimTK::Stage::Velocity);
    const double depth =
        p.tip.y() - (pendulum.lower.findStationLocationInGround(now, Pendulum::tip() + up)[2] - radius);
    const Vec2 V = tip_velocity(pendulum.u(now));
    if (depth < 0 && V.y() > 0) return {true, pendulum.u(now), integrator.getPreviousStepSizeTaken(), ""};
  }
  return {false, Vec2::Zero(), 0, "the contact did not end"};
}

Engine engine() {
  int major = 0, minor = 0, build = 0;
  SimTK_version_simbody(&major, &minor, &build);
  Engine made{"Simbody", fmt::format("{}.{}.{}", major, minor, build), {}};
  // Simbody's headers do not read as C++20, so the fields are not named in braces.
  const auto add = [&](const char* name, const std::function<MechanismImpact(const Case&, int)>& strike) -> Variant& {
    Variant variant;
    variant.name = name;
    variant.model = model;
    variant.strike = strike;
    variant.settled = 1e-5;
    made.variants.push_back(variant);
    return made.variants.back();
  };
  const auto impulses = [](Stepper::RestitutionModel restitution, Stepper::ImpulseSolverType solver) {
    return [=](const Case& c, int level) { return rigid(c, level, restitution, solver); };
  };
  add("Simbody, PLUS, Poisson (as shipped)", impulses(Stepper::Poisson, Stepper::PLUS));
  add("Simbody, PLUS, Newton", impulses(Stepper::Newton, Stepper::PLUS));
  add("Simbody, PGS, Poisson", impulses(Stepper::Poisson, Stepper::PGS));
  add("Simbody, PGS, Newton", impulses(Stepper::Newton, Stepper::PGS));
  Variant& soft = add("Simbody, Hunt–Crossley, dissipation for e", compliant);
  soft.levels = 5;
  soft.settled = 1e-3;
  return made;
}

}  // namespace
}  // namespace ricochet::kane

int main(int argc, char** argv) { return ricochet::kane::run(ricochet::kane::engine(), argc, argv); }
