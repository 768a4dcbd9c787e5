#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "commands.hpp"
#include "draw_scene.hpp"
#include "named_scene.hpp"
#include "open_scene.hpp"
#include "output_file.hpp"
#include "scene_answer.hpp"
#include "scene_options.hpp"
#include "table.hpp"
#include "text.hpp"
#include "to_json.hpp"

namespace ricochet::app {
namespace {

struct Options : SceneOptions {
  std::string scene, format = "table", svg, method = "sequence";
  std::string sequence_only;  ///< an option that was given and goes with sequences only
  std::string ensemble_only;  ///< likewise with ensembles
  std::size_t balls = 0;
};

int refuse(std::string_view where, long long line, const Error& error) {
  fmt::print(stderr, "{}\n", fault_line(where, line, error));
  return 2;
}

std::string scene_list() {
  std::string out = "Bundled scenes:\n";
  for (const NamedScene& scene : named_scenes())
    out += fmt::format("  {:<16} {}\n", fmt::format("{}{}", scene.name, scene.counted ? "[:n]" : ""), scene.about);
  return out + "Or the name of a TOML file; see ricochet simultaneous --help.\n";
}

constexpr std::size_t longest_table = 40;

class Simultaneous {
 public:
  explicit Simultaneous(const Options& options) : options_(options) {}

  int run() {
    if (options_.scene.empty()) return print_out(scene_list());
    if (!sequential() && !options_.sequence_only.empty())
      return refuse(options_.sequence_only, 0, Error{"", "", "goes with --method sequence"});
    if (options_.ensemble == 0 && !options_.ensemble_only.empty())
      return refuse(options_.ensemble_only, 0, Error{"", "", "goes with --ensemble"});
    if (!sequential() && !options_.hinges.empty() && options_.hinges != "intact")
      return refuse("--hinges", 0, Error{"", options_.hinges, "must be intact for this method"});
    if (const int status = read(); status != 0) return status;
    if (const int status = resolve_all(); status != 0) return status;
    if (options_.ensemble > 0)
      if (const int status = resolve_many(); status != 0) return status;
    if (!options_.svg.empty())
      if (const int status = draw(); status != 0) return status;
    return options_.format == "json" ? print_json() : print_table();
  }

 private:
  int read() {
    std::string name = options_.scene;
    if (options_.balls > 0) {
      if (name != "cradle")
        return refuse("--balls", 0, Error{"", std::to_string(options_.balls), "goes with the bundled scene cradle"});
      name += fmt::format(":{}", options_.balls);
    }
    auto scene = open_bodies_scene(name);
    if (!scene) return 2;
    scene_ = *std::move(scene);
    return 0;
  }

  [[nodiscard]] bool sequential() const { return options_.method == "sequence"; }
  [[nodiscard]] std::string hinges() const {
    return !options_.hinges.empty() ? options_.hinges : sequential() ? "sequence" : "intact";
  }

  int blame(const Error& error) const {
    if (const std::string option = option_of(error); !option.empty())
      return refuse(option, 0, Error{"", error.value, error.allowed});
    return refuse(options_.scene, line_of(scene_, error), error);
  }

  int resolve_all() {
    for (const bool intact : {false, true}) {
      if (hinges() != "both" && (hinges() == "intact") != intact) continue;
      auto answer = answer_scene(scene_.arrangement, intact ? Hinges::intact : Hinges::in_sequence, options_.method,
                                 sequence_options(options_));
      if (!answer) return blame(answer.error());
      answers_.push_back(*std::move(answer));
    }
    return 0;
  }

  int resolve_many() {
    auto ensemble = resolve_ensemble(scene_.arrangement, answers_[0].assembled.hinges, options_.contacts,
                                     ensemble_options(options_));
    if (!ensemble) return blame(ensemble.error());
    ensemble_ = *std::move(ensemble);
    return 0;
  }

  int draw() const {
    const SceneAnswer& a = answers_[0];
    const std::string text = draw_scene(
        scene_, a.settled() ? std::optional(a.bodies) : std::nullopt,
        std::vector<Vec3>(a.resolution.G.begin(),
                          a.resolution.G.begin() + static_cast<std::ptrdiff_t>(scene_.arrangement.contacts.size())),
        a.verdict());
    Expected<OutputFile> file = OutputFile::open(options_.svg);
    if (!file) return refuse(options_.svg, 0, file.error());
    const auto fine = file->write(text).and_then([&] { return file->commit(); });
    if (!fine) {
      fmt::print(stderr, "{}\n", complaint(fine.error()));
      return 1;
    }
    return 0;
  }

