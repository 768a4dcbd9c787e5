#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "commands/impact.hpp"
#include "commands/ranks.hpp"
#include "commands/simultaneous_members.hpp"
#include "commands/simultaneous_table.hpp"
#include "ricochet/base/read_number.hpp"
#include "ricochet/io/assignments.hpp"
#include "ricochet/io/named_scene.hpp"
#include "ricochet/io/open_scene.hpp"
#include "ricochet/io/scene_result_text.hpp"
#include "ricochet/report/scene_picture.hpp"
#include "ricochet/scene/hints.hpp"
#include "ricochet/scene/scene_laws.hpp"
#include "terminal/common_options.hpp"
#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {
namespace {

struct SimultaneousOptions : SceneOptions {
  std::string scene, format = "table", output, svg, method = "sequence", law;
  std::vector<std::string> sets;
  std::string sequence_only;  ///< an option that was given and goes with sequences only
  std::string ensemble_only;  ///< an option that was given and goes with ensembles only
  std::size_t balls = 0;
  MembersOptions members;
  std::string folder_only;  ///< an option that was given and goes with --out only
};

std::string scene_list() {
  std::string out = "Bundled scenes:\n";
  for (const NamedScene& scene : named_scenes())
    out += fmt::format("  {:<16} {}\n", fmt::format("{}{}", scene.name, scene.counted ? "[:n]" : ""), scene.about);
  return out + "Or the name of a TOML file; see ricochet simultaneous --help.\n";
}

class Simultaneous {
 public:
  explicit Simultaneous(const SimultaneousOptions& options) : options_(options) {
    result_.name = options.scene;
    result_.options = ensemble_options(options);
    result_.uncertainty = options.contacts;
    result_.method = options.method;
  }

  int run() {
    if (options_.ensemble == 0) return answer_alone();
    Expected<Ranks> ranks = Ranks::start();
    if (!ranks) return refuse("mpirun", ranks.error());
    ranks_.emplace(*std::move(ranks));
    if (ranks_->rank() == 0) return answer();
    // What is wrong with the input, rank 0 says.
    if (ranks_->broadcast("").empty()) return 0;
    if (const int status = read(); status != 0) return status;
    if (const int status = change_laws(); status != 0) return status;
    std::optional<MembersRun<EnsembleMember>> run;
    begin(run).work();
    return 0;
  }

 private:
  int answer_alone() {
    if (options_.scene.empty()) return print_out(scene_list());
    if (!options_.members.out.empty())
      return refuse("--out", 0, Error{ErrorCode::conflict, "", "", "goes with --ensemble"});
    if (const int status = check_and_read(); status != 0) return status;
    if (robots_) return strike_robots();
    if (const int status = change_laws(); status != 0) return status;
    if (const int status = resolve_all(); status != 0) return status;
    return show();
  }

  int answer() {
    std::optional<MembersRun<EnsembleMember>> run;
    int status = check_and_read();
    bool robots = status == 0 && robots_;
    if (robots && !options_.members.out.empty())
      status =
          refuse("--out", 0, Error{ErrorCode::conflict, "", "", "goes with scenes of bodies; this one has robots"});
    if (status == 0 && !robots) status = begin_many(run);
    (void)ranks_->broadcast(status == 0 && !robots ? "members" : "");
    if (status != 0) return status;
    if (robots) return strike_robots();
    auto found = run->run();
    if (!found) return report_parameter_error(found.error());
    auto ensemble = ensemble_of(scene().arrangement, ensemble_hinges(), options_.contacts, ensemble_options(options_),
                                *std::move(found));
    if (!ensemble) return report_parameter_error(ensemble.error());
    result_.ensemble = *std::move(ensemble);
    if (const int finished = run->finish(Json::parse(write_json(result_))); finished != 0) return finished;
    return show();
  }

  int begin_many(std::optional<MembersRun<EnsembleMember>>& run) {
    if (ranks_->count() > 1 && options_.scene == "-")
      return refuse("SCENE", 0, Error{ErrorCode::conflict, "", "-", "must be a file that every rank can read"});
    if (const int status = change_laws(); status != 0) return status;
    if (const int status = resolve_all(); status != 0) return status;
    // What determines the members, the answer of the scene itself included.
    const Json identity{{"ricochet", RICOCHET_VERSION},
                        {"scene", options_.scene},
                        {"members", options_.ensemble},
                        {"seed", options_.seed},
                        {"uncertainty", options_.uncertainty},
                        {"uncertainty_e", options_.contacts.e},
                        {"uncertainty_mu", options_.contacts.mu},
                        {"uncertainty_normal", options_.contacts.normal},
                        {"uncertainty_point", options_.contacts.point},
                        {"resolution", options_.resolution},
                        {"answer", fmt::format("{:016x}", sum_of(write_json(result_)))}};
    return begin(run).open(identity);
  }

