#include "commands/simultaneous_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/base/counted.hpp"
#include "ricochet/base/printable.hpp"
#include "ricochet/scene/hints.hpp"
#include "terminal/scene_options.hpp"
#include "terminal/table.hpp"

namespace ricochet::app {
namespace {

constexpr std::size_t longest_table = 40;

class SimultaneousTable {
 public:
  explicit SimultaneousTable(const SceneResult& result)
      : result_(result), scene_(result.scene), options_(result.options.sequence) {}

  [[nodiscard]] std::string text() const {
    const SceneAnswer& a = result_.answers[0];
    const std::size_t hinges = scene_.arrangement.hinges.size();
    std::string out =
        fmt::format("{}: {}{}, {}\n{}\n", printable(scene_.title.empty() ? result_.name : scene_.title),
                    counted(scene_.arrangement.contacts.size(), "contact"),
                    hinges == 0 ? ""
                                : fmt::format(", {} {}", counted(hinges, "hinge"),
                                              a.assembled.hinges == Hinges::intact ? "intact" : "in sequence"),
                    counted(scene_.names.size(), "body", "bodies"), a.verdict());
    if (const std::string ties = a.ties_remark(); !ties.empty())
      out += ties + (result_.ensemble ? "\n" : "; --ensemble shows what else could happen\n");
    if (a.settled())
      out += fmt::format("energy change {:.6g} J, largest remaining approach {:.2g} m/s; permissible: {}\n",
                         a.resolution.energy_change, a.resolution.remaining, a.permissible());
    if (options_.ties == Ties::perturb)
      out += fmt::format("initial speeds were perturbed by up to {:.3g} of the largest, {:.3g} m/s\n",
                         options_.uncertainty, a.assembled.problem.speed());
    const std::vector<std::string> remarks = hints(scene_);
    for (std::size_t i = 0; i < std::min<std::size_t>(remarks.size(), 5); ++i)
      out += fmt::format("hint: {}\n", remarks[i]);
    if (remarks.size() > 5) out += fmt::format("hint: ... and {} more (--format json has all)\n", remarks.size() - 5);
    out += "\n" + bodies_table(a) + "\n" + contacts_table(a);
    if (result_.answers.size() > 1) out += difference_table();
    if (result_.ensemble) out += ensemble_table();
    return out;
  }

 private:
  static std::string verdict(const Certificate& c) {
    return c.permissible ? "yes" : fmt::format("no: {}", fmt::join(condition_names(c.violated), ", "));
  }

  static Vec3 spread_of(const Ensemble& ensemble, std::ptrdiff_t at, double Spread::*part) {
    Vec3 out;
    for (int k = 0; k < 3; ++k) out(k) = ensemble.speeds[static_cast<std::size_t>(at + k)].*part;
    return out;
  }

  [[nodiscard]] std::string bodies_table(const SceneAnswer& a) const {
    std::vector<std::vector<std::string>> table{
        {"body", "v before [m/s]", "v after [m/s]", "omega before [rad/s]", "omega after [rad/s]"}};
    const double speed = a.assembled.problem.speed();
    const auto shown = [&](Vec3 v) {
      for (double& x : v)
        if (std::abs(x) < 1e-12 * speed) x = 0;
      return brief(v);
    };
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < scene_.names.size(); ++i) {
      const RigidBody& before = scene_.arrangement.bodies[i];
      if (before.fixed) continue;
      if (table.size() > longest_table) {
        ++left_out;
        continue;
      }
      table.push_back({printable(scene_.names[i], 30), shown(before.velocity),
                       a.settled() ? shown(a.bodies[i].velocity) : "-", shown(before.angular_velocity),
                       a.settled() ? shown(a.bodies[i].angular_velocity) : "-"});
    }
    std::string out = rows(table, 1);
    if (left_out > 0) out += fmt::format("... and {} more (--format json has all)\n", left_out);
    return out;
  }

  [[nodiscard]] std::string contacts_table(const SceneAnswer& a) const {
    const Resolution& r = a.resolution;
    std::vector<std::vector<std::string>> table{
        {"", "contact", "law", "impulse [N s]", "V_n before [m/s]", "V_n after [m/s]", "permissible"}};
    const auto& all = scene_.arrangement.contacts;
    for (std::size_t i = 0; i < std::min(all.size(), longest_table); ++i) {
      const Vec3& n = a.assembled.problem.contacts()[i].contact.n;
      const auto speed = [&](const Vec3& V) { return fmt::format("{:.4g}", n.dot(V) + 0.0); };
      table.push_back({std::to_string(i + 1),
                       printable(scene_.names[all[i].first], 30) + " - " + printable(scene_.names[all[i].second], 30),
                       scene_.laws[i], a.settled() ? brief(r.G[i]) : "-",
                       speed(a.assembled.problem.contacts()[i].contact.V), a.settled() ? speed(r.V[i]) : "-",
                       a.settled() ? verdict(r.certificate.contacts[i]) : "-"});
    }
    bool unique = true;
    for (std::size_t h = 0; h < a.hinges.size() && table.size() <= longest_table; ++h) {
      const Hinge& hinge = scene_.arrangement.hinges[h];
      unique = unique && a.hinges[h].unique;
      table.push_back({fmt::format("h{}", h + 1),
                       printable(scene_.names[hinge.first], 30) + " - " + printable(scene_.names[hinge.second], 30),
                       a.hinges[h].unique ? "hinge" : "hinge*", a.settled() ? brief(a.hinges[h].P) : "-", "", "", ""});
    }
    std::string out = rows(table, 3) + "An impulse acts on the second body of its contact; V_n > 0 separates.\n";
    if (!unique) out += "* not unique: a loop shares the impulse among its hinges; the smallest impulses are shown.\n";
    if (all.size() > longest_table)
      out += fmt::format("... and {} more (--format json has all)\n", all.size() - longest_table);
    return out;
  }

