#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "commands/run_folder.hpp"
#include "commands/simulate_ensemble.hpp"
#include "commands/simulate_input.hpp"
#include "commands/simulate_table.hpp"
#include "ricochet/base/counted.hpp"
#include "ricochet/base/printable.hpp"
#include "ricochet/io/motion_csv.hpp"
#include "ricochet/io/motion_hdf5.hpp"
#include "ricochet/io/motion_json.hpp"
#include "ricochet/io/named_scene.hpp"
#include "ricochet/io/open_scene.hpp"
#include "ricochet/io/sensitivity_json.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/motion/chosen_motion.hpp"
#include "ricochet/report/motion_recorder.hpp"
#include "ricochet/scene/bundled_scenes.hpp"
#include "ricochet/scene/bundled_systems.hpp"
#include "terminal/common_options.hpp"
#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"
#include "terminal/simulation_progress.hpp"

namespace ricochet::app {
namespace {

/// Places in `RunFiles::growing`.
struct MotionFile {
  enum : std::size_t { trajectory, events, ledger };
};
RunFiles motion_files() {
  return {"simulate",
          {"trajectory.csv", "events.csv", "ledger.csv"},
          {"trajectory.h5", "motion.html", "sensitivity.json"},
          "summary.json"};
}

constexpr std::size_t flush_size = std::size_t{1} << 20U;

std::string motion_list() {
  std::string out = "Bundled scenes for motion:\n";
  for (const BundledScene& motion : bundled_motions()) {
    const auto scene = open_motion_scene(std::string(motion.name));
    out += fmt::format("  {:<18} {}\n", motion.name, scene ? scene->title : "");
  }
  out += "Those of ricochet simultaneous, whose contacts are then found from the shapes:\n ";
  for (const NamedScene& scene : named_scenes()) out += fmt::format(" {}{}", scene.name, scene.counted ? "[:n]" : "");
  out += "\nSystems of ricochet impact, by themselves or as [[robot]] of a scene:\n ";
  for (const Bundled& system : bundled_systems()) out += fmt::format(" {}", system.name);
  return out + "\nOr the name of a TOML file; see ricochet simulate --help.\n";
}

class Simulate {
 public:
  explicit Simulate(const SimulateOptions& options) : options_(options), input_(options) {}

  int run() {
    if (options_.scene.empty()) return print_out(motion_list());
    if (options_.ensemble > 0) return simulate_ensemble(options_);
    if (const int status = input_.check(); status != 0) return status;
    if (const int status = input_.read(); status != 0) return status;
    notes_ = input_.notes();
    for (const motion::WorldBody& body : input_.world().bodies) names_.push_back(body.name);
    if (!options_.out.empty())
      if (const int status = look(); status != 0 || done_) return status;
    if (const int status = start(); status != 0) return status;
    if (const auto written = simulate(); !written) return refuse_output(written.error());
    if (options_.sensitivity)
      if (const int status = differentiate(); status != 0) return status;
    if (const auto written = finish(); !written) return refuse_output(written.error());
    if (recorder_)
      if (const int status = write_motion(); status != 0) return status;
    return print();
  }

 private:
  /// What determines every byte of the output.
  [[nodiscard]] Json identity() const {
    Json out = input_.identity(input_.sample());
    if (options_.sensitivity) out["sensitivity"] = true;
    return out;
  }

  /// Whether the folder can be written, and what is in it.
  int look() {
    auto folder = RunFolder::look(motion_files(), options_.out, identity(), options_.force);
    if (!folder) return refuse(options_.out, 0, folder.error());
    folder_.emplace(*std::move(folder));
    const auto occupied = [&](const char* why) {
      return refuse(options_.out, 0, Error{ErrorCode::conflict, "", "", why});
    };
    if (options_.force) return 0;
    switch (folder_->state()) {
      case RunFolder::State::empty: return 0;
      case RunFolder::State::occupied:
        return occupied("has other files; name a new or empty folder, or write into it with --force");
      case RunFolder::State::unfinished:
        if (!options_.resume)
          return occupied("holds a run that is not finished; --resume continues it, --force replaces it");
        break;
      case RunFolder::State::finished:
        if (!options_.resume) return occupied("holds a finished run; --force replaces it");
        break;
    }
    if (const auto same = folder_->same_run(); !same) return refuse(options_.out, 0, same.error());
    if (folder_->state() == RunFolder::State::finished) {
      done_ = true;
      fmt::print(stderr, "{}: this run is finished already\n", printable(options_.out));
    } else {
      resumed_ = true;
    }
    return 0;
  }

