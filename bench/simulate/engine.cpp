#include "engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

namespace ricochet::simulate {
namespace {

constexpr double steps[] = {1e-2, 1e-3, 1e-4};

double cpu_seconds() {
  std::timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

long count(const Scene& scene, double dt) { return std::lround(scene.duration / dt); }

/// The largest difference from the scene as it is meant: positions at the start [m] and, where nothing touches yet, the
/// velocity after a step in units of g dt.
double difference(const Scene& scene, const Variant& variant) {
  constexpr double dt = 1e-3;
  const auto engine = variant.make();
  engine->setup(scene, dt);
  std::vector<State> states;
  engine->states(states);
  const std::vector<State> meant = at_start(scene);
  if (states.size() != meant.size()) return std::nan("");
  double worst = 0;
  for (std::size_t i = 0; i < meant.size(); ++i) {
    worst = std::max(worst, (states[i].position - meant[i].position).norm());
    worst = std::max(worst, states[i].velocity.norm());
  }
  if (scene.box) return worst;
  if (!engine->run(1, nullptr, Deadline(60))) return std::nan("");
  engine->states(states);
  const double fall = scene.gravity * dt;
  for (const State& s : states) worst = std::max(worst, (s.velocity + Vec3(0, 0, fall)).norm() / fall);
  return worst;
}

/// The error from a run that is recorded, the time from runs that are not: the median of up to five, in a second.
nlohmann::json measure(const Scene& scene, const Variant& variant, double dt, double limit) {
  nlohmann::json row{{"scene", scene.name}, {"unit", scene.unit}, {"by", variant.name}, {"dt", dt}};
  const long n = count(scene, dt);
  Recorder recorder(scene, dt);
  {
    const auto engine = variant.make();
    engine->setup(scene, dt);
    if (!engine->run(n, &recorder, Deadline(2 * limit))) {
      row["note"] = fmt::format("stopped after {:g} s", 2 * limit);
      return row;
    }
  }
  if (recorder.seen() != n) {
    row["note"] = fmt::format("{} of {} samples", recorder.seen(), n);
    return row;
  }
  std::vector<double> times;
  double sum = 0;
  while (times.size() < 5 && (times.empty() || sum < 1)) {
    const auto engine = variant.make();
    engine->setup(scene, dt);
    const Deadline deadline(2 * limit);
    if (!engine->run(n, nullptr, deadline)) {
      row["note"] = fmt::format("stopped after {:g} s", 2 * limit);
      return row;
    }
    times.push_back(deadline.elapsed());
    sum += times.back();
  }
  std::sort(times.begin(), times.end());
  if (std::isfinite(recorder.error()))
    row["error"] = recorder.error();
  else
    row["note"] = "not a number";
  row["seconds"] = times[times.size() / 2];
  row["runs"] = times.size();
  return row;
}

int usage(const char* program) {
  fmt::print(stderr, "usage: {0} --check\n       {0} FILE [SECONDS [SCENE]]\n", program);
  return 2;
}

int measure_all(const Peer& peer, int argc, char** argv) {
  double limit = 60;
  if (argc > 2) {
    char* end = nullptr;
    limit = std::strtod(argv[2], &end);
    if (*end != '\0' || !(limit > 0)) {
      fmt::print(stderr, "{}: not a number of seconds above 0: {}\n", argv[0], argv[2]);
      return 2;
    }
  }
  const std::string_view only = argc > 3 ? argv[3] : "";
  nlohmann::json out{
      {"engine", peer.name}, {"version", peer.version}, {"limit", limit}, {"takes_steps", peer.takes_steps}};
  out["compiler"] = SIMULATE_COMPILER;
  out["flags"] = SIMULATE_FLAGS;
  out["start"] = std::getenv("RICOCHET_CASES") == nullptr ? "drawn" : "given";
  out["rows"] = nlohmann::json::array();
  bool known = only.empty();
  for (const Scene& scene : scenes(peer.overlap)) {
    if (!only.empty() && scene.name != only) continue;
    known = true;
    for (const Variant& variant : peer.variants(scene)) {
      out["settings"][variant.name] = variant.settings;
      double expected = 0;
      for (const double dt : steps) {
        nlohmann::json row;
        if (expected > limit) {
          row = {{"scene", scene.name}, {"unit", scene.unit}, {"by", variant.name}, {"dt", dt}};
          row["note"] = fmt::format("not run: it would take about {:.0f} s, above {:g} s", expected, limit);
        } else {
          row = measure(scene, variant, dt, limit);
        }
        expected = row.contains("seconds") && peer.takes_steps ? 10 * row["seconds"].get<double>() : expected;
        if (peer.takes_steps && !row.contains("seconds")) expected = 10 * std::max(expected, limit);
        fmt::print(stderr, "{:12} {:32} dt {:.0e}  error {:>10}  {:>9} s  {}\n", scene.name, variant.name, dt,
                   row.contains("error") ? fmt::format("{:.3e}", row["error"].get<double>()) : "-",
                   row.contains("seconds") ? fmt::format("{:.4g}", row["seconds"].get<double>()) : "-",
                   row.value("note", ""));
        out["rows"].push_back(std::move(row));
      }
    }
  }
  if (!known) {
    fmt::print(stderr, "{}: no such scene: {}\n", argv[0], only);
    return 2;
  }
  std::ofstream file(argv[1]);
  file << out.dump(1) << '\n';
  if (!file.flush()) {
    fmt::print(stderr, "{}: cannot be written\n", argv[1]);
    return 2;
  }
  return 0;
}

}  // namespace

Recorder::Recorder(const Scene& scene, double dt)
    : scene_(scene), dt_(dt), start_(scene.box ? 0 : energy(scene, at_start(scene))) {}

void Recorder::see(long i, const std::vector<State>& states) {
  if (i != seen_) throw std::logic_error("samples out of order");
  ++seen_;
  if (!scene_.box) {
    const double off = energy(scene_, states) - start_;
    sum_ += off * off;
    return;
  }
  const Vec3 travelled = static_cast<double>(i) * dt_ * scene_.box->force.normalized();
  sum_ += (states.front().velocity - scene_.a_sphere * travelled).squaredNorm() +
          (states.back().velocity - scene_.a_box * travelled).squaredNorm();
}

Deadline::Deadline(double seconds) : begin_(cpu_seconds()), seconds_(seconds) {}
bool Deadline::over() const { return elapsed() > seconds_; }
double Deadline::elapsed() const { return cpu_seconds() - begin_; }

bool Stepper::run(long steps, Recorder* recorder, const Deadline& deadline) {
  std::vector<State> now;
  for (long i = 0; i < steps; ++i) {
    if (recorder != nullptr) {
      states(now);
      recorder->see(i, now);
    }
    step();
    if (i % 64 == 63 && deadline.over()) return false;
  }
  return true;
}

int run(const Peer& peer, int argc, char** argv) {
  if (argc < 2 || argc > 4) return usage(argv[0]);
  try {
    for (const Scene& scene : scenes(peer.overlap))
      for (const Variant& variant : peer.variants(scene)) {
        const double apart = difference(scene, variant);
        if (apart <= 1e-12) continue;  // written so that NaN fails too
        fmt::print(stderr, "{}, {}: another scene: {:.1e} apart\n", variant.name, scene.name, apart);
        return 1;
      }
    if (std::string_view(argv[1]) != "--check") return measure_all(peer, argc, argv);
    fmt::print(stderr, "{} {}: the scenes are the same\n", peer.name, peer.version);
    return argc == 2 ? 0 : usage(argv[0]);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}: {}\n", argv[0], problem.what());
    return 2;
  }
}

}  // namespace ricochet::simulate