  [[nodiscard]] std::string ensemble_table() const {
    const Ensemble& e = *result_.ensemble;
    std::string out = fmt::format(
        "\nEnsemble of {}, initial speeds perturbed by up to {:.3g} of the largest{}, ties at random: {}\n",
        counted(e.members, "member"), options_.uncertainty, contacts_moved(result_.uncertainty), e.verdict());
    if (e.outcomes.empty()) return out;
    std::vector<std::vector<std::string>> table{{"outcome", "weight", "branch", "energy [J]", "first contacts"}};
    for (std::size_t i = 0; i < std::min<std::size_t>(e.outcomes.size(), 10); ++i) {
      const DistinctOutcome& o = e.outcomes[i];
      std::string order;
      for (std::size_t k = 0; k < std::min<std::size_t>(o.first_order.size(), 8); ++k)
        order += fmt::format("{}{}", k == 0 ? "" : " ", o.first_order[k] + 1);
      table.push_back({std::to_string(i + 1), fmt::format("{:.4f}", o.weight),
                       o.branch ? std::to_string(*o.branch + 1) : "?", fmt::format("{:.5g}", o.energy_change),
                       order + (o.first_order.size() > 8 ? " ..." : "")});
    }
    out += rows(table, 0);
    if (e.outcomes.size() > 10) out += fmt::format("... and {} more\n", e.outcomes.size() - 10);
    out += fmt::format("energy change {:.5g} J, deviation {:.2g}, from {:.5g} to {:.5g}\n\n", e.energy_change.mean,
                       e.energy_change.deviation, e.energy_change.low, e.energy_change.high);
    table = {{"body", "mean v [m/s]", "deviation", "lowest", "highest"}};
    const Assembled& assembled = result_.answers[0].assembled;
    for (std::size_t i = 0; i < scene_.names.size() && table.size() <= longest_table; ++i) {
      if (assembled.speeds[i] < 0) continue;
      std::vector<std::string> row{printable(scene_.names[i], 30)};
      for (const auto& part : {&Spread::mean, &Spread::deviation, &Spread::low, &Spread::high})
        row.push_back(brief(spread_of(e, assembled.speeds[i], part)));
      table.push_back(std::move(row));
    }
    return out + rows(table, 1);
  }

  [[nodiscard]] std::string difference_table() const {
    const SceneAnswer& a = result_.answers[0];
    const SceneAnswer& b = result_.answers[1];
    std::string out =
        fmt::format("\nHinges in sequence against the mechanism intact: {}\n{}\n\n", a.verdict(), b.verdict());
    if (!a.settled() || !b.settled()) return out;
    std::vector<std::vector<std::string>> table{
        {"", "in sequence", "intact", "difference"},
        {"energy change [J]", fmt::format("{:.6g}", a.resolution.energy_change),
         fmt::format("{:.6g}", b.resolution.energy_change),
         fmt::format("{:.3g}", a.resolution.energy_change - b.resolution.energy_change)}};
    const auto row = [&](const std::string& what, const Vec3& x, const Vec3& y) {
      table.push_back({what, brief(x, 5), brief(y, 5), brief(x - y, 3)});
    };
    for (std::size_t i = 0; i < scene_.names.size() && table.size() <= longest_table; ++i) {
      if (scene_.arrangement.bodies[i].fixed) continue;
      const std::string name = printable(scene_.names[i], 30);
      row(name + " v", a.bodies[i].velocity, b.bodies[i].velocity);
      row(name + " omega", a.bodies[i].angular_velocity, b.bodies[i].angular_velocity);
    }
    for (std::size_t i = 0; i < scene_.arrangement.contacts.size() && table.size() <= longest_table; ++i)
      row(fmt::format("contact {} impulse", i + 1), a.resolution.G[i], b.resolution.G[i]);
    for (std::size_t h = 0; h < a.hinges.size() && table.size() <= longest_table; ++h)
      row(fmt::format("hinge {} impulse", h + 1), a.hinges[h].P, b.hinges[h].P);
    return out + rows(table, 1);
  }

  const SceneResult& result_;
  const Scene& scene_;
  const SequenceOptions& options_;
};

}  // namespace

std::string simultaneous_table(const SceneResult& result) { return SimultaneousTable(result).text(); }

}  // namespace ricochet::app
