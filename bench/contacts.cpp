/// Time, energy and worst remaining approach of a struck crystal of balls, 13 to 95 233 contacts, by the sequence, by
/// methods that solve all contacts at once, and by other libraries. One run, one machine, one table.

#include "contacts.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>
#include <sstream>
#include <thread>
#include <tuple>

#include "ricochet/simultaneous/sequence.hpp"
#ifdef BENCH_COMPLEMENTARITY
#include "ricochet/complementarity/anitescu_potra.hpp"
#include "ricochet/complementarity/weighted.hpp"
#endif

namespace ricochet::bench {

Crystal crystal(std::size_t n, double e, double mu) {
  Crystal c{.arrangement = {}, .e = e, .mu = mu};
  const double r = c.radius;
  const Law law = ChatterjeeRuina{.e = c.e, .e_t = 0, .mu = c.mu};
  const auto ball = [](double mass, double radius, const Vec3& position, const Vec3& velocity) {
    return RigidBody{.mass = mass,
                     .inertia = 0.4 * mass * radius * radius * Mat3::Identity(),
                     .position = position,
                     .velocity = velocity};
  };
  const auto at = [n](std::size_t i, std::size_t j, std::size_t k) { return (i * n + j) * n + k; };
  auto& bodies = c.arrangement.bodies;
  auto& contacts = c.arrangement.contacts;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k)
        bodies.push_back(ball(0.03, r,
                              2 * r * Vec3(static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)),
                              Vec3::Zero()));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t here = at(i, j, k);
        const Vec3& p = bodies[here].position;
        if (i + 1 < n) contacts.push_back({here, at(i + 1, j, k), p + r * Vec3::UnitX(), Vec3::UnitX(), law});
        if (j + 1 < n) contacts.push_back({here, at(i, j + 1, k), p + r * Vec3::UnitY(), Vec3::UnitY(), law});
        if (k + 1 < n) contacts.push_back({here, at(i, j, k + 1), p + r * Vec3::UnitZ(), Vec3::UnitZ(), law});
      }
  const std::size_t middle = at(0, n / 2, n / 2);
  const Vec3 from = Vec3(-1, 0.21, 0.13).normalized();  // off the axes: no ties
  const Vec3 struck = bodies[middle].position;
  bodies.push_back(ball(0.3, c.striker_radius, struck + (r + c.striker_radius) * from, -5 * from));
  contacts.push_back({bodies.size() - 1, middle, struck + r * from, -from, law});
  return c;
}

