#include "puzzle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>
#include <stdexcept>
#include <string_view>

#include "ricochet/mechanism/systems.hpp"

namespace ricochet::kane {
namespace {

Lagrangian system() {
  const Rod rod{puzzle().length, puzzle().mass};
  return double_pendulum_absolute(rod, rod);
}

template <class T>
T value(Expected<T> x) {
  if (!x) throw std::logic_error("the puzzle itself: " + x.error().message());
  return *std::move(x);
}

double apart(const Mat2& A, const Mat2& B) { return (A - B).norm() / B.norm(); }

struct Agreement {
  double mass, W, V, energy;

  [[nodiscard]] double worst() const { return std::max({mass, W, V, energy}); }
};

Agreement compare(const Model& model) {
  const Model ours = reference();
  return {apart(model.mass, ours.mass), apart(model.W, ours.W), (model.V - ours.V).norm() / ours.V.norm(),
          std::abs(model.energy - ours.energy) / ours.energy};
}

nlohmann::json strike(const Variant& variant, const Case& c) {
  const double speed = reference().V.norm();
  nlohmann::json row{{"e", c.e}, {"mu", c.mu}};
  Vec2 before = Vec2::Zero();
  double change = std::numeric_limits<double>::infinity();
  for (int level = 0; level < variant.levels; ++level) {
    const MechanismImpact struck = variant.strike(c, level);
    if (!struck.answered) {
      row["why"] = struck.why;
      return row;
    }
    const Vec2 V = tip_velocity(struck.u);
    if (!V.allFinite()) {
      row["why"] = "not a number";
      return row;
    }
    if (level > 0) change = (V - before).norm() / speed;
    before = V;
    row["v_t"] = V.x();
    row["v_n"] = V.y();
    row["energy_change"] = energy(struck.u) - energy(puzzle().u);
    row["step"] = struck.step;
    if (change <= variant.settled) break;
  }
  row["last_change"] = change;
  row["settled"] = change <= variant.settled;
  return row;
}

}  // namespace

const Puzzle& puzzle() {
  static const Puzzle p = [] {
    Puzzle made;
    made.q = Vec2(20, 30) * std::numbers::pi / 180;
    made.elbow = made.length * Vec2(std::sin(made.q(0)), -std::cos(made.q(0)));
    made.tip = made.elbow + made.length * Vec2(std::sin(made.q(1)), -std::cos(made.q(1)));
    made.inertia = made.mass * made.length * made.length / 12;
    return made;
  }();
  return p;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> list{{0.5, 0},   {0.5, 0.2},  {0.5, 0.4}, {0.5, 0.5}, {0.3, 0.5},
                                      {0.7, 0.5}, {0.7, 0.63}, {1, 0.5},   {0, 0.5}};
  return list;
}

Model reference() {
  static const Model model = [] {
    const Response r = value(respond(system(), "floor", puzzle().q, puzzle().u));
    Model made;
    made.mass = value(mass_matrix(system(), puzzle().q));
    made.W << r.W(0, 0), r.W(0, 2), r.W(2, 0), r.W(2, 2);
    made.V = Vec2(r.V.x(), r.V.z());
    made.energy = value(kinetic_energy(system(), puzzle().q, puzzle().u));
    return made;
  }();
  return model;
}

Mat2 absolute_from_relative() { return (Mat2() << 1, 0, 1, 1).finished(); }

double energy(const Vec2& u) { return 0.5 * u.dot(reference().mass * u); }

Vec2 tip_velocity(const Vec2& u) {
  static const Eigen::Matrix<double, 3, 2> J = value(contact_at(system(), "floor", puzzle().q)).J;
  const Eigen::Vector3d V = J * u;
  return {V.x(), V.z()};
}

int run(const Engine& engine, int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: {} FILE\n       {} --check\n", argv[0], argv[0]);
    return 2;
  }
  const bool check_only = std::string_view(argv[1]) == "--check";
  const Vec2 V = reference().V;
  nlohmann::json out{{"engine", engine.name}, {"version", engine.version}, {"v_t", V.x()}, {"v_n", V.y()}};
  bool same = true;
  for (const Variant& variant : engine.variants) {
    nlohmann::json entry{{"name", variant.name}};
    if (variant.model) {
      const Agreement a = compare(variant.model());
      // Written so that NaN fails too.
      const bool fine = a.worst() <= variant.tolerance;
      same = same && fine;
      fmt::print(stderr,
                 "{}: mass matrix {:.1e}, W {:.1e}, tip velocity {:.1e}, energy {:.1e} apart (at most {:.0e}){}\n",
                 variant.name, a.mass, a.W, a.V, a.energy, variant.tolerance, fine ? "" : ": ANOTHER MECHANISM");
      entry["agreement"] = {{"mass", a.mass}, {"W", a.W}, {"V", a.V}, {"energy", a.energy}};
      if (!fine) continue;
    }
    if (check_only) continue;
    entry["rows"] = nlohmann::json::array();
    for (const Case& c : cases()) entry["rows"].push_back(strike(variant, c));
    out["variants"].push_back(std::move(entry));
  }
  if (!check_only) {
    std::ofstream file(argv[1]);
    file << out.dump(1) << '\n';
    if (!file.flush()) {
      fmt::print(stderr, "{}: cannot be written\n", argv[1]);
      return 2;
    }
  }
  return same ? 0 : 1;
}

}  // namespace ricochet::kane
