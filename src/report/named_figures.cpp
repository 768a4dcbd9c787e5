#include "ricochet/report/named_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ricochet/compliant/inclined_bar.hpp"
#include "ricochet/io/collision_toml.hpp"
#include "ricochet/mechanism/systems.hpp"
#include "ricochet/report/collision_plots.hpp"
#include "ricochet/report/energy_over_impulse.hpp"
#include "ricochet/report/impact_process.hpp"
#include "ricochet/report/impulse_plane.hpp"
#include "ricochet/report/impulse_solid.hpp"
#include "ricochet/report/velocity_plane.hpp"
#include "ricochet/scene/bundled_scenes.hpp"

namespace ricochet {
namespace {

Expected<Collision> bundled(std::string_view name) {
  const BundledScene* scene = find_bundled_scene(name);
  if (scene == nullptr) return fail(ErrorCode::unknown_name, "scene", std::string(name), "is not bundled");
  auto read = read_toml(scene->text);
  if (!read) return tl::unexpected(read.error().error);
  return *std::move(read);
}

Expected<Drawing> finish(Plot plot, std::string id, std::string title, std::string description = "") {
  plot.id = std::move(id);
  plot.title = std::move(title);
  plot.description = std::move(description);
  return draw(plot);
}

Expected<Drawing> paper_plane(std::string_view scene, const char* id, const char* title,
                              const std::vector<std::string_view>& reaching) {
  const auto collision = bundled(scene);
  if (!collision) return tl::unexpected(collision.error());
  Answers answers(*collision);
  auto reaches = reaches_of(*collision, reaching);
  if (!reaches) return tl::unexpected(reaches.error());
  auto plot = impulse_plane_of(answers, {.reaches = *std::move(reaches)}, {});
  if (!plot) return tl::unexpected(plot.error());
  return finish(*std::move(plot), id, title);
}

Expected<Drawing> cr98_1() {
  return paper_plane("planar", "cr98-1", "Permissible region of a generic planar collision", {});
}
Expected<Drawing> cr98_2() {
  const auto collision = bundled("generic");
  if (!collision) return tl::unexpected(collision.error());
  const auto space = impulse_space(collision->contact, collision->settings.mu.value());
  if (!space) return tl::unexpected(space.error());
  auto r = reach(collision->contact, "chatterjee-ruina", collision->settings);
  if (!r) return tl::unexpected(r.error());
  auto plot = impulse_solid(*space, {.reaches = {*std::move(r)}});
  if (!plot) return tl::unexpected(plot.error());
  return finish(*std::move(plot), "cr98-2", "Reach of Chatterjee and Ruina's law");
}
Expected<Drawing> cr98_3() {
  return paper_plane("planar", "cr98-3", "Reach of five laws",
                     {"chatterjee-ruina", "frictionless", "routh", "whittaker", "smith"});
}
Expected<Drawing> cr98_3a() {
  return paper_plane("planar", "cr98-3a", "Landmarks, and the reach of the frictionless law", {"frictionless"});
}
Expected<Drawing> cr98_3b() { return paper_plane("planar", "cr98-3b", "Reach of Routh's law", {"routh"}); }
Expected<Drawing> cr98_3c() { return paper_plane("planar", "cr98-3c", "Reach of Smith's law", {"smith"}); }
Expected<Drawing> cr98_3d() { return paper_plane("planar", "cr98-3d", "Reach of Whittaker's law", {"whittaker"}); }
Expected<Drawing> cr98_4() {
  return paper_plane("planar", "cr98-4", "Generic collision", {"chatterjee-ruina", "routh"});
}
Expected<Drawing> cr98_5() { return paper_plane("diagonal", "cr98-5", "Diagonal $M$", {"chatterjee-ruina", "routh"}); }
Expected<Drawing> cr98_6() {
  return paper_plane("grazing", "cr98-6", "Grazing collision", {"chatterjee-ruina", "routh"});
}
Expected<Drawing> cr98_7() {
  return paper_plane("infinite-friction", "cr98-7", "Infinite friction", {"chatterjee-ruina", "routh"});
}
Expected<Drawing> cr98_8() {
  return paper_plane("pendulum", "cr98-8", "Pendulum against a wall", {"chatterjee-ruina", "routh"});
}
Expected<Drawing> cr98_9() {
  const auto collision = bundled("central");
  if (!collision) return tl::unexpected(collision.error());
  Answers answers(*collision);
  auto reaches = reaches_of(*collision, std::array<std::string_view, 1>{"chatterjee-ruina"});
  if (!reaches) return tl::unexpected(reaches.error());
  auto plot = impulse_plane_of(answers, {.reaches = *std::move(reaches)}, {});
  if (!plot) return tl::unexpected(plot.error());
  const auto top = highest_rebound(collision->contact, collision->settings.mu.value());
  const auto cut = section(collision->contact, collision->settings.mu.value());
  if (!top || !cut) return tl::unexpected(top ? cut.error() : top.error());
  const Vec2 at(cut->axes.col(1).dot(top->P), cut->axes.col(0).dot(top->P));
  plot->points.push_back({.name = fmt::format("highest $e$ = {:.3g}", top->e),
                          .at = at,
                          .colour = palette(1),
                          .form = Dot::Form::diamond});
  return finish(*std::move(plot), "cr98-9", "Rebound faster than the approach");
}

/// Impacts of M11's double pendulum (rods of 1 m and 1 kg): the order of the pauses is what distinguishes them.
struct Puzzle {
  PlanarProblem problem;
  Eigen::RowVectorXd J_n, J_t;
  PlanarOutcome outcome;
};

Expected<Puzzle> puzzle(const Vec2& angles, const Vec2& speeds, const Morgan& law) {
  const Lagrangian system = double_pendulum_absolute({}, {});
  const auto at = contact_at(system, "floor", angles);
  if (!at) return tl::unexpected(at.error());
  const auto mass = mass_matrix(system, angles);
  if (!mass) return tl::unexpected(mass.error());
  Puzzle out;
  out.J_n = at->n.transpose() * at->J;
  out.J_t = Vec3::UnitX().transpose() * at->J;
  auto problem = planar_problem(*mass, out.J_n, out.J_t, speeds);
  if (!problem) return tl::unexpected(problem.error());
  out.problem = *std::move(problem);
  auto outcome = collide(law, out.problem);
  if (!outcome) return tl::unexpected(outcome.error());
  out.outcome = *std::move(outcome);
  return out;
}

constexpr double degree = std::numbers::pi / 180;
Expected<Puzzle> slip_stops_first() {
  return puzzle(Vec2(30 * degree, -50 * degree), Vec2(-0.3, 0.9), {.e = 0.7, .mu = 0.6});
}
Expected<Puzzle> ends_before_slip_stops() {
  return puzzle(Vec2(30 * degree, -50 * degree), Vec2(0.5, 0.9), {.e = 0.5, .mu = 0.2});
}
Expected<Puzzle> slip_grows() {
  return puzzle(Vec2(30 * degree, -50 * degree), Vec2(-0.8, 0.8), {.e = 0.5, .mu = 0.4});
}

Expected<Drawing> speeds_figure(Expected<Puzzle> made, VelocityStep step, const char* id, const char* title) {
  if (!made) return tl::unexpected(made.error());
  auto plot = generalised_speeds(made->problem, made->J_n, made->J_t, made->outcome, step);
  if (!plot) return tl::unexpected(plot.error());
  return finish(*std::move(plot), id, title);
}

Expected<Drawing> m11_2_2() {
  return speeds_figure(slip_stops_first(), VelocityStep::direction, "m11-2.2",
                       "Initial direction of the change in speed");
}
Expected<Drawing> m11_2_3() {
  return speeds_figure(slip_stops_first(), VelocityStep::pauses, "m11-2.3",
                       "Order of the normal and tangential pauses");
}
Expected<Drawing> m11_2_4() {
  return speeds_figure(slip_stops_first(), VelocityStep::bend, "m11-2.4", "Friction reverses where slip stops");
}
Expected<Drawing> m11_2_5() {
  return speeds_figure(slip_stops_first(), VelocityStep::recomputed, "m11-2.5", "Normal pause recomputed");
}
Expected<Drawing> m11_2_6() {
  const auto made = slip_stops_first();
  if (!made) return tl::unexpected(made.error());
  auto plot = energy_over_impulse(made->outcome);
  if (!plot) return tl::unexpected(plot.error());
  return finish(*std::move(plot), "m11-2.6", "Energy over the normal impulse");
}
Expected<Drawing> m11_2_7() {
  return speeds_figure(slip_stops_first(), VelocityStep::whole, "m11-2.7", "Complete impact");
}
Expected<Drawing> m11_2_9a() {
  return speeds_figure(ends_before_slip_stops(), VelocityStep::whole, "m11-2.9a", "Ends before slip stops");
}
Expected<Drawing> m11_2_9b() {
  return speeds_figure(slip_grows(), VelocityStep::whole, "m11-2.9b", "Slip never stops");
}

/// M11 Fig. 2.8: the first pause determines the computation.
Expected<Drawing> m11_2_8() {
  Drawing out{.width = 520,
              .height = 360,
              .clip_low = Vec2::Zero(),
              .clip_high = Vec2(520, 360),
              .id = "m11-2.8",
              .title = "The algebraic algorithm"};
  out.elements.emplace_back(Line{
      .points = {{0, 0}, {520, 0}, {520, 360}, {0, 360}}, .closed = true, .stroke = {.colour = ""}, .fill = "#ffffff"});
  const auto box = [&](double x, double y, double w, char letter, const std::vector<std::string>& lines) {
    const double h = 14.0 * double(lines.size()) + 12;
    out.elements.emplace_back(Line{
        .points = {{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}, .closed = true, .fill = "#eef4fa", .opacity = 1});
    for (std::size_t i = 0; i < lines.size(); ++i)
      out.elements.emplace_back(Text{.at = {x + 8, y + 17 + 14 * double(i)}, .text = lines[i]});
    out.elements.emplace_back(
        Text{.at = {x + w - 12, y + h - 6}, .text = std::string(1, letter), .size = 11, .bold = true});
  };
  const auto arrow = [&](std::vector<Vec2> points, const char* text, const Vec2& at, Text::Anchor anchor) {
    out.elements.emplace_back(Line{.points = std::move(points), .arrow = true});
    out.elements.emplace_back(Text{.at = at, .text = text, .size = 9.5, .anchor = anchor, .colour = "#444444"});
  };
  out.elements.emplace_back(Text{.at = {20, 22}, .text = "The algebraic algorithm", .size = 12, .bold = true});
  box(20, 44, 190, 'a', {"friction against the slip", "$p_n$ for $v_n$ = 0", "$p_n$ for $v_t$ = 0"});
  box(300, 44, 200, 'c', {"$E_n$ at which to stop", "$p_n$ at which to stop", "$p_n$ for $v_t$ = 0"});
  box(20, 178, 190, 'b', {"friction after slip stops", "$p_n$ for $v_n$ = 0, $E_n$ to stop", "$p_n$ at which to stop"});
  box(300, 178, 200, 'd', {"friction after slip stops", "$p_n$ at which to stop"});
  box(190, 300, 140, 'e', {"$u$ at the stop"});
  using enum Text::Anchor;
  arrow({{210, 70}, {298, 70}}, "$v_n$ = 0 first", {252, 64}, middle);
  arrow({{110, 98}, {110, 176}}, "$v_t$ = 0 first", {116, 140}, start);
  arrow({{440, 98}, {440, 176}}, "$v_t$ = 0 before the stop", {434, 140}, end);
  arrow({{300, 90}, {262, 90}, {262, 298}}, "stop first", {256, 140}, end);
  arrow({{110, 232}, {110, 312}, {188, 312}}, "", {0, 0}, start);
  arrow({{440, 218}, {440, 312}, {332, 312}}, "", {0, 0}, start);
  return out;
}

/// REG's bar: homogeneous, of 1 kg.
Expected<Contact> bar(double angle, const Vec2& V) { return compliant::inclined_bar(1, std::sqrt(3.0), angle, V); }

Expected<Drawing> reg_3() {
  const auto contact = bar(30 * degree, Vec2(-1, 0.6));
  if (!contact) return tl::unexpected(contact.error());
  auto plot = impact_process(*contact, {.e = 1, .mu = 0.5});
  if (!plot) return tl::unexpected(plot.error());
  return finish(*std::move(plot), "reg-3", "Impact process of an inclined bar");
}

Expected<Drawing> reg_convergence() {
  std::vector<ConvergenceCase> cases;
  struct Given {
    const char* name;
    double angle;
    Vec2 V;
    double e, mu;
  };
  for (const Given& g : {Given{"slip stops, $e$ = 1", 30 * degree, {-1, 0.6}, 1, 0.5},
                         Given{"slip stops, $e$ = 0.5", 30 * degree, {-1, 0.6}, 0.5, 0.5},
                         Given{"slip reverses, $e$ = 1", 30 * degree, {-1, 0.6}, 1, 0.3},
                         Given{"slip reverses, $e$ = 0.5", 30 * degree, {-1, 0.6}, 0.5, 0.3}}) {
    auto contact = bar(g.angle, g.V);
    if (!contact) return tl::unexpected(contact.error());
    cases.push_back({g.name, *std::move(contact), g.e, g.mu});
  }
  auto plot = stiffening(cases);
  if (!plot) return tl::unexpected(plot.error());
  return finish(*std::move(plot), "reg-convergence", "Convergence of the compliant contact to the rigid one");
}

constexpr std::array figures{
    NamedFigure{"cr98-1", "permissible region of a generic planar collision", cr98_1},
    NamedFigure{"cr98-2", "reach of Chatterjee and Ruina's law in three dimensions", cr98_2},
    NamedFigure{"cr98-3", "reach of five laws in the plane", cr98_3},
    NamedFigure{"cr98-3a", "landmark lines and points, and the reach of the frictionless law", cr98_3a},
    NamedFigure{"cr98-3b", "reach of Routh's law", cr98_3b},
    NamedFigure{"cr98-3c", "reach of Smith's law", cr98_3c},
    NamedFigure{"cr98-3d", "reach of Whittaker's law", cr98_3d},
    NamedFigure{"cr98-4", "generic collision", cr98_4},
    NamedFigure{"cr98-5", "diagonal M, as for spheres and discs", cr98_5},
    NamedFigure{"cr98-6", "grazing collision", cr98_6},
    NamedFigure{"cr98-7", "infinite friction", cr98_7},
    NamedFigure{"cr98-8", "pendulum against a wall", cr98_8},
    NamedFigure{"cr98-9", "central collision with a rebound faster than the approach", cr98_9},
    NamedFigure{"m11-2.2", "initial direction of the change in speed", m11_2_2},
    NamedFigure{"m11-2.3", "order of the normal and tangential pauses", m11_2_3},
    NamedFigure{"m11-2.4", "friction reverses where the slip stops", m11_2_4},
    NamedFigure{"m11-2.5", "normal pause recomputed after friction reverses", m11_2_5},
    NamedFigure{"m11-2.6", "energy over the normal impulse", m11_2_6},
    NamedFigure{"m11-2.7", "complete impact in the plane of speeds", m11_2_7},
    NamedFigure{"m11-2.8", "flowchart of the algebraic algorithm", m11_2_8},
    NamedFigure{"m11-2.9a", "impact that ends before the slip stops", m11_2_9a},
    NamedFigure{"m11-2.9b", "impact in which the slip never stops", m11_2_9b},
    NamedFigure{"reg-3", "impact process of an inclined bar, compliant and rigid", reg_3},
    NamedFigure{"reg-convergence",
                "convergence of the compliant contact to the rigid one as the tangential spring stiffens",
                reg_convergence},
};

}  // namespace

std::span<const NamedFigure> named_figures() { return figures; }

Expected<Drawing> figure_of(const Collision& collision, std::string_view kind, std::string_view law) {
  std::vector<std::string_view> laws;
  if (!law.empty() && law != "all") laws.push_back(law);
  Answers answers(collision);
  auto plot = plot_of(answers, kind, laws);
  if (!plot) return tl::unexpected(plot.error());
  return draw(*plot);
}

}  // namespace ricochet
