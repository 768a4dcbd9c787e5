#include "ricochet/report/energy_over_impulse.hpp"

#include <algorithm>

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

Plot energy_over_impulse(const Contact& contact, const Trajectory& way) {
  Plot plot = empty();
  const Vec3& n = contact.n;
  for (const TrajectoryMark& mark : way.marks)
    plot.points.push_back({.name = mark.name == name(Event::start) ? "" : mark.name,
                           .at = {n.dot(mark.at.P), mark.at.normal_work + mark.at.friction_work},
                           .angle = 60});
  // Consecutive pieces of the same style form one curve.
  bool named = true;
  Works drawn;
  for (std::size_t i = 0; i < way.pieces.size(); ++i) {
    const TrajectoryPiece& piece = way.pieces[i];
    const auto take = [&](const TrajectoryPoint& p) { drawn.add(n.dot(p.P), p.normal_work, p.friction_work); };
    if (piece.form == TrajectoryPiece::Form::straight) {
      constexpr int samples = 96;
      for (int k = 0; k <= samples; ++k) take(along(n, piece.points.front(), piece.points.back(), double(k) / samples));
    } else {
      std::for_each(piece.points.begin(), piece.points.end(), take);
    }
    const bool unknown = piece.form == TrajectoryPiece::Form::unknown;
    if (i + 1 < way.pieces.size() && unknown == (way.pieces[i + 1].form == TrajectoryPiece::Form::unknown)) continue;
    add(plot, drawn, named, unknown);
    drawn = {};
    named = false;
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