  int start() {
    auto simulation = motion::ChosenMotion::make(std::move(input_.world()), resumed_ ? &folder_->checkpoint() : nullptr,
                                                 input_.method());
    if (!simulation)
      return resumed_ ? refuse(options_.out, 0, simulation.error()) : input_.refuse_scene(simulation.error());
    simulation_.emplace(*std::move(simulation));
    if (!folder_) return 0;
    const auto opened = resumed_ ? folder_->resume() : folder_->begin(simulation_->checkpoint());
    if (!opened) return refuse_output(opened.error());
    return 0;
  }

  void add_sample(double time, const std::vector<motion::Pose>& poses) {
    text_.clear();
    append_trajectory_row(text_, time, poses);
    put(MotionFile::trajectory);
  }
  void add_event(const motion::Event& event) {
    if (!folder_) {
      if (recorder_) recorder_->add_event(event);
      summary_.add(event);
      if (options_.format == "json") events_.push_back(event);
      return;
    }
    text_.clear();
    append_event_row(text_, event, names_);
    put(MotionFile::events);
  }
  void add_ledger() {
    if (recorder_) recorder_->add_losses(simulation_->time(), simulation_->ledger().lost_to_friction);
    if (!folder_) return;
    text_.clear();
    append_ledger_row(text_, simulation_->time(), simulation_->ledger());
    put(MotionFile::ledger);
  }
  /// Keeps the first failure to write, at which the run ends after its piece.
  void put(std::size_t file) {
    folder_->append(file, std::string_view(text_.data(), text_.size()));
    appended_ += text_.size();
    if (appended_ < flush_size || !written_) return;
    written_ = folder_->flush();
    appended_ = 0;
  }

  Expected<void> simulate() {
    const std::uint64_t done = resumed_ ? folder_->pieces() : 0;
    SimulationProgress progress(simulation_->time(), options_.until);
    std::uint64_t events = 0;
    motion::Observer observer;
    observer.event = [&](const motion::Event& event) {
      add_event(event);
      progress.update(event.time, ++events);
    };
    if (!options_.motion.empty()) {
      recorder_.emplace(title(), simulation_->world());
      recorder_->add_sample(0, simulation_->poses());
      add_ledger();
    }
    if (folder_ || recorder_)
      observer.sample = [&](double time, const std::vector<motion::Pose>& poses) {
        if (recorder_) recorder_->add_sample(time, poses);
        if (folder_) add_sample(time, poses);
        progress.update(time, events);
      };
    if (folder_) {
      if (done == 0) {
        folder_->append(MotionFile::trajectory, trajectory_csv_header(names_));
        folder_->append(MotionFile::events, events_csv_header);
        folder_->append(MotionFile::ledger, ledger_csv_header);
        add_sample(0, simulation_->poses());
        add_ledger();
      }
    }
    auto saved = std::chrono::steady_clock::now();
    for (std::uint64_t k = done + 1; k <= motion_pieces && !summary_.stopped && !summary_.limited; ++k) {
      const auto went =
          simulation_->run(piece_end(k, options_.until), observer, folder_ || recorder_ ? input_.sample() : 0);
      if (!went) summary_.stopped = went.error();
      summary_.limited = options_.max_events > 0 && simulation_->events() >= options_.max_events;
      add_ledger();
      if (!written_) return written_;
      const auto now = std::chrono::steady_clock::now();
      if (!folder_ || summary_.stopped || summary_.limited ||
          std::chrono::duration<double>(now - saved).count() < options_.save_every)
        continue;
      if (const auto fine = folder_->save(k, simulation_->checkpoint()); !fine) return fine;
      saved = std::chrono::steady_clock::now();
    }
    summary_.time = simulation_->time();
    summary_.ledger = simulation_->ledger();
    add_statistics();
    return {};
  }

