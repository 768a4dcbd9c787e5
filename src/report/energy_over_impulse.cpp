#include "ricochet/report/energy_over_impulse.hpp"

#include <cmath>

namespace ricochet {
namespace {

struct Works {
  std::vector<Vec2> normal, friction, sum;

  void add(double p_n, double E_n, double E_t) {
    normal.emplace_back(p_n, E_n);
    friction.emplace_back(p_n, E_t);
    sum.emplace_back(p_n, E_n + E_t);
  }
};

Plot empty() {
  return {.x_label = "normal impulse, $p_n$ [N s]", .y_label = "work so far [J]", .width = 520, .height = 340};
}

void add(Plot& plot, const Works& works, bool named, bool dashed) {
  const auto curve = [&](const std::vector<Vec2>& points, const char* name, const std::string& colour, double width) {
    plot.curves.push_back(
        {.name = named ? name : "",
         .points = points,
         .stroke = {
             .colour = colour, .width = width, .dash = dashed ? std::vector<double>{5, 3} : std::vector<double>{}}});
  };
  curve(works.normal, "$E_n$, normal", palette(0), 1.6);
  curve(works.friction, "$E_t$, friction", palette(1), 1.6);
  curve(works.sum, "$E$ = $E_n$ + $E_t$", "#000000", 2);
}

}  // namespace

Plot energy_over_impulse(const Contact& contact, const Outcome& outcome) {
  Plot plot = empty();
  const Vec3& n = contact.n;
  bool named = true;
  const PathPoint<double>* before = nullptr;
  for (const PathPoint<double>& at : outcome.path) {
    plot.points.push_back({.name = at.event == Event::start ? "" : std::string(name(at.event)),
                           .at = {n.dot(at.P), at.normal_work + at.friction_work},
                           .angle = 60});
    if (before != nullptr) {
      const Vec3 dP = at.P - before->P, dV = at.V - before->V;
      const auto works = [&](double s) {
        const double all = s * dP.dot(before->V + s / 2 * dV);
        const double normal = s * n.dot(dP) * n.dot(before->V + s / 2 * dV);
        return Vec2(before->normal_work + normal, before->friction_work + all - normal);
      };
      const Vec2 end = works(1);
      const double scale =
          std::abs(at.normal_work) + std::abs(at.friction_work) + std::abs(end.x()) + std::abs(end.y());
      const bool straight = (end - Vec2(at.normal_work, at.friction_work)).norm() <= 1e-9 * scale;
      Works drawn;
      constexpr int samples = 32;
      for (int i = 0; i <= samples; ++i) {
        const double s = double(i) / samples;
        const Vec2 w = straight ? works(s)
                                : Vec2(before->normal_work + s * (at.normal_work - before->normal_work),
                                       before->friction_work + s * (at.friction_work - before->friction_work));
        drawn.add(n.dot(before->P + s * dP), w.x(), w.y());
      }
      add(plot, drawn, named, !straight);
      named = false;
    }
    before = &at;
  }
  return plot;
}

Expected<Plot> energy_over_impulse(const PlanarOutcome& outcome) {
  Plot plot = empty();
  Works works;
  constexpr int samples = 160;
  for (int i = 0; i <= samples; ++i) {
    const auto state = state_at(outcome, outcome.p_n * double(i) / samples);
    if (!state) return tl::unexpected(state.error());
    works.add(state->p_n, state->E_n, state->E_t);
  }
  add(plot, works, true, false);
  for (const PlanarState& state : outcome.states)
    if (state.pause != Pause::start)
      plot.points.push_back({.name = state.pause == Pause::normal       ? "$v_n$ = 0"
                                     : state.pause == Pause::tangential ? "$v_t$ = 0"
                                                                        : std::string(name(state.pause)),
                             .at = {state.p_n, state.E_n + state.E_t},
                             .angle = 70});
  return plot;
}

}  // namespace ricochet
