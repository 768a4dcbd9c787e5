#include "ricochet/io/sensitivity_json.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "ricochet/base/printable.hpp"
#include "ricochet/io/motion_json.hpp"
#include "ricochet/law/law_table.hpp"

namespace ricochet {
namespace {

constexpr std::array<std::string_view, 4> state_parts{"position", "rotation", "velocity", "angular_velocity"};

Json derivative_or_null(double x) { return std::isfinite(x) ? to_json(x) : Json(nullptr); }

/// Of a number one entry, of a vector a row.
Json columns_json(const Eigen::RowVectorXd& row, const motion::SensitivityInput& input) {
  if (input.count == 1) return derivative_or_null(row(input.first));
  Json out = Json::array();
  for (int i = 0; i < input.count; ++i) out.push_back(derivative_or_null(row(input.first + i)));
  return out;
}

/// Derivatives of `count` rows by every input.
Json rows_json(const motion::Sensitivity& s, const std::vector<std::string>& names, Eigen::Index row, int count) {
  Json by = Json::object();
  for (std::size_t k = 0; k < s.inputs.size(); ++k) {
    Json rows = Json::array();
    for (int i = 0; i < count; ++i) rows.push_back(columns_json(s.state.row(row + i), s.inputs[k]));
    by[names[k]] = std::move(rows);
  }
  return by;
}

/// A robot that is simulated by itself has no name.
std::string name_of(const motion::Mechanism& mechanism) { return mechanism.name.empty() ? "robot" : mechanism.name; }

/// What each speed of a mechanism moves: a link and, where that has several, along or about which axis.
std::vector<std::string> speed_names(const Tree& tree) {
  std::vector<std::string> out;
  for (const Link& link : tree.links) {
    const int count = speed_count(link.joint);
    if (count == 1) out.push_back(link.name);
    if (count == 6)
      for (const char* axis : {"x", "y", "z"}) out.push_back(link.name + "." + axis);
    if (count >= 3)
      for (const char* axis : {"rx", "ry", "rz"}) out.push_back(link.name + "." + axis);
  }
  return out;
}

Json kink_json(const motion::Sensitivity::Kink& kink) { return {{"time", kink.time}, {"what", kink.what}}; }

Json laws_json(const motion::World& world) {
  Json out = Json::array();
  for (std::size_t l = 0; l < world.laws.size(); ++l) {
    Json pairs = Json::array();
    for (std::size_t i = 0; i < world.bodies.size(); ++i)
      for (std::size_t j = i + 1; j < world.bodies.size(); ++j)
        if (&world.law(i, j) == &world.laws[l] && !(world.bodies[i].body.fixed && world.bodies[j].body.fixed))
          pairs.push_back({world.bodies[i].name, world.bodies[j].name});
    out.push_back({{"name", info_of(world.laws[l].law).name}, {"pairs", pairs}});
  }
  return out;
}

}  // namespace

std::string name_of(const motion::SensitivityInput& input, const motion::World& world) {
  if (input.body >= 0) return world.bodies[static_cast<std::size_t>(input.body)].name + "." + input.name;
  if (input.mechanism >= 0) {
    const std::string& own = world.mechanisms[static_cast<std::size_t>(input.mechanism)].name;
    return own.empty() ? input.name : own + "." + input.name;
  }
  if (input.law >= 0 && world.laws.size() > 1) return fmt::format("law[{}].{}", input.law + 1, input.name);
  return input.name;
}

Json to_json(const motion::Sensitivity& s, const motion::World& world) {
  Json out{{"time", s.time}, {"projected", s.projected}};
  if (world.laws.size() > 1) out["laws"] = laws_json(world);
  std::vector<std::string> names, bodies;
  for (const motion::SensitivityInput& input : s.inputs) names.push_back(name_of(input, world));
  for (const motion::WorldBody& body : world.bodies) bodies.push_back(body.name);
  if (s.kink) {
    out["state"] = nullptr;
    out["kink"] = kink_json(*s.kink);
  } else {
    Json state = Json::object();
    for (std::size_t b = 0; b < s.bodies.size(); ++b) {
      Json body = Json::object();
      for (std::size_t part = 0; part < state_parts.size(); ++part)
        body[std::string(state_parts[part])] = rows_json(s, names, static_cast<Eigen::Index>(12 * b + 3 * part), 3);
      state[bodies[s.bodies[b]]] = std::move(body);
    }
    auto row = static_cast<Eigen::Index>(12 * s.bodies.size());
    for (std::size_t m = 0; m < s.dofs.size(); ++m) {
      const motion::Mechanism& mechanism = world.mechanisms[m];
      const int dof = s.dofs[m];
      state[name_of(mechanism)] = {{"speeds", speed_names(mechanism.tree)},
                                   {"q", rows_json(s, names, row, dof)},
                                   {"u", rows_json(s, names, row + dof, dof)}};
      row += 2 * dof;
    }
    out["state"] = std::move(state);
  }
  Json missing = Json::array();
  for (const motion::Sensitivity::Missing& m : s.missing)
    for (std::size_t k = 0; k < s.inputs.size(); ++k)
      if (m.column >= s.inputs[k].first && m.column < s.inputs[k].first + s.inputs[k].count)
        missing.push_back({{"input", names[k]},
                           {"component", m.column - s.inputs[k].first + 1},
                           {"time", m.kink.time},
                           {"what", m.kink.what}});
  out["missing"] = std::move(missing);
  Json events = Json::array();
  for (const motion::EventSensitivity& e : s.events) {
    Json by = Json::object();
    for (std::size_t k = 0; k < s.inputs.size(); ++k) by[names[k]] = columns_json(e.time, s.inputs[k]);
    events.push_back({{"time", e.event.time},
                      {"kind", motion::name(e.event.kind)},
                      {"body_a", bodies[e.event.body_a]},
                      {"body_b", bodies[e.event.body_b]},
                      {"time_by", std::move(by)}});
  }
  out["events"] = std::move(events);
  return out;
}

std::string to_text(const motion::Sensitivity& s, const motion::World& world) {
  if (s.kink) return fmt::format("\nsensitivity: none beyond {:.9g} s: {}\n", s.kink->time, s.kink->what);
  std::string out = fmt::format("\nsensitivity of the positions at {:.9g} s; --format json has all of it\n", s.time);
  const auto table = [&](const std::string& of, Eigen::Index row, int count) {
    for (const motion::SensitivityInput& input : s.inputs) {
      if ((input.body >= 0 && input.name != "mass") || (input.mechanism >= 0 && input.name != "u")) continue;
      for (int c = 0; c < input.count; ++c) {
        const auto column = s.state.col(input.first + c).segment(row, count);
        std::string by = name_of(input, world);
        if (input.mechanism >= 0)
          by += fmt::format("[{}]", c + 1);
        else if (input.count > 1)
          by += fmt::format(".{}", std::string_view("xyz").substr(static_cast<std::size_t>(c), 1));
        out += fmt::format("  {:<12} by {:<16}", printable(of), printable(by));
        if (column.allFinite())
          for (const double x : column) out += fmt::format(" {:>13.6g}", x);
        else
          out += " none";
        out += "\n";
      }
    }
  };
  for (std::size_t b = 0; b < s.bodies.size(); ++b)
    table(world.bodies[s.bodies[b]].name, static_cast<Eigen::Index>(12 * b), 3);
  auto row = static_cast<Eigen::Index>(12 * s.bodies.size());
  for (std::size_t m = 0; m < s.dofs.size(); ++m) {
    table(name_of(world.mechanisms[m]), row, s.dofs[m]);
    row += 2 * s.dofs[m];
  }
  if (s.projected) out += "  changes of the start are first made to keep its contacts and joints\n";
  return out;
}

}  // namespace ricochet