  /// How the steps went, where there are any.
  void add_statistics() {
    const auto counts = simulation_->statistics();
    if (!counts) return;
    steps_ = Json{{"steps", counts->steps},
                  {"contacts", counts->contacts},
                  {"sweeps", counts->sweeps},
                  {"not_converged", counts->not_converged},
                  {"largest_residual", to_json(counts->largest_residual)},
                  {"tempered", counts->tempered},
                  {"largest_overlap", to_json(counts->largest_overlap)}};
    notes_.push_back(fmt::format("{} of {} s; largest overlap {:.3g} m", counted(counts->steps, "step"), input_.step(),
                                 counts->largest_overlap));
    if (counts->not_converged > 0)
      notes_.push_back(fmt::format(
          "{} did not converge, the first at {:.9g} s: its impulses are off by speeds up to {:.2g} m/s",
          counted(counts->not_converged, "step"), counts->first_not_converged_time, counts->largest_residual));
  }

  /// --sensitivity: up to the time that was reached.
  int differentiate() {
    const motion::World& world = simulation_->world();
    const auto found = motion::simulate_with_sensitivity(world, summary_.time);
    if (!found) return input_.refuse_scene(found.error());
    sensitivity_ = to_json(*found, world);
    sensitivity_text_ = to_text(*found, world);
    if (!folder_) return 0;
    const std::string target = folder_->path_of("sensitivity.json");
    std::ofstream out(target, std::ios::binary | std::ios::trunc);
    out << pretty(sensitivity_);
    out.close();
    if (out) return 0;
    return refuse_output(Error{ErrorCode::file_access, "", "", target + ": cannot be written"});
  }

  /// The files that are made of the whole.
  Expected<void> finish() {
    if (!folder_) return {};
    if (const auto flushed = folder_->flush(); !flushed) return flushed;
    const std::string events = folder_->path_of(motion_files().growing[MotionFile::events]);
    const auto read = read_events_csv(events, names_, [&](const motion::Event& event) {
      summary_.add(event);
      if (options_.format == "json") events_.push_back(event);
    });
    if (!read) return read;
    if (have_hdf5()) {
      const std::string target = folder_->path_of("trajectory.h5"), partial = target + ".partial";
      const auto written = write_motion_hdf5(
          partial, {folder_->path_of(motion_files().growing[MotionFile::trajectory]), events, names_});
      if (!written) return written;
      std::error_code problem;
      std::filesystem::rename(partial, target, problem);
      if (problem) return fail(ErrorCode::file_access, "", "", target + ": cannot be written: " + problem.message());
    } else {
      notes_.emplace_back("trajectory.h5 is left out: this program was built without HDF5 (libhdf5-dev)");
    }
    if (const auto page = write_page(); !page) return page;
    Json summary{{"scene", to_json(input_.scene())}};
    if (!steps_.is_null()) summary["stepping"] = steps_;
    summary.update(to_json(summary_, names_));
    return folder_->finish(std::move(summary));
  }

  [[nodiscard]] std::string title() const {
    return input_.scene().title.empty() ? options_.scene : input_.scene().title;
  }

  /// motion.html: the viewer with this motion.
  Expected<void> write_page() {
    MotionRecorder recorder(title(), simulation_->world());
    const auto path = [&](std::size_t file) { return folder_->path_of(motion_files().growing[file]); };
    if (const auto read = read_numbers_csv(path(MotionFile::ledger), 8,
                                           [&](std::span<const double> row) { recorder.add_losses(row[0], row[5]); });
        !read)
      return read;
    if (const auto read = read_events_csv(path(MotionFile::events), names_,
                                          [&](const motion::Event& event) { recorder.add_event(event); });
        !read)
      return read;
    if (const auto read =
            read_trajectory_csv(path(MotionFile::trajectory), names_.size(),
                                [&](std::span<const double> row) { recorder.add_sample(row[0], poses_in(row)); });
        !read)
      return read;
    if (recorder.overflows()) {
      notes_.push_back(fmt::format("motion.html is left out: {} samples are too many for a page; --sample takes fewer",
                                   recorder.samples()));
      return {};
    }
    const MotionDocument document = std::move(recorder).finish();
    if (const auto fine = check(document); !fine) return fine;
    const std::string target = folder_->path_of("motion.html");
    std::ofstream out(target, std::ios::binary | std::ios::trunc);
    out << motion_page(document);
    out.close();
    if (!out) return fail(ErrorCode::file_access, "", "", target + ": cannot be written");
    return {};
  }

  static std::vector<motion::Pose> poses_in(std::span<const double> row) {
    std::vector<motion::Pose> out;
    for (std::size_t at = 1; at + numbers_of_pose <= row.size(); at += numbers_of_pose) {
      const double* x = row.data() + at;
      out.push_back({{x[0], x[1], x[2]}, {x[3], x[4], x[5], x[6]}, {x[7], x[8], x[9]}, {x[10], x[11], x[12]}});
    }
    return out;
  }