  MembersRun<EnsembleMember>& begin(std::optional<MembersRun<EnsembleMember>>& run) {
    return run.emplace(*ranks_, options_.members, options_.ensemble, sequence_member_format(),
                       [this](std::size_t first, std::size_t last, unsigned threads) {
                         EnsembleOptions own = ensemble_options(options_);
                         own.threads = threads;
                         return resolve_members(scene().arrangement, ensemble_hinges(), options_.contacts, own, first,
                                                last);
                       });
  }

  [[nodiscard]] Hinges ensemble_hinges() const { return hinges() == "intact" ? Hinges::intact : Hinges::in_sequence; }

  /// Of text, to tell two apart (FNV-1a).
  static std::uint64_t sum_of(std::string_view text) {
    std::uint64_t h = 0xcbf29ce484222325;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return h;
  }

  int check_and_read() {
    if (!sequential() && !options_.sequence_only.empty())
      return refuse(options_.sequence_only, 0, Error{ErrorCode::conflict, "", "", "goes with --method sequence"});
    if (options_.ensemble == 0 && !options_.ensemble_only.empty())
      return refuse(options_.ensemble_only, 0, Error{ErrorCode::conflict, "", "", "goes with --ensemble"});
    if (!sequential() && !options_.hinges.empty() && options_.hinges != "intact")
      return refuse("--hinges", 0, Error{ErrorCode::conflict, "", options_.hinges, "must be intact for this method"});
    if (options_.format == "csv" && options_.ensemble > 0)
      return refuse("--format", 0, Error{ErrorCode::conflict, "", "csv", "has no ensemble; take table or json"});
    if (!options_.folder_only.empty() && options_.members.out.empty())
      return refuse(options_.folder_only, 0, Error{ErrorCode::conflict, "", "", "needs --out DIR"});
    if (options_.members.resume && options_.members.force)
      return refuse("--resume", 0, Error{ErrorCode::conflict, "", "", "excludes --force"});
    return read();
  }

  int show() {
    if (!options_.svg.empty())
      if (const int status = draw(); status != 0) return status;
    return print();
  }

  int read() {
    std::string name = options_.scene;
    if (options_.balls > 0) {
      if (name != "cradle")
        return refuse(
            "--balls", 0,
            Error{ErrorCode::conflict, "", std::to_string(options_.balls), "goes with the bundled scene cradle"});
      name += fmt::format(":{}", options_.balls);
    }
    auto opened = open_any_scene(name);
    if (!opened) return refuse(opened.error());
    if (auto* robots = std::get_if<RobotScene>(&*opened)) {
      robots_ = std::make_shared<const RobotScene>(std::move(*robots));
    } else {
      result_.scene = std::get<Scene>(*std::move(opened));
    }
    return 0;
  }

  /// A scene with robots is one mechanism for `impact`.
  [[nodiscard]] int strike_robots() const {
    const auto only_bodies = [](std::string_view option) {
      return refuse(option, 0, Error{ErrorCode::conflict, "", "", "goes with scenes of bodies; this one has robots"});
    };
    if (options_.format == "csv") return only_bodies("--format csv");
    if (!options_.svg.empty()) return only_bodies("--svg");
    if (!options_.hinges.empty()) return only_bodies("--hinges");
    if (!options_.ensemble_only.empty()) return only_bodies(options_.ensemble_only);
    ImpactOptions impact;
    impact.mechanism.model = options_.scene;
    impact.mechanism.scene = robots_;
    impact.mechanism.law = options_.law;
    impact.mechanism.sets = options_.sets;
    impact.sequence = options_;
    impact.format = options_.format;
    impact.out = options_.output;
    impact.contacts = "all";
    impact.method = options_.method;
    return run_impact(impact);
  }

  /// --set, then --law.
  int change_laws() {
    const auto assignments = read_assignments(options_.sets);
    if (!assignments) return refuse("--set", 0, assignments.error());
    if (options_.law.empty()) {
      const auto fine = set_parameters(scene(), *assignments);
      return fine ? 0 : refuse("--set", 0, fine.error());
    }
    const LawInfo* law = find_law(options_.law);
    if (law == nullptr) return refuse("--law", 0, make_law(options_.law, {}).error());
    for (LawParameters& parameters : scene().settings)
      for (const auto& [name, value] : *assignments)
        if (const auto fine = set(parameters, name, value); !fine) return refuse("--set", 0, fine.error());
    auto made = by_law(scene(), law->name);
    if (!made) {
      for (const auto& [name, value] : *assignments)
        if (made.error().path.ends_with("." + name)) return refuse("--set", 0, made.error());
      return report_parameter_error(made.error());
    }
    scene().arrangement = *std::move(made);
    scene().laws.assign(scene().laws.size(), std::string(law->name));
    return 0;
  }

