#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "draw_scene.hpp"
#include "open_scene.hpp"
#include "report.hpp"
#include "ricochet/report/plot.hpp"
#include "scene_answer.hpp"
#include "text.hpp"

namespace ricochet::app {
namespace {

constexpr std::size_t longest_table = 60;
constexpr std::size_t most_collisions = 1'000'000;  ///< of each law, but for the one that is pictured
constexpr std::size_t most_jointly = 2000;          ///< contacts, unless all at once is asked for
constexpr std::size_t recorded = 20'000;            ///< collisions that the picture of the energy shows

/// A row of the table of methods.
struct Method {
  std::string name;
  Expected<SceneAnswer> answer;
  bool stated = false;  ///< the scene's own laws
  [[nodiscard]] std::string manner() const { return stated ? name : "by " + name; }
};

/// What holds of all contacts together, as a certificate has it of one.
struct SceneMargins {
  double energy, separation, compression, friction;
  double speed = 0, momentum = 0, work = 0;  ///< what rounding is judged by
  [[nodiscard]] std::vector<std::string_view> broken() const {
    std::vector<std::string_view> out;
    if (energy < -1e-9 * work) out.emplace_back("energy");
    if (separation < -1e-7 * speed) out.emplace_back("separation");
    if (compression < -1e-9 * momentum) out.emplace_back("compression");
    if (friction < -1e-7 * momentum) out.emplace_back("friction");
    return out;
  }
};

SceneMargins margins(const BodiesScene& scene, const SceneAnswer& a) {
  const double inf = std::numeric_limits<double>::infinity();
  SceneMargins out{-a.resolution.energy_change, inf, inf, inf};
  for (std::size_t i = 0; i < scene.arrangement.contacts.size(); ++i) {
    const Contact& before = a.assembled.problem.contacts()[i].contact;
    const Vec3& G = a.resolution.G[i];
    const double G_n = before.n.dot(G);
    out.separation = std::min(out.separation, before.n.dot(a.resolution.V[i]));
    out.compression = std::min(out.compression, G_n);
    const std::optional<double>& mu = scene.settings[i].mu;
    if (mu && std::isfinite(*mu)) out.friction = std::min(out.friction, *mu * G_n - (G - G_n * before.n).norm());
    out.speed = std::max(out.speed, before.V.norm());
    out.momentum = std::max(out.momentum, G.norm());
    out.work += 0.5 * std::abs(G.dot(before.V + a.resolution.V[i]));
  }
  return out;
}

/// Every contact by the same law, with its own parameters.
Expected<Arrangement> by_law(const BodiesScene& scene, std::string_view law) {
  Arrangement out = scene.arrangement;
  for (std::size_t i = 0; i < out.contacts.size(); ++i) {
    auto made = make_law(law, scene.settings[i]);
    if (!made) {
      Error error = made.error();
      error.field = fmt::format("contact {} {}", i + 1, error.field);
      return tl::unexpected(error);
    }
    out.contacts[i].law = *std::move(made);
  }
  return out;
}

PageSection methods_section(const BodiesScene& scene, const std::vector<Method>& methods, const std::string& remark) {
  PageSection out{
      .id = "laws",
      .title = "What the laws say",
      .text = fmt::format(
          "One row for each law that resolves all contacts in sequence, the fastest approach first, each contact with "
          "its own parameters and at most {} collisions. Margins are the worst of all contacts: energy lost, normal "
          "speed "
          "after, normal impulse, and what friction was short of its bound; a negative one is broken.{}",
          most_collisions, remark)};
  PageTable table{.heads = {"method", "permissible", "status", "collisions", "Δ$E$ [J]", "separation [m/s]",
                            "compression [N\u00a0s]", "friction [N\u00a0s]", "fastest body after [m/s]"},
                  .rows = {}};
  for (const Method& m : methods) {
    if (!m.answer) {
      table.rows.push_back({m.name, report_refusal(m.answer.error())});
      table.classes.emplace_back("none");
      continue;
    }
    const SceneAnswer& a = *m.answer;
    if (!a.settled()) {
      table.rows.push_back({m.name, a.verdict()});
      table.classes.emplace_back("none");
      continue;
    }
    const SceneMargins c = margins(scene, a);
    const auto broken = c.broken();
    double fastest = 0;
    for (const RigidBody& body : a.bodies)
      if (!body.fixed) fastest = std::max(fastest, body.velocity.norm());
    table.rows.push_back(
        {m.name, broken.empty() ? "yes" : fmt::format("no: {}", fmt::join(broken, ", ")),
         a.joint ? "all at once" : std::string(name(a.resolution.status)),
         a.joint ? "" : std::to_string(a.resolution.collisions), report_number(a.resolution.energy_change, c.work),
         report_number(c.separation, c.speed), report_number(c.compression, c.momentum),
         std::isinf(c.friction) ? "–" : report_number(c.friction, c.momentum), report_number(fastest)});
    table.classes.emplace_back(broken.empty() ? "good" : "bad");
  }
  out.tables.push_back(std::move(table));
  return out;
}

PageSection bodies_section(const BodiesScene& scene, const Method& shown) {
  PageSection out{.id = "bodies", .title = "What hit what"};
  const SceneAnswer& a = *shown.answer;
  out.text = fmt::format("Resolved {}: {}.", shown.manner(), a.verdict());
  std::vector<Vec3> impulses;
  if (a.settled())
    impulses.assign(a.resolution.G.begin(),
                    a.resolution.G.begin() + static_cast<std::ptrdiff_t>(scene.arrangement.contacts.size()));
  ScenePictures pictures = picture_scene(scene, a.settled() ? std::optional(a.bodies) : std::nullopt, impulses);
  pictures.before.id = "before";
  out.figures.push_back({std::move(pictures.before), "Just before the impact."});
  if (pictures.after) {
    pictures.after->id = "after";
    out.figures.push_back({*std::move(pictures.after),
                           "Just after it, to the same scale of speed; a contact's dot grows with its impulse."});
  }
  return out;
}

std::string shortened(std::size_t all) {
  return all > longest_table ? fmt::format(" The first {} of {}.", longest_table, all) : "";
}

PageSection asked_section(const BodiesScene& scene, const std::string& file) {
  PageSection out{.id = "asked", .title = "What was asked"};
  const auto& contacts = scene.arrangement.contacts;
  out.text =
      fmt::format("{}: {} bodies, {} contact{}{}.{}", printable(file), scene.names.size(), contacts.size(),
                  contacts.size() == 1 ? "" : "s",
                  scene.arrangement.hinges.empty() ? "" : fmt::format(", {} hinges", scene.arrangement.hinges.size()),
                  shortened(contacts.size()));
  PageTable table{.heads = {"contact", "law", "e", "mu", "point [m]", "normal"}, .rows = {}};
  const auto value = [](const std::optional<double>& x) { return x ? report_number(*x) : std::string(); };
  for (std::size_t i = 0; i < std::min(contacts.size(), longest_table); ++i) {
    const Settings& s = scene.settings[i];
    table.rows.push_back({fmt::format("{}: {} – {}", i + 1, printable(scene.names[contacts[i].first], 30),
                                      printable(scene.names[contacts[i].second], 30)),
                          scene.laws[i], value(s.e ? s.e : s.e_k), value(s.mu), report_vector(contacts[i].point, 1),
                          report_vector(contacts[i].n.normalized(), 1)});
  }
  out.tables.push_back(std::move(table));
  return out;
}

PageSection outcome_section(const BodiesScene& scene, const Method& shown) {
  const SceneAnswer& a = *shown.answer;
  const Resolution& r = a.resolution;
  PageSection out{.id = "outcome", .title = "Velocities and impulses"};
  out.text = fmt::format("Resolved {}; impulses are those on the second body of each contact.{}", shown.manner(),
                         shortened(std::max(scene.names.size(), scene.arrangement.contacts.size())));
  double speed = 0;
  double momentum = 0;
  for (std::size_t i = 0; i < a.bodies.size(); ++i)
    speed = std::max({speed, a.bodies[i].velocity.norm(), scene.arrangement.bodies[i].velocity.norm()});
  for (const Vec3& G : r.G) momentum = std::max(momentum, G.norm());
  PageTable bodies{.heads = {"body", "v before [m/s]", "v after [m/s]", "ω before [rad/s]", "ω after [rad/s]"},
                   .rows = {}};
  for (std::size_t i = 0; i < std::min(a.bodies.size(), longest_table); ++i) {
    const RigidBody& before = scene.arrangement.bodies[i];
    if (before.fixed) continue;
    const double turning = before.angular_velocity.norm() + a.bodies[i].angular_velocity.norm();
    bodies.rows.push_back({printable(scene.names[i], 40), report_vector(before.velocity, speed),
                           a.settled() ? report_vector(a.bodies[i].velocity, speed) : "–",
                           report_vector(before.angular_velocity, turning),
                           a.settled() ? report_vector(a.bodies[i].angular_velocity, turning) : "–"});
  }
  PageTable contacts{.heads = {"contact", "impulse [N\u00a0s]", "$V_n$ before [m/s]", "$V_n$ after [m/s]"}, .rows = {}};
  const auto& all = scene.arrangement.contacts;
  for (std::size_t i = 0; i < std::min(all.size(), longest_table); ++i) {
    const Contact& c = a.assembled.problem.contacts()[i].contact;
    contacts.rows.push_back({fmt::format("{}: {} – {}", i + 1, printable(scene.names[all[i].first], 30),
                                         printable(scene.names[all[i].second], 30)),
                             a.settled() ? report_vector(r.G[i], momentum) : "–", report_number(c.n.dot(c.V), speed),
                             a.settled() ? report_number(c.n.dot(r.V[i]), speed) : "–"});
  }
  out.tables = {std::move(bodies), std::move(contacts)};
  return out;
}

/// The energy as the sequence goes on, over the normal impulse that all contacts together have passed on by then: the
/// collisions once more, in the order that was recorded. What the record does not hold is a dashed line to the end.
Expected<Plot> energy_along(const SceneAnswer& a) {
  const Problem& problem = a.assembled.problem;
  VecX u = a.resolution.u_before;
  Vec2 at = Vec2::Zero();
  PlotCurve curve{.name = "collision by collision", .points = {at}, .stroke = {.colour = palette(0), .width = 1.4}};
  for (const std::uint32_t i : a.resolution.order) {
    const ContactPlace& place = problem.contacts()[i];
    Contact now = place.contact;
    now.V = problem.velocity(i, u);
    Vec3 P;
    if (place.hinge) {
      P = now.W.completeOrthogonalDecomposition().solve(-now.V);
    } else {
      const auto hit = collide(place.law, now);
      if (!hit) return tl::unexpected(hit.error());
      P = hit->P;
      at.x() += now.n.dot(P);
    }
    at.y() += P.dot(now.V) + 0.5 * P.dot(now.W * P);
    problem.apply(i, P, u);
    curve.points.push_back(at);
  }
  Plot plot{.title = "Energy along the sequence",
            .x_label = "normal impulse of all contacts so far [N\u00a0s]",
            .y_label = "change of energy [J]"};
  plot.curves.push_back(std::move(curve));
  double all = 0;
  for (std::size_t i = 0; i < problem.contacts().size(); ++i)
    if (!problem.contacts()[i].hinge) all += problem.contacts()[i].contact.n.dot(a.resolution.G[i]);
  const Vec2 end(all, a.resolution.energy_change);
  if (a.resolution.collisions > a.resolution.order.size() || a.resolution.status == SequenceStatus::extrapolated)
    plot.curves.push_back({.name = "the rest", .points = {at, end}, .stroke = {.colour = palette(1), .dash = {4, 3}}});
  plot.points.push_back({.name = "end", .at = end, .colour = palette(1)});
  return plot;
}

/// One contact has impulse space; a sequence has its energy.
std::optional<PageSection> figures_of(const BodiesScene& scene, const Method& shown, const std::string& law,
                                      const std::string& file) {
  const SceneAnswer& a = *shown.answer;
  const auto& places = a.assembled.problem.contacts();
  if (places.size() == 1 && !places[0].hinge && places[0].contact.n.dot(places[0].contact.V) < 0) {
    Collision collision;
    collision.contact = places[0].contact;
    collision.settings = scene.settings[0];
    collision.title = scene.title.empty() ? file : scene.title;
    return figures_section(collision, law);
  }
  if (a.joint || !a.settled() || a.resolution.collisions == 0) return std::nullopt;
  PageSection out{.id = "figures", .title = "Energy over impulse"};
  auto plot = energy_along(a);
  if (plot) {
    plot->id = "figure-energy";
    if (auto drawing = draw(*plot)) {
      out.figures.push_back(
          {*std::move(drawing), fmt::format("Energy lost, collision by collision, resolved {}.", shown.manner())});
      return out;
    }
  }
  return std::nullopt;
}

void add_bar(Plot& plot, double x, double width, double height) {
  plot.curves.push_back({.points = {{x, 0}, {x, height}, {x + width, height}, {x + width, 0}},
                         .stroke = {.colour = palette(0), .width = 0.8},
                         .closed = true,
                         .fill = palette(0),
                         .opacity = 0.5});
}

Plot weights_of(const Ensemble& e) {
  Plot plot{.id = "figure-ensemble",
            .title = "Weights of the outcomes",
            .x_label = "outcome, the commonest first",
            .y_label = "weight",
            .axes_through_origin = false};
  for (std::size_t i = 0; i < e.outcomes.size(); ++i)
    add_bar(plot, static_cast<double>(i) + 0.6, 0.8, e.outcomes[i].weight);
  return plot;
}

Plot energies_of(const Ensemble& e) {
  constexpr std::size_t bins = 24;
  Plot plot{.id = "figure-ensemble",
            .title = "Distribution of the change of energy",
            .x_label = "change of energy [J]",
            .y_label = "weight",
            .axes_through_origin = false};
  const double low = e.energy_change.low;
  const double width = std::max((e.energy_change.high - low) / bins, 1e-12 * std::abs(low) + 1e-300);
  std::vector<double> weights(bins);
  for (const DistinctOutcome& o : e.outcomes) {
    const double at = std::clamp((o.energy_change - low) / width, 0.0, bins - 1.0);
    weights[static_cast<std::size_t>(at)] += o.weight;
  }
  for (std::size_t i = 0; i < bins; ++i) add_bar(plot, low + static_cast<double>(i) * width, width, weights[i]);
  return plot;
}

PageSection ensemble_section(const BodiesScene& scene, const SceneOptions& options, const Assembled& assembled,
                             const Ensemble& e) {
  PageSection out{.id = "ensemble", .title = "Is the answer determinate?"};
  out.text = fmt::format("{} members, initial speeds moved by up to {:.3g} of the largest{}, ties at random: {}.",
                         e.members, options.uncertainty, contacts_moved(options.contacts),
                         e.determinate()
                             ? "one outcome; it is determinate"
                             : fmt::format("{} distinct outcome{}{}; it is not determinate", e.outcomes.size(),
                                           e.outcomes.size() == 1 ? "" : "s",
                                           e.unsettled > 0 ? fmt::format(", {} did not settle", e.unsettled) : ""));
  if (e.outcomes.empty()) return out;
  constexpr std::size_t most = 12;
  PageTable outcomes{.heads = {"outcome", "weight", "Δ$E$ [J]", "contacts in the order of the first collisions"},
                     .rows = {}};
  for (std::size_t i = 0; i < std::min(e.outcomes.size(), most); ++i) {
    const DistinctOutcome& o = e.outcomes[i];
    std::string order;
    for (std::size_t k = 0; k < std::min<std::size_t>(o.first_order.size(), 12); ++k)
      order += fmt::format("{}{}", k == 0 ? "" : " ", o.first_order[k] + 1);
    outcomes.rows.push_back({std::to_string(i + 1), fmt::format("{:.4f}", o.weight),
                             report_number(o.energy_change, 1e-2), order + (o.first_order.size() > 12 ? " …" : "")});
  }
  if (e.outcomes.size() > most) outcomes.rows.push_back({"…", fmt::format("and {} more", e.outcomes.size() - most)});
  out.tables.push_back(std::move(outcomes));
  PageTable spread{.heads = {"quantity", "mean", "deviation", "lowest", "highest"}, .rows = {}};
  const auto row = [&](std::string what, const Spread& s) {
    const double scale = std::abs(s.low) + std::abs(s.high);
    spread.rows.push_back({std::move(what), report_number(s.mean, scale), report_number(s.deviation, 1e-3 * scale),
                           report_number(s.low, scale), report_number(s.high, scale)});
  };
  row("energy change [J]", e.energy_change);
  row("collisions", e.collisions);
  for (std::size_t i = 0; i < scene.names.size() && spread.rows.size() < longest_table; ++i) {
    if (assembled.speeds[i] < 0) continue;
    for (int k = 0; k < 3; ++k)
      row(fmt::format("{} v_{} [m/s]", printable(scene.names[i], 30), "xyz"[k]),
          e.speeds[static_cast<std::size_t>(assembled.speeds[i] + k)]);
  }
  out.tables.push_back(std::move(spread));
  if (e.outcomes.size() < 2) return out;
  auto drawing = draw(e.outcomes.size() > most ? energies_of(e) : weights_of(e));
  if (drawing)
    out.figures.push_back({*std::move(drawing), e.outcomes.size() > most ? "How the change of energy is distributed."
                                                                         : "How often each distinct outcome was met."});
  return out;
}
}  // namespace

int report_scene(const ReportOptions& options, BodiesScene scene, Page& page) {
  const auto assignments = read_assignments(options.struck.sets);
  if (!assignments) return refuse_report("--set", 0, assignments.error());
  const std::string& law = options.struck.law;
  if (!law.empty() && find_law(law) == nullptr) return refuse_report("--law", 0, make_law(law, {}).error());
  if (options.all_at_once && !have_joint_methods())
    return refuse_report("--all-at-once", 0,
                         Error{"", "",
                               "needs Siconos (libsiconos-numerics-dev), which was not there when this program was "
                               "built"});
  if (options.scene.ensemble == 0 && !options.scene.contacts.none())
    return refuse_report("--uncertainty", 0, Error{"", "", "of contacts goes with --ensemble"});
  if (options.scene.hinges == "both")
    return refuse_report("--hinges", 0, Error{"", "both", "must be sequence or intact here"});
  const auto blame = [&](const Error& error) {
    if (const std::string option = option_of(error); !option.empty())
      return refuse_report(option, 0, Error{"", error.value, error.allowed});
    return refuse_report(options.file, line_of(scene, error), error);
  };
  for (std::size_t i = 0; i < scene.arrangement.contacts.size(); ++i) {
    for (const auto& [name, value] : *assignments)
      if (const auto fine = set(scene.settings[i], name, value); !fine) return refuse_report("--set", 0, fine.error());
    if (assignments->empty()) continue;
    auto made = make_law(scene.laws[i], scene.settings[i]);
    if (!made) return refuse_report("--set", 0, made.error());
    scene.arrangement.contacts[i].law = *std::move(made);
  }

  const Hinges hinges = options.scene.hinges == "intact" ? Hinges::intact : Hinges::in_sequence;
  SequenceOptions sequence = sequence_options(options.scene);
  sequence.record = recorded;
  std::vector<Method> methods;
  methods.push_back({"as stated, in sequence", answer_scene(scene.arrangement, hinges, "sequence", sequence), true});
  if (!methods[0].answer) return blame(methods[0].answer.error());
  if (options.scene.max_collisions == 0) sequence.max_collisions = most_collisions;
  std::size_t pictured = 0;
  for (const LawInfo& info : laws()) {
    const auto arrangement = by_law(scene, info.name);
    if (!arrangement && !arrangement.error().value.empty()) return blame(arrangement.error());
    methods.push_back({std::string(info.name), arrangement
                                                   ? answer_scene(*arrangement, hinges, "sequence", sequence)
                                                   : Expected<SceneAnswer>(tl::unexpected(arrangement.error()))});
    if (info.name == law) pictured = methods.size() - 1;
  }
  std::string remark;
  if (!have_joint_methods()) {
    remark = " The methods that take all contacts at once are not here: they need Siconos.";
  } else if (scene.arrangement.contacts.size() > most_jointly && !options.all_at_once) {
    remark = fmt::format(" The methods that take all contacts at once are left out beyond {} contacts.", most_jointly);
  } else {
    for (const std::string_view method : joint_methods())
      methods.push_back(
          {fmt::format("{}, all at once", method), answer_scene(scene.arrangement, Hinges::intact, method, sequence)});
  }
  if (!methods[pictured].answer) return blame(methods[pictured].answer.error());
  const Method& shown = methods[pictured];

  page.title = printable(scene.title.empty() ? options.file : scene.title);
  page.subtitle =
      fmt::format("Many contacts at once, by every law. Pictures of one answer show it resolved {}.", shown.manner());
  page.sections.push_back(bodies_section(scene, shown));
  page.sections.push_back(asked_section(scene, options.file));
  page.sections.push_back(methods_section(scene, methods, remark));
  page.sections.push_back(outcome_section(scene, shown));
  if (options.scene.ensemble > 0) {
    const auto ensemble =
        resolve_ensemble(scene.arrangement, hinges, options.scene.contacts, ensemble_options(options.scene));
    if (!ensemble) return blame(ensemble.error());
    page.sections.push_back(ensemble_section(scene, options.scene, methods[0].answer->assembled, *ensemble));
  }
  if (auto figures = figures_of(scene, shown, pictured == 0 && !scene.laws.empty() ? scene.laws[0] : law, options.file))
    page.sections.push_back(*std::move(figures));
  return 0;
}

}  // namespace ricochet::app
