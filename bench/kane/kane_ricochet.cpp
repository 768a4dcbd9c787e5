/// Our own laws on the puzzle: all of the registry that need no more than e and μ, and the planar closed forms.

#include <fmt/format.h>

#include <stdexcept>

#include "puzzle.hpp"
#include "ricochet/law/registry.hpp"
#include "ricochet/mechanism/planar_impact.hpp"
#include "ricochet/mechanism/systems.hpp"

namespace ricochet::kane {
namespace {

Response response() {
  const Rod rod{puzzle().length, puzzle().mass};
  const auto r = respond(double_pendulum_absolute(rod, rod), "floor", puzzle().q, puzzle().u);
  if (!r) throw std::logic_error(r.error().message());
  return *r;
}

/// The reference has absolute angles; this is the other parameterisation (G4).
Model relative() {
  const Rod rod{puzzle().length, puzzle().mass};
  const Lagrangian system = double_pendulum_relative(rod, rod);
  const VecX q = relative_angles(puzzle().q), u = relative_speeds(puzzle().u);
  const auto r = respond(system, "floor", q, u);
  const auto mass = mass_matrix(system, q);
  const auto energy = kinetic_energy(system, q, u);
  if (!r || !mass || !energy) throw std::logic_error("the pendulum in relative angles is refused");
  const Mat2 to_relative = absolute_from_relative().inverse();
  Model out;
  out.mass = to_relative.transpose() * *mass * to_relative;
  out.W << r->W(0, 0), r->W(0, 2), r->W(2, 0), r->W(2, 2);
  out.V = Vec2(r->V.x(), r->V.z());
  out.energy = *energy;
  return out;
}

MechanismImpact refused(const Error& error) { return {false, Vec2::Zero(), 0, error.message()}; }

template <class L>
Variant closed_form(std::string name) {
  return Variant{.name = std::move(name), .model = relative, .strike = [](const Case& c, int) {
                   const auto hit = planar_problem(response(), Vec3::UnitX()).and_then([&](const PlanarProblem& p) {
                     return collide(L{.e = c.e, .mu = c.mu}, p);
                   });
                   return hit ? MechanismImpact{true, Vec2(hit->u), 0, ""} : refused(hit.error());
                 }};
}

Variant conventional(std::string name, Opposes opposes) {
  return Variant{.name = std::move(name), .model = relative, .strike = [opposes](const Case& c, int) {
                   const auto hit = planar_problem(response(), Vec3::UnitX()).and_then([&](const PlanarProblem& p) {
                     return collide(Conventional{.e = c.e, .mu = c.mu, .opposes = opposes}, p);
                   });
                   return hit ? MechanismImpact{true, Vec2(hit->u), 0, ""} : refused(hit.error());
                 }};
}

Variant from_registry(const std::string& shown, const std::string& law, const std::string& restitution) {
  return Variant{.name = shown, .model = relative, .strike = [law, restitution](const Case& c, int) {
                   LawParameters settings;
                   settings.e = c.e;
                   settings.mu = c.mu;
                   settings.e_k = c.e;
                   if (!restitution.empty()) settings.restitution = restitution;
                   const Response r = response();
                   const auto hit =
                       make_law(law, settings).and_then([&](const Law& made) { return collide(made, r.contact); });
                   return hit ? MechanismImpact{true, Vec2(r.after(hit->P)), 0, ""} : refused(hit.error());
                 }};
}

Engine engine() {
  Engine made{"ricochet", "", {}};
  made.variants.push_back(closed_form<Morgan>("M11, closed form (e energetic)"));
  made.variants.push_back(closed_form<ShenTownsend>("ST98, closed form (e kinetic)"));
  made.variants.push_back(conventional("conventional, against the initial slip", Opposes::initial_slip));
  made.variants.push_back(conventional("conventional, against the reversed slip", Opposes::reversed_slip));
  for (const LawInfo& law : laws()) {
    const std::string name(law.name);
    if (law.name == "routh") {
      for (const char* restitution : {"stronge", "poisson", "newton"})
        made.variants.push_back(from_registry(fmt::format("routh, {}", restitution), name, restitution));
      continue;
    }
    // A law that asks for a parameter besides these has no one answer to a question of e and μ.
    LawParameters settings;
    settings.e = 0.5;
    settings.mu = 0.5;
    settings.e_k = 0.5;
    if (make_law(name, settings)) made.variants.push_back(from_registry(name, name, ""));
  }
  return made;
}

}  // namespace
}  // namespace ricochet::kane

int main(int argc, char** argv) { return ricochet::kane::run(ricochet::kane::engine(), argc, argv); }