  Scene& scene() { return result_.scene; }
  [[nodiscard]] bool sequential() const { return options_.method == "sequence"; }
  [[nodiscard]] std::string hinges() const {
    return !options_.hinges.empty() ? options_.hinges : sequential() ? "sequence" : "intact";
  }

  int report_parameter_error(const Error& error) const {
    if (const std::string_view option = option_of(error); !option.empty()) return refuse(option, 0, error);
    return refuse(options_.scene, line_of(result_.scene, error), error);
  }

  int resolve_all() {
    for (const bool intact : {false, true}) {
      if (hinges() != "both" && (hinges() == "intact") != intact) continue;
      auto answer = answer_scene(result_.scene.arrangement, intact ? Hinges::intact : Hinges::in_sequence,
                                 options_.method, sequence_options(options_));
      if (!answer) return report_parameter_error(answer.error());
      result_.answers.push_back(*std::move(answer));
    }
    return 0;
  }

  [[nodiscard]] int draw() const {
    const SceneAnswer& a = result_.answers[0];
    const auto contacts = static_cast<std::ptrdiff_t>(result_.scene.arrangement.contacts.size());
    return write_out(
        options_.svg,
        draw_scene(result_.scene, a.settled() ? std::optional(a.bodies) : std::nullopt,
                   std::vector<Vec3>(a.resolution.G.begin(), a.resolution.G.begin() + contacts), a.verdict()));
  }

  [[nodiscard]] int print() const {
    if (options_.format == "csv")
      for (const std::string& hint : hints(result_.scene)) fmt::print(stderr, "hint: {}\n", hint);
    const std::string text = options_.format == "json"  ? write_json(result_)
                             : options_.format == "csv" ? write_csv(result_)
                                                        : simultaneous_table(result_);
    return write_out(options_.output, text);
  }

  const SimultaneousOptions& options_;
  std::shared_ptr<const RobotScene> robots_;  ///< a scene that has some
  SceneResult result_;
  std::optional<Ranks> ranks_;  ///< of an ensemble
};

}  // namespace

void add_simultaneous(Program& program, int& status) {
  const CommandLine command = add_command(program, "simultaneous");
  auto options = std::make_shared<SimultaneousOptions>();
  command.add_option("SCENE", options->scene,
                     "TOML file, - for standard input, or a bundled scene; without it: the list of those");
  add_format_option(command, options->format, {"table", "json", "csv"});
  command
      .add_option("--method", options->method,
                  "sequence (default), or all contacts at once: lcp, pfeiffer-glocker, anitescu-potra, weighted")
      .among({"sequence", "lcp", "pfeiffer-glocker", "anitescu-potra", "weighted"})
      .type_name("NAME");
  command.add_option("--law", options->law, "a law for every contact, with the contact's own parameters")
      .type_name("NAME");
  add_set_option(command, options->sets, "a law parameter of every contact, overrides the file; may be repeated");
  add_output_option(command, options->output);
  add_scene_options(command, *options);
  command.add_option("--balls", options->balls, "number of balls of the cradle")
      .between(std::size_t{2}, std::size_t{100'000})
      .type_name("N");
  command
      .add_option("--out", options->members.out,
                  "of an ensemble: keeps its members and the answer in this folder, so that it can be resumed")
      .type_name("DIR");
  command.add_flag("--resume", options->members.resume,
                   "continue the ensemble in DIR, or begin it where there is none");
  command.add_flag("--force", options->members.force, "replace the ensemble in DIR");
  command
      .add_option("--save-every", options->members.save_every, "seconds of computing between checkpoints, 1 by default")
      .check([](const std::string& text) {
        const auto x = read_number(text);
        return x && *x >= 0 ? std::string() : text + ": must be a number, at least 0";
      })
      .type_name("S");
  command.add_option("--svg", options->svg, "a picture before and after").type_name("FILE");
  command.footer(
      "An impulse P acts on the second body of its contact, towards which the normal points.\n"
      "\n"
      "Examples:\n"
      "  ricochet simultaneous cradle --balls 7\n"
      "  ricochet simultaneous pool-break --ensemble 1000 --svg break.svg\n"
      "  ricochet simultaneous hinged-pendulum --hinges both\n"
      "  ricochet simultaneous tower --method weighted\n"
      "  ricochet simultaneous falling-rod --law routh --set mu=0.2 --set mu_s=0.5\n"
      "  ricochet simultaneous scenes/falling-rod.toml --ties random --seed 3 --format json");
  command.callback([options, command, &status] {
    const auto given = [&](std::string_view name) { return command.count(std::string(name)) > 0; };
    for (const std::string_view name : sequence_option_names())
      if (given(name)) options->sequence_only = name;
    for (const std::string_view name : ensemble_option_names())
      if (given(name)) options->ensemble_only = name;
    for (const char* name : {"--resume", "--force", "--save-every"})
      if (given(name)) options->folder_only = name;
    options->members.threads = options->threads;
    status = Simultaneous(*options).run();
  });
}

}  // namespace ricochet::app
