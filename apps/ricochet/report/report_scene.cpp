#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/report.hpp"
#include "ricochet/base/counted.hpp"
#include "ricochet/io/open_scene.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/report/plot.hpp"
#include "ricochet/report/scene_picture.hpp"
#include "ricochet/scene/scene_answer.hpp"
#include "ricochet/scene/scene_laws.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {
namespace {

constexpr std::size_t longest_table = 60;
constexpr std::size_t most_collisions = 1'000'000;  ///< of each law, except the one shown
constexpr std::size_t most_jointly = 2000;          ///< contacts, unless all at once is asked for
constexpr std::size_t recorded = 20'000;            ///< collisions that the picture of the energy shows

/// A row of the table of methods.
struct Method {
  std::string name;
  Expected<SceneAnswer> answer;
  bool stated = false;  ///< the scene's own laws
  [[nodiscard]] std::string manner() const { return stated ? name : "by " + name; }
};

/// What rounding is shown by.
struct Scales {
  double speed = 0, momentum = 0, work = 0;
};

Scales scales(const SceneAnswer& a) {
  Scales out;
  for (std::size_t i = 0; i < a.assembled.problem.contacts().size(); ++i) {
    const ProblemContact& contact = a.assembled.problem.contacts()[i];
    if (contact.hinge) continue;
    const Vec3& G = a.resolution.G[i];
    out.speed = std::max(out.speed, contact.contact.V.norm());
    out.momentum = std::max(out.momentum, G.norm());
    out.work += 0.5 * std::abs(G.dot(contact.contact.V + a.resolution.V[i]));
  }
  return out;
}

PageSection methods_section(const std::vector<Method>& methods, const std::string& remark) {
  PageSection out{
      .id = "laws",
      .title = "Answers of the laws",
      .text = fmt::format(
          "One row for each law that resolves all contacts in sequence, the fastest approach first, each contact with "
          "its own parameters and at most {} collisions. Margins are the smallest over all contacts: energy lost, "
          "normal speed after, normal impulse, and distance from the friction cone; one that is negative beyond "
          "rounding is violated.{}",
          most_collisions, remark)};
  PageTable table{.heads = {"method", "permissible", "status", "collisions", "Δ$E$ [J]", "separation [m/s]",
                            "compression [N\u00a0s]", "friction [N\u00a0s]", "fastest body after [m/s]"},
                  .rows = {}};
  for (const Method& method : methods) {
    if (!method.answer) {
      table.rows.push_back({method.name, report_refusal(method.answer.error())});
      table.classes.emplace_back("none");
      continue;
    }
    const SceneAnswer& a = *method.answer;
    if (!a.settled()) {
      table.rows.push_back({method.name, a.verdict()});
      table.classes.emplace_back("none");
      continue;
    }
    const Margins& m = a.resolution.certificate.margins;
    const Scales c = scales(a);
    double fastest = 0;
    for (const RigidBody& body : a.bodies)
      if (!body.fixed) fastest = std::max(fastest, body.velocity.norm());
    table.rows.push_back(
        {method.name, a.permissible(), a.joint ? "all at once" : std::string(name(a.resolution.status)),
         a.joint ? "" : std::to_string(a.resolution.collisions), report_number(a.resolution.energy_change, c.work),
         report_number(m.separation, c.speed), report_number(m.compression, c.momentum),
         std::isinf(m.friction) ? "–" : report_number(m.friction, c.momentum), report_number(fastest)});
    table.classes.emplace_back(a.resolution.certificate.permissible ? "good" : "bad");
  }
  out.tables.push_back(std::move(table));
  return out;
}

PageSection bodies_section(const Scene& scene, const Method& shown) {
  PageSection out{.id = "bodies", .title = "What hit what"};
  const SceneAnswer& a = *shown.answer;
  out.text = fmt::format("Resolved {}: {}.", shown.manner(), a.verdict());
  if (const std::string ties = a.ties_remark(); !ties.empty())
    out.text += fmt::format(" {}; an ensemble (--ensemble) shows what else could happen.", ties);
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

PageSection asked_section(const Scene& scene, const std::string& file) {
  PageSection out{.id = "asked", .title = "What was asked"};
  const auto& contacts = scene.arrangement.contacts;
  out.text =
      fmt::format("{}: {}, {}{}.{}", printable(file), counted(scene.names.size(), "body", "bodies"),
                  counted(contacts.size(), "contact"),
                  scene.arrangement.hinges.empty() ? "" : ", " + counted(scene.arrangement.hinges.size(), "hinge"),
                  shortened(contacts.size()));
  PageTable table{.heads = {"contact", "law", "e", "mu", "point [m]", "normal"}, .rows = {}};
  const auto value = [](const std::optional<double>& x) { return x ? report_number(*x) : std::string(); };
  for (std::size_t i = 0; i < std::min(contacts.size(), longest_table); ++i) {
    const LawParameters& s = scene.settings[i];
    table.rows.push_back({fmt::format("{}: {} – {}", i + 1, printable(scene.names[contacts[i].first], 30),
                                      printable(scene.names[contacts[i].second], 30)),
                          scene.laws[i], value(s.e ? s.e : s.e_k), value(s.mu), report_vector(contacts[i].point, 1),
                          report_vector(contacts[i].n.normalized(), 1)});
  }
  out.tables.push_back(std::move(table));
  return out;
}

PageSection outcome_section(const Scene& scene, const Method& shown) {
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

/// The energy as the sequence goes on, over the normal impulse that all contacts together have passed on by then:
/// observes the first collisions of a sequence.
class EnergyRecorder {
 public:
  void observe(const SequenceStep& step) {
    if (step.limit || points_.size() > recorded) {
      complete_ = false;
      return;
    }
    points_.emplace_back(points_.back() + Vec2(step.normal_impulse, step.energy_change));
  }
  [[nodiscard]] const std::vector<Vec2>& points() const { return points_; }
  [[nodiscard]] bool complete() const { return complete_; }

 private:
  std::vector<Vec2> points_{Vec2::Zero()};
  bool complete_ = true;
};

/// What the recorder does not hold is a dashed line to the end.
Plot energy_along(const SceneAnswer& a, const EnergyRecorder& recorder) {
  const Problem& problem = a.assembled.problem;
  Plot plot{.title = "Energy along the sequence",
            .x_label = "normal impulse of all contacts so far [N\u00a0s]",
            .y_label = "change of energy [J]"};
  plot.curves.push_back(
      {.name = "collision by collision", .points = recorder.points(), .stroke = {.colour = palette(0), .width = 1.4}});
  double all = 0;
  for (std::size_t i = 0; i < problem.contacts().size(); ++i)
    if (!problem.contacts()[i].hinge) all += problem.contacts()[i].contact.n.dot(a.resolution.G[i]);
  const Vec2 end(all, a.resolution.energy_change);
  if (!recorder.complete())
    plot.curves.push_back({.name = "the rest",
                           .points = {recorder.points().back(), end},
                           .stroke = {.colour = palette(1), .dash = {4, 3}}});
  plot.points.push_back({.name = "end", .at = end, .colour = palette(1)});
  return plot;
}

/// One contact has impulse space; a sequence has its energy.
std::optional<PageSection> figures_of(const Scene& scene, const Method& shown, const EnergyRecorder& recorder,
                                      const std::string& law, const std::string& file) {
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
  Plot plot = energy_along(a, recorder);
  plot.id = "figure-energy";
  auto drawing = draw(plot);
  if (!drawing) return std::nullopt;
  out.figures.push_back(
      {*std::move(drawing), fmt::format("Energy lost, collision by collision, resolved {}.", shown.manner())});
  return out;
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
            .x_label = "outcome, most frequent first",
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

PageSection ensemble_section(const Scene& scene, const SceneOptions& options, const Assembled& assembled,
                             const Ensemble& e) {
  PageSection out{.id = "ensemble", .title = "Is the answer determinate?"};
  out.text =
      fmt::format("{}, initial speeds perturbed by up to {:.3g} of the largest{}, ties at random: {}.",
                  counted(e.members, "member"), options.uncertainty, contacts_moved(options.contacts), e.verdict());
  if (e.outcomes.empty()) return out;
  constexpr std::size_t most = 12;
  PageTable outcomes{
      .heads = {"outcome", "weight", "branch", "Δ$E$ [J]", "contacts in the order of the first collisions"},
      .rows = {}};
  for (std::size_t i = 0; i < std::min(e.outcomes.size(), most); ++i) {
    const DistinctOutcome& o = e.outcomes[i];
    std::string order;
    for (std::size_t k = 0; k < std::min<std::size_t>(o.first_order.size(), 12); ++k)
      order += fmt::format("{}{}", k == 0 ? "" : " ", o.first_order[k] + 1);
    outcomes.rows.push_back({std::to_string(i + 1), fmt::format("{:.4f}", o.weight),
                             o.branch ? std::to_string(*o.branch + 1) : "?", report_number(o.energy_change, 1e-2),
                             order + (o.first_order.size() > 12 ? " …" : "")});
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
    out.figures.push_back({*std::move(drawing), e.outcomes.size() > most ? "Distribution of the energy change."
                                                                         : "Frequency of each distinct outcome."});
  return out;
}
}  // namespace

int report_scene(const ReportOptions& options, Scene scene, Page& page) {
  const auto assignments = read_assignments(options.mechanism.sets);
  if (!assignments) return refuse("--set", 0, assignments.error());
  const std::string& law = options.mechanism.law;
  if (!law.empty() && find_law(law) == nullptr) return refuse("--law", 0, unknown_law(law));
  if (options.all_at_once && !have_joint_methods())
    return refuse("--all-at-once", 0,
                  Error{ErrorCode::unavailable, "", "",
                        "needs Siconos (libsiconos-numerics-dev), which was not available when this program was "
                        "built"});
  if (options.scene.ensemble == 0 && !options.scene.contacts.none())
    return refuse("--uncertainty", 0, Error{ErrorCode::conflict, "", "", "of contacts goes with --ensemble"});
  if (options.scene.hinges == "both")
    return refuse("--hinges", 0, Error{ErrorCode::conflict, "", "both", "must be sequence or intact here"});
  const auto report_parameter_error = [&](const Error& error) {
    if (const std::string_view option = option_of(error); !option.empty()) return refuse(option, 0, error);
    return refuse(options.file, line_of(scene, error), error);
  };
  if (const auto fine = set_parameters(scene, *assignments); !fine) return refuse("--set", 0, fine.error());

  const Hinges hinges = options.scene.hinges == "intact" ? Hinges::intact : Hinges::in_sequence;
  SequenceOptions sequence = sequence_options(options.scene);
  std::vector<Method> methods;
  EnergyRecorder recorder;  // of the answer that is pictured
  const SequenceObserver observer = [&recorder](const SequenceStep& step) { recorder.observe(step); };
  methods.push_back(
      {"as stated, in sequence",
       answer_scene(scene.arrangement, hinges, "sequence", sequence, law.empty() ? observer : SequenceObserver{}),
       true});
  if (!methods[0].answer) return report_parameter_error(methods[0].answer.error());
  if (options.scene.max_collisions == 0) sequence.max_collisions = most_collisions;
  std::size_t pictured = 0;
  for (const LawInfo& info : laws()) {
    const auto arrangement = by_law(scene, info.name);
    if (!arrangement && arrangement.error().code != ErrorCode::missing)
      return report_parameter_error(arrangement.error());
    methods.push_back({std::string(info.name), arrangement
                                                   ? answer_scene(*arrangement, hinges, "sequence", sequence,
                                                                  info.name == law ? observer : SequenceObserver{})
                                                   : Expected<SceneAnswer>(tl::unexpected(arrangement.error()))});
    if (info.name == law) pictured = methods.size() - 1;
  }
  std::string remark;
  if (!have_joint_methods()) {
    remark = " The methods that solve all contacts at once are not available: they need Siconos.";
  } else if (scene.arrangement.contacts.size() > most_jointly && !options.all_at_once) {
    remark = fmt::format(" The methods that solve all contacts at once are omitted above {} contacts.", most_jointly);
  } else {
    for (const std::string_view method : joint_methods())
      methods.push_back(
          {fmt::format("{}, all at once", method), answer_scene(scene.arrangement, Hinges::intact, method, sequence)});
  }
  if (!methods[pictured].answer) return report_parameter_error(methods[pictured].answer.error());
  const Method& shown = methods[pictured];

  page.title = printable(scene.title.empty() ? options.file : scene.title);
  page.subtitle =
      fmt::format("Many contacts at once, by every law. Pictures of one answer show it resolved {}.", shown.manner());
  page.sections.push_back(bodies_section(scene, shown));
  page.sections.push_back(asked_section(scene, options.file));
  page.sections.push_back(methods_section(methods, remark));
  page.sections.push_back(outcome_section(scene, shown));
  if (options.scene.ensemble > 0) {
    const auto ensemble =
        resolve_ensemble(scene.arrangement, hinges, options.scene.contacts, ensemble_options(options.scene));
    if (!ensemble) return report_parameter_error(ensemble.error());
    page.sections.push_back(ensemble_section(scene, options.scene, methods[0].answer->assembled, *ensemble));
  }
  if (auto figures =
          figures_of(scene, shown, recorder, pictured == 0 && !scene.laws.empty() ? scene.laws[0] : law, options.file))
    page.sections.push_back(*std::move(figures));
  return 0;
}

}  // namespace ricochet::app
