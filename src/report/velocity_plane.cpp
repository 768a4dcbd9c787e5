#include "ricochet/report/velocity_plane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

PlotCurve through_origin(const Eigen::RowVectorXd& J, double size, const char* name, std::vector<double> dash) {
  const Vec2 along = Vec2(-J(1), J(0)).normalized();
  return {.name = name,
          .points = {-size * along, size * along},
          .stroke = {.colour = "#444444", .dash = std::move(dash)},
          .counts = false};
}

PlotCurve arrow(const Vec2& from, const Vec2& to, const char* name, const std::string& colour) {
  return {.name = name, .points = {from, to}, .stroke = {.colour = colour, .width = 1.6}, .arrow = true};
}

/// The two lines v_n = 0 and v_t = 0 of a plane whose axes are these speeds.
void add_contact_axes(Plot& plot) {
  plot.x_label = "slip $v_t$ [m/s]";
  plot.y_label = "normal speed $v_n$ [m/s]";
  plot.width = 460;
  plot.height = 340;
  plot.points.push_back({.at = {0, 0}, .colour = "#b0b0b0", .form = Dot::Form::ring});
}

}  // namespace

Expected<Plot> generalised_speeds(const PlanarProblem& problem, const Eigen::RowVectorXd& J_n,
                                  const Eigen::RowVectorXd& J_t, const PlanarOutcome& outcome, VelocityStep step) {
  if (problem.u.size() != 2 || J_n.size() != 2 || J_t.size() != 2)
    return fail(ErrorCode::wrong_type, "u", fmt::format("{} speeds", problem.u.size()),
                "must be two, to be drawn on a plane");
  if (J_n.norm() == 0 || J_t.norm() == 0)
    return fail(ErrorCode::invalid, "J", "0", "must not vanish: the line J u = 0 has no direction");
  if (outcome.states.size() < 2)
    return fail(ErrorCode::invalid, "impact", "", "must be an impact: the contact already separates");
  Plot plot{.x_label = "$u_1$ [rad/s]", .y_label = "$u_2$ [rad/s]", .width = 520, .height = 400, .equal_scales = true};
  std::vector<Vec2> way;
  double size = 0;
  for (const PlanarState& state : outcome.states) {
    way.emplace_back(state.u);
    size = std::max(size, state.u.norm());
  }
  const auto state_of = [&](Pause pause) {
    const auto at = std::find_if(outcome.states.begin(), outcome.states.end(),
                                 [&](const PlanarState& s) { return s.pause == pause; });
    return at == outcome.states.end() ? nullptr : &*at;
  };
  plot.curves.push_back(through_origin(J_n, 8 * size, "$v_n$ = 0", {6, 3}));
  plot.curves.push_back(through_origin(J_t, 8 * size, "$v_t$ = 0", {1.5, 2.5}));
  // Where both lines meet, so that both are visible.
  plot.curves.push_back({.points = {Vec2::Zero()}, .stroke = {.colour = ""}});
  plot.points.push_back({.name = "$u_0$", .at = way.front(), .angle = 200});

  const double sigma = outcome.pieces.front().sigma;
  const Vec2 L_n = problem.L_n, L_t = problem.L_t;
  const Vec2 L = L_n + sigma * L_t;
  if (step == VelocityStep::direction) {
    // Scaled to the path, so that both parts of 𝓛 are visible.
    const double scale = 0.8 * outcome.p_n;
    plot.curves.push_back(arrow(way.front(), way.front() + scale * L_n, "$L_n$", palette(0)));
    plot.curves.push_back(arrow(way.front() + scale * L_n, way.front() + scale * L, "σ$L_t$", palette(1)));
    plot.curves.push_back(arrow(way.front(), way.front() + scale * L, "$L$ = $L_n$ + σ$L_t$", "#000000"));
    return plot;
  }
  const auto meets = [&](double v, double rate) { return Vec2(way.front() - v / rate * L); };
  const PlanarPiece& first = outcome.pieces.front();
  if (step == VelocityStep::pauses || step == VelocityStep::bend) {
    if (first.k != 0) {
      const Vec2 normal = meets(problem.v_n, first.k);
      // After the slip has stopped, the speeds leave this line.
      const Stroke stroke =
          step == VelocityStep::bend ? Stroke{.colour = "#8a8a8a", .width = 1.2, .dash = {4, 3}} : Stroke{.width = 1.6};
      plot.curves.push_back({.points = {way.front(), normal}, .stroke = stroke});
      plot.points.push_back({.name = step == VelocityStep::bend ? "no longer holds" : "normal pause",
                             .at = normal,
                             .form = Dot::Form::ring});
    }
    if (first.g != 0) {
      const Vec2 tangential = meets(problem.v_t, first.g);
      plot.curves.push_back({.points = {way.front(), tangential}, .stroke = {.colour = "#000000", .width = 1.6}});
      plot.points.push_back({.name = "tangential pause", .at = tangential, .form = Dot::Form::square, .angle = -30});
    }
    if (step == VelocityStep::bend && outcome.pieces.size() > 1) {
      if (const PlanarState* stop = state_of(Pause::tangential)) {
        const auto index = static_cast<std::size_t>(stop - outcome.states.data());
        if (index < outcome.pieces.size()) {
          const Vec2 turned = L_n + outcome.pieces[index].sigma * L_t;
          plot.curves.push_back(arrow(Vec2(stop->u), Vec2(stop->u) + 0.5 * outcome.p_n * turned,
                                      "$L$ after the slip stopped", palette(2)));
        }
      }
    }
    return plot;
  }
  std::size_t last = way.size();
  if (step == VelocityStep::recomputed)
    if (const PlanarState* pause = state_of(Pause::normal))
      last = static_cast<std::size_t>(pause - outcome.states.data()) + 1;
  plot.curves.push_back({.name = "way of $u$",
                         .points = {way.begin(), way.begin() + static_cast<std::ptrdiff_t>(last)},
                         .stroke = {.colour = "#000000", .width = 1.8},
                         .arrow = true});
  for (std::size_t i = 1; i < last; ++i) {
    const PlanarState& state = outcome.states[i];
    const char* text = state.pause == Pause::normal       ? "normal pause"
                       : state.pause == Pause::tangential ? "tangential pause"
                       : state.pause == Pause::both       ? "both pauses"
                                                          : "$u_f$";
    plot.points.push_back({.name = text,
                           .at = way[i],
                           .form = state.pause == Pause::end ? Dot::Form::disc : Dot::Form::ring,
                           .angle = i % 2 == 0 ? 45.0 : -30.0});
  }
  return plot;
}