namespace {

using Clock = std::chrono::steady_clock;

double energy(const std::vector<RigidBody>& bodies) {
  double E = 0;
  for (const RigidBody& b : bodies) E += kinetic_energy(b);
  return E;
}

double worst_approach(const Crystal& c, const std::vector<RigidBody>& bodies) {
  double worst = 0;
  for (const ContactSpec& t : c.arrangement.contacts)
    worst = std::max(
        worst, -t.n.normalized().dot(velocity_at(bodies[t.second], t.point) - velocity_at(bodies[t.first], t.point)));
  return worst;
}

/// Solves with `resolve`, which returns u or an error.
template <class Resolve>
Answer timed(const Crystal& c, Resolve resolve) {
  const auto assembled = assemble(c.arrangement);
  if (!assembled) return {.seconds = 0, .bodies = {}, .note = assembled.error().message()};
  const auto begin = Clock::now();
  const auto found = resolve(assembled->problem);
  Answer out;
  out.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (!found) {
    out.note = found.error().code == ErrorCode::out_of_range ? found.error().allowed : found.error().message();
    return out;
  }
  out.bodies = moved(c.arrangement, *assembled, found->u);
  return out;
}

Answer by_sequence(const Crystal& c) {
  Answer out = timed(c, [&](const Problem& p) -> Expected<Resolution> {
    auto found = resolve(p);
    if (found && found->status == SequenceStatus::does_not_settle)
      return fail(ErrorCode::not_converged, "sequence", std::string(name(found->status)),
                  std::string(describe(found->end)));
    return found;
  });
  return out;
}

struct Solver {
  std::string name;
  std::function<Answer(const Crystal&)> solve;
};

std::vector<Solver> solvers() {
  std::vector<Solver> list;
  list.push_back({"ricochet, sequence", by_sequence});
#ifdef BENCH_COMPLEMENTARITY
  list.push_back({"ricochet, anitescu-potra", [](const Crystal& c) {
                    return timed(c, [](const Problem& p) { return resolve_anitescu_potra(p); });
                  }});
  list.push_back({"ricochet, weighted",
                  [](const Crystal& c) { return timed(c, [](const Problem& p) { return resolve_weighted(p); }); }});
  list.push_back({"Siconos, NSGS", by_siconos});
#endif
#ifdef BENCH_SIMBODY
  list.push_back({"Simbody, PLUS", by_simbody});
#endif
#ifdef BENCH_BULLET
  for (const int iterations : {10, 1000})
    list.push_back({fmt::format("Bullet, {} iterations", iterations),
                    [iterations](const Crystal& c) { return by_bullet(c, iterations); }});
#endif
#ifdef BENCH_MUJOCO
  list.push_back({"MuJoCo, Newton", [](const Crystal& c) { return by_mujoco(c, MujocoSolver::newton); }});
  list.push_back({"MuJoCo, CG", [](const Crystal& c) { return by_mujoco(c, MujocoSolver::conjugate_gradients); }});
#endif
  return list;
}

/// One line of the report: numbers where there is an answer, else why there is none.
struct Measured {
  std::optional<double> seconds, energy, approach;
  std::string note;
};

std::string to_text(const Measured& m) {
  const auto number = [](const std::optional<double>& x) { return x ? fmt::format("{:.17g}", *x) : std::string("-"); };
  return fmt::format("{} {} {} {}", number(m.seconds), number(m.energy), number(m.approach), m.note);
}

Measured from_text(const std::string& text) {
  Measured out;
  std::istringstream in(text);
  for (std::optional<double>* x : {&out.seconds, &out.energy, &out.approach}) {
    std::string word;
    in >> word;
    if (word != "-") *x = std::stod(word);
  }
  std::getline(in >> std::ws, out.note);
  return out;
}

/// Median time of as many solutions as fit into a moment, one at least.
Measured measure(const Solver& solver, const Crystal& c) {
  constexpr double moment = 0.3;
  constexpr std::size_t most = 51;
  std::vector<double> times;
  Answer answer;
  double sum = 0;
  const auto begin = Clock::now();
  do {
    answer = solver.solve(c);
    if (answer.bodies.empty()) return {.seconds = {}, .energy = {}, .approach = {}, .note = answer.note};
    times.push_back(answer.seconds);
    sum += answer.seconds;
    // Making the problem may take much longer than solving it.
  } while (sum < moment && times.size() < most && Clock::now() - begin < std::chrono::seconds(2));
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return {.seconds = times[times.size() / 2],
          .energy = energy(answer.bodies) / energy(c.arrangement.bodies),
          .approach = worst_approach(c, answer.bodies),
          .note = answer.note};
}

/// In a process of its own, which may end, run out of memory or be stopped without harm to the rest of the table.
Measured measure_apart(const Solver& solver, const Crystal& c, double limit) {
  const auto failed = [](std::string why) {
    return Measured{.seconds = {}, .energy = {}, .approach = {}, .note = std::move(why)};
  };
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return failed("no pipe");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return failed("no process");
  if (child == 0) {
    close(ends[0]);
    // Debian's build of Simbody prints diagnostics.
    if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(1);
    alarm(static_cast<unsigned>(std::ceil(limit)));  // ends the process
    const std::string text = to_text(measure(solver, c));
    const bool sent = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = read(ends[0], part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    return failed(WTERMSIG(status) == SIGALRM ? fmt::format("stopped after {:.3g} s", limit)
                                              : fmt::format("ended by signal {}", WTERMSIG(status)));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || text.empty()) return failed("ended without an answer");
  return from_text(text);
}

std::string json(const std::optional<double>& x) { return x ? fmt::format("{:.17g}", *x) : "null"; }

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

}  // namespace

/// Each solver runs on increasing sizes until it fails.
int run(double limit) {
  const std::vector<Solver> all = solvers();
  fmt::print("{{\"limit\": {}, \"cores\": {}, \"compiler\": {}, \"flags\": {}, \"absent\": {}, \"results\": [", limit,
             std::thread::hardware_concurrency(), quoted(BENCH_COMPILER), quoted(BENCH_FLAGS), quoted(BENCH_ABSENT));
  bool first = true;
  for (const auto& [scene, e, mu] : {std::tuple{"rough", 0.5, 0.2}, std::tuple{"elastic", 1.0, 0.0}}) {
    std::set<std::string> done;
    for (const std::size_t n : {2, 3, 4, 6, 8, 10, 15, 32}) {
      const Crystal c = crystal(n, e, mu);
      for (const Solver& solver : all) {
        if (done.count(solver.name) > 0) continue;
        const Measured m = measure_apart(solver, c, limit);
        if (!m.seconds) done.insert(solver.name);
        fmt::print(
            "{}\n{{\"scene\": \"{}\", \"contacts\": {}, \"solver\": {}, \"seconds\": {}, \"energy\": {}, "
            "\"approach\": {}, \"note\": {}}}",
            first ? "" : ",", scene, c.arrangement.contacts.size(), quoted(solver.name), json(m.seconds),
            json(m.energy), json(m.approach), quoted(m.note));
        first = false;
        std::fflush(stdout);
      }
    }
  }
  fmt::print("\n]}}\n");
  return 0;
}

}  // namespace ricochet::bench

/// bench_contacts [SECONDS]: a solver that takes longer over one graph is stopped, and is not asked for larger ones.
int main(int argc, char** argv) {
  const double limit = argc > 1 ? std::atof(argv[1]) : 20;
  if (!(limit > 0)) return std::fputs("bench_contacts [SECONDS], a positive number\n", stderr), 2;
  return ricochet::bench::run(limit);
}
