#include "commands/simulate_ensemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "commands/members_run.hpp"
#include "commands/ranks.hpp"
#include "commands/simulate_table.hpp"
#include "ricochet/base/counted.hpp"
#include "ricochet/base/printable.hpp"
#include "ricochet/io/motion_ensemble_text.hpp"
#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"
#include "terminal/table.hpp"

namespace ricochet::app {
namespace {

constexpr std::size_t most_bodies = 3;  ///< that the table shows

constexpr std::array<OptionOf, 5> uncertainty_options{{{"uncertainty", "--uncertainty"},
                                                       {"uncertainty.e", "--uncertainty-e"},
                                                       {"uncertainty.mu", "--uncertainty-mu"},
                                                       {"uncertainty.position", "--uncertainty-position"},
                                                       {"uncertainty.orientation", "--uncertainty-orientation"}}};

class SimulateEnsemble {
 public:
  explicit SimulateEnsemble(const SimulateOptions& options)
      : options_(options),
        folder_{options.out, options.resume, options.force, options.save_every, options.threads},
        input_(options) {}

  int run() {
    Expected<Ranks> ranks = Ranks::start();
    if (!ranks) return refuse("mpirun", ranks.error());
    ranks_.emplace(*std::move(ranks));
    if (ranks_->rank() == 0) return answer();
    // What is wrong with the input, rank 0 says.
    if (ranks_->broadcast("").empty()) return 0;
    if (const int status = read(); status != 0) return status;
    begin().work();
    return 0;
  }

 private:
  int answer() {
    int status = check_and_read();
    if (status == 0) status = begin().open(identity());
    (void)ranks_->broadcast(status == 0 ? "members" : "");
    if (status != 0) return status;
    auto members = run_->run();
    if (!members) return refuse_output(members.error());
    const motion::MotionStatistics statistics = ensemble_->statistics(*members);
    Json answer{{"notes", input_.notes()}, {"scene", to_json(input_.scene())}};
    answer["reference_speed"] = to_json(ensemble_->reference_speed());
    answer["ensemble"] = to_json(statistics, moving_, *members);
    if (const int finished = run_->finish(answer); finished != 0) return finished;
    if (options_.format != "json") return write_out(options_.output, table(statistics, *members));
    Json whole{{"run", identity()}};
    whole.update(answer);
    return write_out(options_.output, pretty(whole) + "\n");
  }

  int check_and_read() {
    if (const int status = input_.check(); status != 0) return status;
    if (ranks_->count() > 1 && options_.scene == "-")
      return refuse("SCENE", Error{ErrorCode::conflict, "", "-", "must be a file that every rank can read"});
    return read();
  }

  int read() {
    if (const int status = input_.read(); status != 0) return status;
    auto ensemble = motion::MotionEnsemble::make(
        std::move(input_.world()), {options_.seed, options_.uncertainty, options_.until, input_.method()});
    if (!ensemble) {
      const std::string_view option = option_of(ensemble.error(), uncertainty_options);
      return option.empty() ? input_.refuse_scene(ensemble.error()) : refuse(option, ensemble.error());
    }
    ensemble_.emplace(*std::move(ensemble));
    if (options_.speed_given && options_.uncertainty.speed > 0 && ensemble_->reference_speed() == 0)
      return refuse("--uncertainty", Error{ErrorCode::conflict, "", to_text(options_.uncertainty.speed),
                                           "is relative to the largest speed; all is at rest, without gravity"});
    for (const std::size_t i : ensemble_->moving()) moving_.push_back(ensemble_->world().bodies[i].name);
    return 0;
  }

  MembersRun<motion::MotionMember>& begin() {
    return run_.emplace(*ranks_, folder_, options_.ensemble,
                        MemberFormat<motion::MotionMember>{
                            "simulate", "members.csv", motion_members_csv_header(moving_), motion_member_row,
                            [bodies = moving_.size()](const char*& text) { return read_motion_member(text, bodies); }},
                        [this](std::size_t first, std::size_t last, unsigned threads) {
                          return Expected<std::vector<motion::MotionMember>>(ensemble_->members(first, last, threads));
                        });
  }

  /// What determines the members.
  [[nodiscard]] Json identity() const {
    Json out = input_.identity(std::nullopt);
    out["members"] = options_.ensemble;
    out["seed"] = options_.seed;
    const motion::MotionUncertainty& by = options_.uncertainty;
    for (const auto& [key, x] :
         {std::pair{"uncertainty", by.speed}, std::pair{"uncertainty_e", by.e}, std::pair{"uncertainty_mu", by.mu},
          std::pair{"uncertainty_position", by.position}, std::pair{"uncertainty_orientation", by.orientation}})
      out[key] = x;
    return out;
  }