Plot contact_speeds(const PlanarOutcome& outcome) {
  Plot plot;
  add_contact_axes(plot);
  PlotCurve way{.name = "way of the contact point", .points = {}, .stroke = {.width = 1.8}, .arrow = true};
  for (const PlanarState& state : outcome.states) {
    way.points.emplace_back(state.v_t, state.v_n);
    plot.points.push_back({.name = std::string(name(state.pause)), .at = way.points.back()});
  }
  plot.curves.push_back(std::move(way));
  return plot;
}

Plot contact_speeds(const Contact& contact, const Trajectory& way) {
  Plot plot;
  add_contact_axes(plot);
  const Vec3& n = contact.n;
  const Vec3 slip = contact.V - n * n.dot(contact.V);
  const double s = slip.norm();
  const auto at = [&](const Vec3& V) { return Vec2(s > 0 ? slip.dot(V) / s : 0, n.dot(V)); };
  for (const TrajectoryMark& mark : way.marks) plot.points.push_back({.name = mark.name, .at = at(mark.at.V)});
  if (!way.marks.empty()) plot.points[plot.points.size() - way.marks.size()].handle = PlotHandle::V;
  PlotCurve curve{.points = {}, .stroke = {.width = 1.8}};
  for (std::size_t i = 0; i < way.pieces.size(); ++i) {
    const TrajectoryPiece& piece = way.pieces[i];
    for (const TrajectoryPoint& point : piece.points) curve.points.push_back(at(point.V));
    const bool unknown = piece.form == TrajectoryPiece::Form::unknown, last = i + 1 == way.pieces.size();
    if (!last && unknown == (way.pieces[i + 1].form == TrajectoryPiece::Form::unknown)) continue;
    curve.arrow = last;
    if (unknown) curve.stroke.dash = {5, 3};
    plot.curves.push_back(curve);
    curve.points.clear();
    curve.stroke.dash.clear();
  }
  return plot;
}

}  // namespace ricochet
