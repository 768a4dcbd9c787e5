#include "ricochet/report/impact_process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ricochet/base/parameter.hpp"
#include "ricochet/compliant/planar_contact.hpp"
#include "ricochet/law/routh.hpp"

namespace ricochet {
namespace {

using compliant::PlanarContact;

struct SledgeCurve {
  std::vector<Vec2> points;  // x against the slip, y along n
  compliant::Stop stop = compliant::Stop::separated;
};

/// As drawn. A tangential impulse of rounding size must not set the scale of its axis.
Vec2 drawn(const PlanarContact& plane, double P_t, double P_n) {
  return {std::abs(P_t) > 1e-14 * plane.impulse_unit() ? -P_t : 0, P_n};
}

/// The impulse of the spring-sledge in N s.
SledgeCurve sledge_trajectory(const PlanarContact& plane, double kappa, double mu, double e) {
  SledgeCurve out;
  const double unit = plane.impulse_unit();
  const auto take = [&](const auto& state) { out.points.push_back(drawn(plane, unit * state.P_t, unit * state.P_n)); };
  out.points.emplace_back(0, 0);
  const auto done = compliant::run_planar(plane.sledge(kappa, mu, e), [&](const auto& phase) {
    // Sliding is straight; sticking is sampled according to its fastest mode.
    const double turns = std::max(phase.omega[0], phase.omega[1]) * phase.length;
    const int steps = phase.sticks ? std::clamp(int(10 * turns), 2, 400) : 1;
    for (int i = 1; i <= steps; ++i) take(phase.at(phase.length * i / steps));
  });
  take(done.state);
  out.stop = done.stop;
  return out;
}

Expected<SledgeCurve> checked_sledge_trajectory(const PlanarContact& plane, double kappa, double mu, double e) {
  SledgeCurve way = sledge_trajectory(plane, kappa, mu, e);
  if (way.stop == compliant::Stop::never)
    return fail(ErrorCode::no_solution, "W", "",
                "is singular, and the contact wedges permanently: there is no process to draw");
  if (way.stop != compliant::Stop::separated)
    return fail(ErrorCode::not_converged, "kappa", to_text(kappa), "exceeds the phase limit");
  return way;
}

Expected<Outcome> rigid(const Contact& contact, double mu, double e, Restitution restitution) {
  return collide(Routh{.e = e, .mu = mu, .restitution = restitution}, contact);
}

Expected<void> check(double e, double mu) {
  return in_range("e", e, between(0, 1)).and_then([&] { return in_range("mu", mu, at_least(0)); });
}

PlotCurve guide(std::string name, const Vec2& a, const Vec2& b, std::vector<double> dash, const char* colour) {
  return {.name = std::move(name),
          .points = {a, b},
          .stroke = {.colour = colour, .width = 1, .dash = std::move(dash)},
          .counts = false};
}

}  // namespace

Expected<Plot> impact_process(const Contact& contact, const ImpactProcessOptions& options) {
  if (const auto fine = check(options.e, options.mu); !fine) return tl::unexpected(fine.error());
  for (const double kappa : options.kappas)
    if (const auto fine = in_range("kappa", kappa, between(1e-6, 1e6)); !fine) return tl::unexpected(fine.error());
  const auto plane = compliant::planar_contact(contact);
  if (!plane) return tl::unexpected(plane.error());

  Plot plot{.x_label = "impulse against the initial slip, $P·t$ [N s]",
            .y_label = "normal impulse, $P_n$ [N s]",
            .width = 600,
            .height = 440};
  // With x = −P_t and y = P_n: V_t = v_t + w_nt y − w_tt x, V_n = v_n + w_nn y − w_nt x.
  const double far = 40 * plane->impulse_unit();
  // Without a friction limit the cone is the half plane.
  const Vec2 edge = std::isinf(options.mu) ? Vec2(far, 0) : far / std::hypot(1, options.mu) * Vec2(options.mu, 1);
  plot.curves.push_back(
      guide(options.short_names ? "slides" : "line of sliding, $P_t$ = ± $μP_n$", {0, 0}, edge, {}, "#8c510a"));
  plot.curves.push_back(guide("", {0, 0}, {-edge.x(), edge.y()}, {}, "#8c510a"));
  if (plane->w_tt > 0) {
    const double x0 = plane->v_t / plane->w_tt, slope = plane->w_nt / plane->w_tt;
    plot.curves.push_back(guide(options.short_names ? "$V_t$ = 0" : "line of sticking, $V_t$ = 0",
                                {x0 - slope * far, -far}, {x0 + slope * far, far}, {1.5, 2.5}, "#444444"));
  }
  const double y0 = plane->impulse_unit(), tilt = plane->w_nt / plane->w_nn;
  plot.curves.push_back(guide(options.short_names ? "$V_n$ = 0" : "end of compression, $V_n$ = 0",
                              {-far, y0 - tilt * far}, {far, y0 + tilt * far}, {6, 3}, "#444444"));

  std::size_t colour = 0;
  for (const double kappa : options.kappas) {
    const auto way = checked_sledge_trajectory(*plane, kappa, options.mu, options.e);
    if (!way) return tl::unexpected(way.error());
    const std::string c = palette(colour++);
    plot.curves.push_back({.points = way->points, .stroke = {.colour = c, .width = 1.7}});
    plot.points.push_back({.name = fmt::format("{}$κ$ = {:.3g}", options.short_names ? "" : "spring-sledge, ", kappa),
                           .at = way->points.back(),
                           .colour = c,
                           .form = Dot::Form::square,
                           .in_legend = true});
  }

  struct Hypothesis {
    Restitution restitution;
    const char* name;
    Dot::Form form;
  };
  constexpr std::array hypotheses{Hypothesis{Restitution::stronge, "rigid, Stronge", Dot::Form::ring},
                                  Hypothesis{Restitution::poisson, "rigid, Poisson", Dot::Form::diamond},
                                  Hypothesis{Restitution::newton, "rigid, Newton", Dot::Form::cross}};
  // All three follow the same path to different end points: the longest is drawn below the points.
  std::vector<Vec2> longest;
  for (const Hypothesis& h : hypotheses) {
    const auto outcome = rigid(contact, options.mu, options.e, h.restitution);
    if (!outcome) return tl::unexpected(outcome.error());
    std::vector<Vec2> way;
    for (const auto& point : outcome->path) way.push_back(drawn(*plane, plane->t.dot(point.P), plane->n.dot(point.P)));
    if (longest.empty() || way.back().y() > longest.back().y()) longest = way;
    // "rigid, Stronge" or only "Stronge".
    plot.points.push_back({.name = std::string(h.name).substr(options.short_names ? 7 : 0),
                           .at = way.back(),
                           .form = h.form,
                           .in_legend = true});
  }
  plot.curves.push_back({.name = options.short_names ? "rigid" : "rigid, every hypothesis",
                         .points = longest,
                         .stroke = {.colour = "#000000", .width = 1, .dash = {5, 2}}});
  return plot;
}

Expected<Plot> stiffening(const std::vector<ConvergenceCase>& cases) {
  Plot plot{.x_label = "stiffness ratio $κ$",
            .y_label = "distance from the rigid impulse, relative",
            .width = 560,
            .height = 380,
            .x_log = true,
            .y_log = true};
  std::size_t colour = 0;
  for (const ConvergenceCase& one : cases) {
    if (const auto fine = check(one.e, one.mu); !fine) return tl::unexpected(fine.error());
    const auto plane = compliant::planar_contact(one.contact);
    if (!plane) return tl::unexpected(plane.error());
    const auto end = rigid(one.contact, one.mu, one.e, Restitution::stronge);
    if (!end) return tl::unexpected(end.error());
    const Vec2 goal(-plane->t.dot(end->P), plane->n.dot(end->P));
    PlotCurve curve{.name = one.name, .points = {}, .stroke = {.colour = palette(colour++), .width = 1.4}};
    constexpr int per_decade = 16;
    for (int i = -1 * per_decade; i <= 6 * per_decade; ++i) {
      const double kappa = std::pow(10.0, double(i) / per_decade);
      const auto way = checked_sledge_trajectory(*plane, kappa, one.mu, one.e);
      if (!way) return tl::unexpected(way.error());
      const double off = (way->points.back() - goal).norm() / goal.norm();
      if (off > 1e-12) curve.points.emplace_back(kappa, off);
    }
    if (curve.points.empty())
      return fail(ErrorCode::invalid, "case", one.name,
                  "agrees with the rigid impulse to rounding at every stiffness: nothing to draw");
    plot.curves.push_back(std::move(curve));
  }
  const auto power = [&](std::string name, double exponent, std::vector<double> dash) {
    plot.curves.push_back({.name = std::move(name),
                           .points = {{10, 0.5}, {1e6, 0.5 * std::pow(1e5, exponent)}},
                           .stroke = {.colour = "#777777", .width = 0.9, .dash = std::move(dash)},
                           .counts = false});
  };
  power("proportional to $κ^{−1/2}$", -0.5, {6, 3});
  power("proportional to $κ^{−1}$", -1, {1.5, 2.5});
  return plot;
}

}  // namespace ricochet