  [[nodiscard]] std::string table(const motion::MotionStatistics& s,
                                  const std::vector<motion::MotionMember>& members) const {
    std::string out = scene_head(input_.scene(), ensemble_->world(), input_.notes());
    out += fmt::format("ensemble of {} until {:.9g} s, seed {}\n", counted(s.members, "member"), options_.until,
                       options_.seed);
    out += "uniform: " + drawn() + "\n";
    std::string ends;
    for (const auto& [end, count] : s.ends) ends += fmt::format("{}{} {}", ends.empty() ? "" : ", ", end, count);
    out += fmt::format("ends: {}\n", ends);
    for (const std::size_t k : s.stopped)
      out += fmt::format("member {}: {} at {:.9g} s{}{}\n", k, members[k].end, members[k].time,
                         members[k].reason.empty() ? "" : ": ", members[k].reason);
    if (s.members - s.reached > s.stopped.size())
      out += fmt::format("{} more did not reach the end\n", s.members - s.reached - s.stopped.size());
    if (s.reached > 0) out += "\n" + rows(spreads(s), 1);
    if (moving_.size() > most_bodies)
      out += fmt::format("{} more: --format json shows all\n", counted(moving_.size() - most_bodies, "body", "bodies"));
    if (!options_.out.empty()) out += fmt::format("\nwritten to {}\n", printable(options_.out));
    return out;
  }

  /// What is uncertain, and by how much.
  [[nodiscard]] std::string drawn() const {
    const motion::MotionUncertainty& by = options_.uncertainty;
    std::string out = fmt::format("velocities ± {:.3g} of {:.4g} m/s{}", by.speed, ensemble_->reference_speed(),
                                  ensemble_->starts_at_rest() ? " (√(g ℓ); all starts at rest)" : "");
    if (by.e > 0) out += fmt::format(", e ± {:.3g}", by.e);
    if (by.mu > 0) out += fmt::format(", mu ± {:.3g}", by.mu);
    if (by.position > 0) out += fmt::format(", positions ± {:.3g} m", by.position);
    if (by.orientation > 0) out += fmt::format(", orientations ± {:.3g} rad", by.orientation);
    return out;
  }

  [[nodiscard]] std::vector<std::vector<std::string>> spreads(const motion::MotionStatistics& s) const {
    std::vector<std::vector<std::string>> out{{"at the end", "mean", "deviation", "min", "median", "max"}};
    const auto number = [](double x) { return compact(x, 12); };
    const auto add = [&](const std::string& what, const motion::Distribution& d) {
      out.push_back({what, number(d.mean), number(d.deviation), number(d.low), number(d.median), number(d.high)});
    };
    const auto share = [&](std::size_t count) {
      return fmt::format("{:.4g} %", 100 * static_cast<double>(count) / static_cast<double>(s.reached));
    };
    add("impacts", s.impacts);
    add("energy [J]", s.energy);
    out.push_back({"all at rest", share(s.at_rest), "", "", "", ""});
    constexpr std::array<const char*, 13> parts{"px [m]",     "py [m]",     "pz [m]",    "qw",       "qx",
                                                "qy",         "qz",         "vx [m/s]",  "vy [m/s]", "vz [m/s]",
                                                "wx [rad/s]", "wy [rad/s]", "wz [rad/s]"};
    for (std::size_t k = 0; k < std::min(moving_.size(), most_bodies); ++k) {
      const std::string name = printable(moving_[k], 30);
      out.push_back({name + " at rest", share(s.bodies[k].at_rest), "", "", "", ""});
      for (std::size_t c = 0; c < parts.size(); ++c) add(fmt::format("{}.{}", name, parts[c]), s.bodies[k].state[c]);
    }
    return out;
  }

  const SimulateOptions& options_;
  const MembersOptions folder_;
  SimulateInput input_;
  std::optional<Ranks> ranks_;
  std::optional<motion::MotionEnsemble> ensemble_;
  std::vector<std::string> moving_;  ///< names of the bodies that are not fixed
  std::optional<MembersRun<motion::MotionMember>> run_;
};

}  // namespace

int simulate_ensemble(const SimulateOptions& options) { return SimulateEnsemble(options).run(); }

}  // namespace ricochet::app