  /// --motion: the document, or a page with it; the status.
  int write_motion() {
    if (recorder_->overflows())
      return refuse("--motion", 0,
                    Error{ErrorCode::out_of_range, "", fmt::format("{} samples", recorder_->samples()),
                          "are too many for a page; --sample takes fewer"});
    const MotionDocument document = std::move(*recorder_).finish();
    if (const auto fine = check(document); !fine) return refuse_output(fine.error());
    return write_out(options_.motion, is_page(options_.motion) ? motion_page(document) : write_json(document));
  }
  static bool is_page(const std::string& file) { return file.ends_with(".html") || file.ends_with(".htm"); }

  [[nodiscard]] std::string json_text() const {
    Json whole{{"run", identity()}, {"notes", notes_}, {"scene", to_json(input_.scene())}};
    if (!steps_.is_null()) whole["stepping"] = steps_;
    if (!sensitivity_.is_null()) whole["sensitivity"] = sensitivity_;
    whole.update(to_json(summary_, names_));
    whole.erase("first_events");
    whole.erase("last_events");
    // The events one by one: a million of them as one document would take gigabytes.
    std::string out = pretty(whole);
    out.erase(out.rfind('}'));
    out.erase(out.find_last_not_of(" \n") + 1);
    out += ",\n  \"events\": [";
    for (std::size_t i = 0; i < events_.size(); ++i)
      out += (i == 0 ? "\n    " : ",\n    ") + to_json(events_[i], names_).dump();
    return out + (events_.empty() ? "]\n}\n" : "\n  ]\n}\n");
  }

  [[nodiscard]] int print() const {
    std::string text = options_.format == "json"
                           ? json_text()
                           : simulate_table(input_.scene(), simulation_->world(), summary_, notes_);
    if (options_.format != "json") text += sensitivity_text_;
    if (folder_ && options_.format != "json") text += fmt::format("\nwritten to {}\n", printable(options_.out));
    if (const int status = write_out(options_.output, text); status != 0) return status;
    if (!summary_.stopped) return 0;
    fmt::print(stderr, "{}: no motion follows after {} s: {}\n", printable(options_.scene), to_text(summary_.time),
               summary_.stopped->message());
    if (options_.method == "events" && summary_.stopped->code == ErrorCode::not_converged)
      fmt::print(stderr,
                 "{}: --method time-stepping resolves all contacts of a step together, and does not need the order or "
                 "the times of single events\n",
                 printable(options_.scene));
    return failed_to_write;
  }