  // ---- table ---------------------------------------------------------------------------------------------------

  static std::string rows(const std::vector<std::vector<std::string>>& table, std::size_t left) {
    std::vector<std::size_t> wide;
    for (const auto& row : table)
      for (std::size_t c = 0; c < row.size(); ++c) {
        if (wide.size() <= c) wide.push_back(0);
        wide[c] = std::max(wide[c], columns(row[c]));
      }
    std::string out;
    for (const auto& row : table) {
      std::string line;
      for (std::size_t c = 0; c < row.size(); ++c) {
        const std::string pad(wide[c] - columns(row[c]), ' ');
        line += (c == 0 ? "" : "  ") + (c < left ? row[c] + pad : pad + row[c]);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
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
        {"", "contact", "law", "impulse [N s]", "V_n before [m/s]", "V_n after [m/s]"}};
    const auto& all = scene_.arrangement.contacts;
    for (std::size_t i = 0; i < std::min(all.size(), longest_table); ++i) {
      const Vec3& n = a.assembled.problem.contacts()[i].contact.n;
      const auto speed = [&](const Vec3& V) { return fmt::format("{:.4g}", n.dot(V) + 0.0); };
      table.push_back({std::to_string(i + 1),
                       printable(scene_.names[all[i].first], 30) + " - " + printable(scene_.names[all[i].second], 30),
                       scene_.laws[i], a.settled() ? brief(r.G[i]) : "-",
                       speed(a.assembled.problem.contacts()[i].contact.V), a.settled() ? speed(r.V[i]) : "-"});
    }
    if (a.assembled.hinges == Hinges::in_sequence)
      for (std::size_t h = 0; h < scene_.arrangement.hinges.size() && table.size() <= longest_table; ++h) {
        const Hinge& hinge = scene_.arrangement.hinges[h];
        table.push_back({fmt::format("h{}", h + 1),
                         printable(scene_.names[hinge.first], 30) + " - " + printable(scene_.names[hinge.second], 30),
                         "hinge", a.settled() ? brief(r.G[all.size() + h]) : "-", "", ""});
      }
    std::string out = rows(table, 3);
    if (all.size() > longest_table)
      out += fmt::format("... and {} more (--format json has all)\n", all.size() - longest_table);
    return out;
  }

  [[nodiscard]] std::string ensemble_table() const {
    const Ensemble& e = *ensemble_;
    std::string out = fmt::format(
        "\nEnsemble of {} members, initial speeds moved by up to {:.3g} of the largest{}, ties at random: {}\n",
        e.members, options_.uncertainty, contacts_moved(options_.contacts),
        e.determinate() ? "one outcome; the answer is determinate"
                        : fmt::format("{} distinct outcome{}{}; the answer is not determinate", e.outcomes.size(),
                                      e.outcomes.size() == 1 ? "" : "s",
                                      e.unsettled > 0 ? fmt::format(", {} did not settle", e.unsettled) : ""));
    if (e.outcomes.empty()) return out;
    std::vector<std::vector<std::string>> table{{"outcome", "weight", "energy [J]", "first contacts"}};
    for (std::size_t i = 0; i < std::min<std::size_t>(e.outcomes.size(), 10); ++i) {
      const DistinctOutcome& o = e.outcomes[i];
      std::string order;
      for (std::size_t k = 0; k < std::min<std::size_t>(o.first_order.size(), 8); ++k)
        order += fmt::format("{}{}", k == 0 ? "" : " ", o.first_order[k] + 1);
      table.push_back({std::to_string(i + 1), fmt::format("{:.4f}", o.weight), fmt::format("{:.5g}", o.energy_change),
                       order + (o.first_order.size() > 8 ? " ..." : "")});
    }
    out += rows(table, 0);
    if (e.outcomes.size() > 10) out += fmt::format("... and {} more\n", e.outcomes.size() - 10);
    out += fmt::format("energy change {:.5g} J, deviation {:.2g}, from {:.5g} to {:.5g}\n\n", e.energy_change.mean,
                       e.energy_change.deviation, e.energy_change.low, e.energy_change.high);
    table = {{"body", "mean v [m/s]", "deviation", "lowest", "highest"}};
    const Assembled& assembled = answers_[0].assembled;
    for (std::size_t i = 0; i < scene_.names.size() && table.size() <= longest_table; ++i) {
      if (assembled.speeds[i] < 0) continue;
      std::vector<std::string> row{printable(scene_.names[i], 30)};
      for (const auto& part : {&Spread::mean, &Spread::deviation, &Spread::low, &Spread::high})
        row.push_back(brief(spread_of(assembled.speeds[i], part)));
      table.push_back(std::move(row));
    }
    return out + rows(table, 1);
  }

  [[nodiscard]] Vec3 spread_of(std::ptrdiff_t at, double Spread::*part) const {
    Vec3 out;
    for (int k = 0; k < 3; ++k) out(k) = ensemble_->speeds[static_cast<std::size_t>(at + k)].*part;
    return out;
  }

  [[nodiscard]] std::string difference_table() const {
    const SceneAnswer& a = answers_[0];
    const SceneAnswer& b = answers_[1];
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
    return out + rows(table, 1);
  }

  int print_table() const {
    const SceneAnswer& a = answers_[0];
    std::string out =
        fmt::format("{}: {} contacts{}, {} bodies\n{}\n",
                    printable(scene_.title.empty() ? options_.scene : scene_.title), scene_.arrangement.contacts.size(),
                    scene_.arrangement.hinges.empty()
                        ? ""
                        : fmt::format(", {} hinges {}", scene_.arrangement.hinges.size(),
                                      a.assembled.hinges == Hinges::intact ? "intact" : "in sequence"),
                    scene_.names.size(), a.verdict());
    if (a.settled())
      out += fmt::format("energy change {:.6g} J, largest approach left {:.2g} m/s\n", a.resolution.energy_change,
                         a.resolution.remaining);
    if (options_.ties == "perturb")
      out += fmt::format("initial speeds were moved by up to {:.3g} of the largest, {:.3g} m/s\n", options_.uncertainty,
                         a.assembled.problem.speed());
    out += "\n" + bodies_table(a) + "\n" + contacts_table(a);
    if (answers_.size() > 1) out += difference_table();
    if (ensemble_) out += ensemble_table();
    return print_out(out);
  }

  // ---- JSON ----------------------------------------------------------------------------------------------------

  [[nodiscard]] Json bodies_json(const std::vector<RigidBody>& bodies, bool settled) const {
    Json out = Json::array();
    for (std::size_t i = 0; i < bodies.size(); ++i)
      out.push_back({{"name", printable(scene_.names[i])},
                     {"velocity", settled ? to_json(bodies[i].velocity) : Json()},
                     {"angular_velocity", settled ? to_json(bodies[i].angular_velocity) : Json()}});
    return out;
  }

  [[nodiscard]] Json answer_json(const SceneAnswer& a) const {
    const Resolution& r = a.resolution;
    const bool settled = a.settled();
    Json out{{"status", name(r.status)},
             {"collisions", r.collisions},
             {"energy_change", settled ? Json(r.energy_change) : Json()},
             {"bodies", bodies_json(a.bodies, settled)}};
    Json contacts = Json::array();
    const std::size_t count = scene_.arrangement.contacts.size();
    for (std::size_t i = 0; i < count; ++i) {
      const Vec3& n = a.assembled.problem.contacts()[i].contact.n;
      contacts.push_back({{"impulse", settled ? to_json(r.G[i]) : Json()},
                          {"approach", settled ? Json(n.dot(r.V[i]) + 0.0) : Json()}});
    }
    out["contacts"] = std::move(contacts);
    if (!scene_.arrangement.hinges.empty()) {
      out["hinges"] = a.assembled.hinges == Hinges::intact ? "intact" : "in sequence";
      if (a.assembled.hinges == Hinges::in_sequence) {
        Json hinges = Json::array();
        for (std::size_t h = count; h < r.G.size(); ++h)
          hinges.push_back({{"impulse", settled ? to_json(r.G[h]) : Json()}});
        out["hinge_impulses"] = std::move(hinges);
      }
    }
    if (a.joint) {
      out["method"] = options_.method;
      out["gains_energy"] = a.joint->gains_energy;
      out["residual"] = a.joint->residual;
      out["solver"] = a.joint->solver;
      out["chosen"] = a.joint->chosen;
      out["singular"] = a.joint->singular ? Json(*a.joint->singular) : Json();
      if (!a.joint->kappa.empty()) out["kappa"] = a.joint->kappa;
    }
    if (!settled) {
      out["why"] = describe(r.end);
      Json cycle = Json::array();
      for (const std::uint32_t i : r.cycle) cycle.push_back(i + 1);
      out["cycle"] = std::move(cycle);
    }
    return out;
  }

  static Json spread_json(const Spread& s) {
    return {{"mean", s.mean}, {"deviation", s.deviation}, {"low", s.low}, {"high", s.high}};
  }

  [[nodiscard]] Json ensemble_json() const {
    const Ensemble& e = *ensemble_;
    const Assembled& assembled = answers_[0].assembled;
    Json out{{"members", e.members},
             {"unsettled", e.unsettled},
             {"seed", options_.seed},
             {"uncertainty", options_.uncertainty},
             {"contact_uncertainty",
              {{"e", options_.contacts.e},
               {"mu", options_.contacts.mu},
               {"normal", options_.contacts.normal},
               {"point", options_.contacts.point}}},
             {"resolution", options_.resolution},
             {"determinate", e.determinate()},
             {"distinct", e.outcomes.size()}};
    Json outcomes = Json::array();
    for (std::size_t i = 0; i < std::min<std::size_t>(e.outcomes.size(), 100); ++i) {
      const DistinctOutcome& o = e.outcomes[i];
      Json order = Json::array();
      for (const std::uint32_t k : o.first_order) order.push_back(k + 1);
      outcomes.push_back({{"weight", o.weight},
                          {"members", o.members},
                          {"energy_change", o.energy_change},
                          {"order", std::move(order)},
                          {"bodies", bodies_json(moved(scene_.arrangement, assembled, o.u), true)}});
    }
    out["outcomes"] = std::move(outcomes);
    if (e.outcomes.empty()) return out;
    out["energy_change"] = spread_json(e.energy_change);
    out["collisions"] = spread_json(e.collisions);
    Json bodies = Json::array();
    for (std::size_t i = 0; i < scene_.names.size(); ++i) {
      const std::ptrdiff_t at = assembled.speeds[i];
      if (at < 0) continue;
      Json body{{"name", printable(scene_.names[i])}};
      for (const auto& [key, first] : {std::pair{"velocity", at}, std::pair{"angular_velocity", at + 3}})
        body[key] = {{"mean", to_json(spread_of(first, &Spread::mean))},
                     {"deviation", to_json(spread_of(first, &Spread::deviation))},
                     {"low", to_json(spread_of(first, &Spread::low))},
                     {"high", to_json(spread_of(first, &Spread::high))}};
      bodies.push_back(std::move(body));
    }
    out["bodies"] = std::move(bodies);
    return out;
  }

  int print_json() const {
    Json out = answer_json(answers_[0]);
    if (answers_.size() > 1) out["intact"] = answer_json(answers_[1]);
    if (ensemble_) out["ensemble"] = ensemble_json();
    return print_out(pretty(out) + "\n");
  }

  const Options& options_;
  BodiesScene scene_;
  std::vector<SceneAnswer> answers_;
  std::optional<Ensemble> ensemble_;
};

}  // namespace

void add_simultaneous(CLI::App& program, int& status) {
  auto* command =
      program.add_subcommand("simultaneous", "many contacts at once, and whether the answer is determinate");
  auto options = std::make_shared<Options>();
  command->add_option("SCENE", options->scene,
                      "TOML file, - for standard input, or a bundled scene; without it: the list of those");
  command->add_option("--format", options->format, "table by default")
      ->check(CLI::IsMember({"table", "json"}))
      ->type_name("FORMAT");
  command
      ->add_option("--method", options->method,
                   "sequence (default), or all contacts at once: lcp, pfeiffer-glocker, anitescu-potra, weighted")
      ->check(CLI::IsMember({"sequence", "lcp", "pfeiffer-glocker", "anitescu-potra", "weighted"}))
      ->type_name("NAME");
  add_scene_options(*command, *options);
  command->add_option("--balls", options->balls, "how many balls the cradle has")
      ->check(CLI::Range(std::size_t{2}, std::size_t{100'000}))
      ->type_name("N");
  command->add_option("--svg", options->svg, "a picture before and after")->type_name("FILE");
  command->footer(
      "Examples:\n"
      "  ricochet simultaneous cradle --balls 7\n"
      "  ricochet simultaneous pool-break --ensemble 1000 --svg break.svg\n"
      "  ricochet simultaneous hinged-pendulum --hinges both\n"
      "  ricochet simultaneous tower --method weighted\n"
      "  ricochet simultaneous scenes/falling-rod.toml --ties random --seed 3 --format json");
  command->callback([options, command, &status] {
    const auto given = [&](std::string_view name) { return command->count(std::string(name)) > 0; };
    for (const std::string_view name : sequence_option_names())
      if (given(name)) options->sequence_only = name;
    for (const std::string_view name : ensemble_option_names())
      if (given(name)) options->ensemble_only = name;
    status = Simultaneous(*options).run();
  });
}

}  // namespace ricochet::app
