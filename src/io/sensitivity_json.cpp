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
      for (std::size_t part = 0; part < state_parts.size(); ++part) {
        Json by = Json::object();
        for (std::size_t k = 0; k < s.inputs.size(); ++k) {
          Json rows = Json::array();
          for (int i = 0; i < 3; ++i)
            rows.push_back(columns_json(s.state.row(static_cast<Eigen::Index>(12 * b + 3 * part) + i), s.inputs[k]));
          by[names[k]] = std::move(rows);
        }
        body[std::string(state_parts[part])] = std::move(by);
      }
      state[bodies[s.bodies[b]]] = std::move(body);
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
  for (std::size_t b = 0; b < s.bodies.size(); ++b) {
    const auto row = static_cast<Eigen::Index>(12 * b);
    for (const motion::SensitivityInput& input : s.inputs) {
      if (input.body >= 0 && input.name != "mass") continue;
      for (int c = 0; c < input.count; ++c) {
        const auto column = s.state.col(input.first + c).segment<3>(row);
        const std::string name = name_of(input, world);
        const std::string by =
            printable(input.count == 1
                          ? name
                          : fmt::format("{}.{}", name, std::string_view("xyz").substr(static_cast<std::size_t>(c), 1)));
        const std::string body = printable(world.bodies[s.bodies[b]].name);
        if (column.allFinite())
          out += fmt::format("  {:<12} by {:<16} {:>13.6g} {:>13.6g} {:>13.6g}\n", body, by, column(0), column(1),
                             column(2));
        else
          out += fmt::format("  {:<12} by {:<16} none\n", body, by);
      }
    }
  }
  if (s.projected) out += "  changes of the start are first made to keep its contacts and joints\n";
  return out;
}

}  // namespace ricochet