  const SimulateOptions& options_;
  SimulateInput input_;
  std::vector<std::string> names_, notes_;
  std::optional<RunFolder> folder_;
  std::optional<motion::ChosenMotion> simulation_;
  std::optional<MotionRecorder> recorder_;  ///< for --motion
  bool resumed_ = false, done_ = false;
  MotionSummary summary_;
  Json steps_;        ///< of time stepping
  Json sensitivity_;  ///< where it is wanted
  std::string sensitivity_text_;
  std::vector<motion::Event> events_;  ///< kept for JSON only
  fmt::memory_buffer text_;
  std::size_t appended_ = 0;
  Expected<void> written_;
};

}  // namespace

void add_simulate(Program& program, int& status) {
  const CommandLine command = add_command(program, "simulate");
  auto options = std::make_shared<SimulateOptions>();
  command.add_option(
      "SCENE", options->scene,
      "TOML file, - for standard input, a robot file (URDF or MJCF), or a bundled scene or system; without it: the "
      "list of those");
  command.add_option("--law", options->law, "a law for every pair of bodies, with the pair's own parameters")
      .type_name("NAME");
  add_set_option(command, options->sets, "a law parameter of every pair, overrides the file; may be repeated");
  command
      .add_option("--height", options->height, "from which a robot falls [m]; by default it starts as its file has it")
      .type_name("H");
  command
      .add_option("--method", options->method,
                  "events: each at its own time (default); time-stepping: equal steps, for dense piles; compliant: "
                  "spring-sledge contacts in place of laws")
      .among({"events", "time-stepping", "compliant"})
      .type_name("NAME");
  command.add_option("--step", options->step, "step of time-stepping [s], 1e-3 by default").type_name("H");
  command
      .add_option("--stiffness", options->stiffness,
                  "of compliant contacts [N/m], overrides stiffness of [compliance] in the file")
      .type_name("C");
  command.add_option("--until", options->until, "simulated time [s], 10 by default").type_name("T");
  command
      .add_option("--sample", options->sample,
                  "time between rows of the trajectory [s], until/1000 by default; 0: only at events")
      .type_name("S");
  command
      .add_option("--out", options->out,
                  "folder for trajectory, events, energies and summary, or for the members of an ensemble")
      .type_name("DIR");
  command
      .add_option(
          "--motion", options->motion,
          "the motion for the viewer: a page that plays it (.html), or the document that explore and report take")
      .type_name("FILE");
  command.add_flag("--sensitivity", options->sensitivity,
                   "derivatives of the state at the end and of the times of events by the start, masses, gravity and "
                   "parameters: in JSON, in sensitivity.json of DIR, and in short in the table");
  command.add_flag("--resume", options->resume, "continue the run in DIR, or begin it where there is none");
  command.add_flag("--force", options->force, "replace the run in DIR");
  command.add_option("--save-every", options->save_every, "seconds of computing between checkpoints, 1 by default")
      .type_name("S");
  command
      .add_option("--ensemble", options->ensemble,
                  "simulate N members, each with its own draw of what is uncertain, and show the spread of their ends")
      .between(std::size_t{1}, std::size_t{10'000'000})
      .type_name("N");
  add_seed_option(command, options->seed, "of the draws of an ensemble, 0 by default");
  command
      .add_option("--uncertainty", options->uncertainty.speed,
                  "of the velocities at the start, relative to the largest, for ensembles; 1e-9 by default")
      .type_name("X");
  command.add_option("--uncertainty-e", options->uncertainty.e, "of every restitution, for ensembles; 0 by default")
      .type_name("X");
  command
      .add_option("--uncertainty-mu", options->uncertainty.mu,
                  "of every friction coefficient, for ensembles; 0 by default")
      .type_name("X");
  command
      .add_option("--uncertainty-position", options->uncertainty.position,
                  "of every freely moving body at the start [m], for ensembles; 0 by default")
      .type_name("X");
  command
      .add_option("--uncertainty-orientation", options->uncertainty.orientation,
                  "of every freely moving body at the start [rad], for ensembles; 0 by default")
      .type_name("X");
  command.add_option("--threads", options->threads, "for ensembles; the result does not depend on it").type_name("N");
  command.add_option("--max-events", options->max_events, "stop after this many events; no limit by default")
      .between(std::size_t{1}, std::size_t{1'000'000'000'000})
      .type_name("N");
  add_format_option(command, options->format, {"table", "json"});
  add_output_option(command, options->output);
  command.footer(
      "An impulse acts on body_b, towards which the normal points.\n"
      "\n"
      "Examples:\n"
      "  ricochet simulate bouncing-ball\n"
      "  ricochet simulate double-pendulum --until 5 --sample 0.01 --out pendulum\n"
      "  ricochet simulate rocking-block --motion block.html\n"
      "  ricochet simulate clattering-rod --law routh --set mu=0.2 --format json\n"
      "  ricochet simulate superball-corridor --until 1 --sensitivity --format json\n"
      "  ricochet simulate robot.urdf --height 0.3 --until 2 --out robot\n"
      "  ricochet simulate pile --method time-stepping --step 1e-3 --until 2\n"
      "  ricochet simulate scene.toml --until 3600 --out run --resume\n"
      "  ricochet simulate bouncing-ball --until 2 --ensemble 1000 --uncertainty 0.1 --uncertainty-e 0.05\n"
      "  mpirun -n 9 ricochet simulate robot.urdf --height 0.3 --until 2 --ensemble 500 --out drops --resume");
  command.callback([options, command, &status] {
    const auto given = [&](std::string_view name) { return command.count(std::string(name)) > 0; };
    for (const char* name : {"--seed", "--uncertainty", "--uncertainty-e", "--uncertainty-mu", "--uncertainty-position",
                             "--uncertainty-orientation", "--threads"})
      if (given(name)) options->ensemble_only = name;
    for (const char* name : {"--sample", "--motion", "--sensitivity"})
      if (given(name)) options->alone_only = name;
    for (const char* name : {"--resume", "--force", "--save-every"})
      if (given(name)) options->folder_only = name;
    options->speed_given = given("--uncertainty");
    status = Simulate(*options).run();
  });
}

}  // namespace ricochet::app
