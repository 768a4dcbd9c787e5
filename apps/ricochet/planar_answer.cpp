#include "planar_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "table.hpp"
#include "text.hpp"

namespace ricochet::app {
namespace {

constexpr std::array<std::string_view, 4> names{"morgan", "shen-townsend", "conventional", "conventional-reversed"};
constexpr int width = 9;

/// Rows of numbers under titles, each column aligned, with words before and behind.
std::string aligned(std::span<const std::string_view> titles, const std::vector<std::vector<double>>& rows,
                    const std::vector<std::string>& before, const std::vector<std::string>& behind, int indent) {
  std::vector<std::vector<std::string>> columns_of_text;
  for (std::size_t c = 0; c < titles.size(); ++c) {
    std::vector<double> column;
    for (const auto& row : rows)
      if (!row.empty()) column.push_back(row[c]);
    columns_of_text.push_back(align(column, width));
  }
  std::string out = fmt::format("{:<{}}", "", indent);
  for (const std::string_view title : titles) out += fmt::format(" {:>{}}", title, width);
  out += "\n";
  std::size_t place = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    out += fmt::format("{:<{}}", before[r], indent);
    if (!rows[r].empty()) {
      for (const auto& column : columns_of_text) out += fmt::format(" {:>{}}", column[place], width);
      ++place;
    }
    out += behind[r].empty() ? "\n" : fmt::format("  {}\n", behind[r]);
  }
  return out;
}

std::string case_name(const PlanarOutcome& o) {
  std::string out(name(o.mode));
  if (const auto path = morgan_path(o.path); !path.empty())
    out += fmt::format(", {}, case {}", path, shen_townsend_case(o.path));
  if (o.energy_change > 0) out += ", gains energy";
  return out;
}

}  // namespace

std::span<const std::string_view> planar_laws() { return names; }

bool is_planar_law(std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); }

Expected<PlanarProblem> in_its_plane(const Response& response) {
  const Vec3& n = response.contact.n;
  Vec3 t = response.V - n.dot(response.V) * n;
  if (t.norm() <= 1e-12 * response.V.norm()) {
    // No slip: the plane is the one that the contact can move in. Where it can move in all, any will do or none.
    const Mat3 across = Mat3::Identity() - n * n.transpose();
    const Mat3 W = across * response.W * across;
    Eigen::Index k = 0;
    W.colwise().norm().maxCoeff(&k);
    t = W.col(k);
    if (!(t.norm() > 0)) t = n.unitOrthogonal();
  }
  t.normalize();
  Eigen::Index largest = 0;
  t.cwiseAbs().maxCoeff(&largest);
  if (t(largest) < 0) t = -t;  // +x, not −x
  return planar_problem(response, t);
}

PlanarAnswer ask_planar(std::string_view law, const Settings& settings, const PlanarProblem& problem) {
  const auto missing = [&](const char* field) {
    return PlanarAnswer{law, fail(field, "", fmt::format("missing, and {} needs it", law))};
  };
  if (!settings.e) return missing("e");
  if (!settings.mu) return missing("mu");
  const double e = *settings.e;
  const double mu = *settings.mu;
  if (settings.mu_s && !(*settings.mu_s >= 0))
    return {law, fail("mu_s", fmt::format("{}", *settings.mu_s), "must be at least mu")};
  const double mu_s = settings.mu_s.value_or(-1);
  if (law == "morgan") return {law, collide(Morgan{e, mu, mu_s}, problem)};
  if (law == "shen-townsend") return {law, collide(ShenTownsend{e, mu, mu_s}, problem)};
  const Opposes opposes = law == "conventional" ? Opposes::initial_slip : Opposes::reversed_slip;
  return {law, collide(Conventional{e, mu, mu_s, opposes}, problem)};
}

std::string planar_table(std::span<const PlanarAnswer> answers) {
  constexpr std::array<std::string_view, 7> titles{"p_n", "p_t", "v_n+", "v_t+", "ΔE", "W_n", "W_t"};
  std::vector<std::vector<double>> rows;
  std::vector<std::string> before;
  std::vector<std::string> behind;
  for (const PlanarAnswer& answer : answers) {
    before.emplace_back(answer.law);
    if (!answer.outcome) {
      rows.emplace_back();
      behind.push_back(
          fmt::format("no answer: {}: {}", printable(answer.outcome.error().field), complaint(answer.outcome.error())));
      continue;
    }
    const PlanarOutcome& o = *answer.outcome;
    rows.push_back(
        {o.p_n, o.p_t, o.states.back().v_n, o.states.back().v_t, o.energy_change, o.normal_work, o.friction_work});
    behind.push_back(case_name(o));
  }
  return aligned(titles, rows, before, behind, 22);
}

std::string planar_states(const PlanarOutcome& outcome) {
  constexpr std::array<std::string_view, 6> titles{"p_n", "p_t", "v_n", "v_t", "E_n", "E_t"};
  std::vector<std::vector<double>> rows;
  std::vector<std::string> before;
  for (const PlanarState& s : outcome.states) {
    rows.push_back({s.p_n, s.p_t, s.v_n, s.v_t, s.E_n, s.E_t});
    before.emplace_back(name(s.pause));
  }
  return aligned(titles, rows, before, std::vector<std::string>(rows.size()), 12);
}

Json to_json(const PlanarAnswer& answer) {
  Json out{{"law", answer.law}};
  if (!answer.outcome) {
    out["error"] = to_json(answer.outcome.error());
    return out;
  }
  const PlanarOutcome& o = *answer.outcome;
  out["P"] = to_json(o.P);
  out["p_n"] = o.p_n;
  out["p_t"] = o.p_t;
  out["energy_change"] = o.energy_change;
  out["normal_work"] = o.normal_work;
  out["friction_work"] = o.friction_work;
  out["mode"] = name(o.mode);
  out["morgan_path"] = morgan_path(o.path);
  out["shen_townsend_case"] = shen_townsend_case(o.path);
  out["p_c"] = to_json(o.p_c);
  out["p_star"] = to_json(o.p_star);
  out["hold"] = to_json(o.hold);
  out["jammed"] = o.jammed;
  Json states = Json::array();
  for (const PlanarState& s : o.states) {
    Json u = Json::array();
    for (const double x : s.u) u.push_back(to_json(x));
    states.push_back({{"pause", name(s.pause)},
                      {"p_n", s.p_n},
                      {"p_t", s.p_t},
                      {"v_n", s.v_n},
                      {"v_t", s.v_t},
                      {"E_n", s.E_n},
                      {"E_t", s.E_t},
                      {"u", std::move(u)}});
  }
  out["states"] = std::move(states);
  return out;
}

}  // namespace ricochet::app
