#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "ricochet/base/read_number.hpp"
#include "ricochet/base/suggest.hpp"
#include "ricochet/compliant/disc_on_disc.hpp"
#include "ricochet/io/assignments.hpp"
#include "ricochet/io/discs_toml.hpp"
#include "ricochet/io/input.hpp"
#include "ricochet/io/json.hpp"
#include "ricochet/io/open_collision.hpp"
#include "ricochet/io/text.hpp"
#include "terminal/common_options.hpp"
#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"
#include "terminal/table.hpp"

namespace ricochet::app {
namespace {

using namespace compliant;

struct DiscOptions {
  std::string scene, out, format = "table";
  std::vector<std::string> sets;
  int samples = 24;
};

/// One instant for each row, common to all kinds of motion.
struct Sheet {
  struct Column {
    std::string_view name, unit;
    std::vector<double> values;
    bool in_table = true;  ///< tables leave out what would make them too wide; CSV and JSON have every column
  };
  std::vector<std::string_view> phase;
  std::vector<Column> columns;
  std::unique_ptr<Json> summary;    ///< numbers of the whole process
  std::vector<std::string> legend;  ///< of the table
  std::string stopped;              ///< why the run ended early; empty where it did not
};

/// The first, the last, the changes of phase, and others evenly spaced until `count` is reached.
template <class Sample, class Phase>
std::vector<Sample> thin(const std::vector<Sample>& all, int count, const Phase& phase) {
  std::vector<bool> keep(all.size(), false);
  long kept = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    keep[i] = i == 0 || i + 1 == all.size() || phase(all[i]) != phase(all[i - 1]) || phase(all[i]) != phase(all[i + 1]);
    kept += keep[i] ? 1 : 0;
  }
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!keep[i]) others.push_back(i);
  const auto wanted = static_cast<std::size_t>(std::max(0L, static_cast<long>(count) - kept));
  const std::size_t taken = std::min(wanted, others.size());
  for (std::size_t k = 0; k < taken; ++k) keep[others[(2 * k + 1) * others.size() / (2 * taken)]] = true;
  std::vector<Sample> out;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (keep[i]) out.push_back(all[i]);
  return out;
}

template <class Sample>
class Filler {
 public:
  Filler(const std::vector<Sample>& samples, Sheet& sheet) : samples_(samples), sheet_(sheet) {}
  template <class Value>
  void operator()(std::string_view column, std::string_view unit, const Value& value, bool in_table = true) {
    Sheet::Column c{column, unit, {}, in_table};
    for (const Sample& s : samples_) c.values.push_back(value(s));
    sheet_.columns.push_back(std::move(c));
  }

 private:
  const std::vector<Sample>& samples_;
  Sheet& sheet_;
};

/// Columns of the motion of the disc that `disc(sample)` gives.
template <class Sample, class DiscOf>
void add_motion(Filler<Sample>& add, const std::array<std::string_view, 12>& names, const DiscOf& disc) {
  const auto part = [&](std::size_t first, std::string_view unit, const auto& vector) {
    for (std::size_t i = 0; i < 3; ++i)
      add(
          names[first + i], unit, [&, i](const Sample& s) { return vector(disc(s))(static_cast<int>(i)); }, false);
  };
  part(0, "m", [](const Disc& d) { return d.position; });
  part(3, "", [](const Disc& d) { return d.axis; });
  part(6, "m/s", [](const Disc& d) { return d.velocity; });
  part(9, "rad/s", [](const Disc& d) { return d.angular_velocity; });
}

constexpr std::array<std::string_view, 12> motion_names{"x",   "y",   "z",   "axis_x",  "axis_y",  "axis_z",
                                                        "v_x", "v_y", "v_z", "omega_x", "omega_y", "omega_z"};
constexpr std::array<std::string_view, 12> motion_names_A{"x_A",      "y_A",       "z_A",       "axis_x_A",
                                                          "axis_y_A", "axis_z_A",  "v_x_A",     "v_y_A",
                                                          "v_z_A",    "omega_x_A", "omega_y_A", "omega_z_A"};
constexpr std::array<std::string_view, 12> motion_names_B{"x_B",      "y_B",       "z_B",       "axis_x_B",
                                                          "axis_y_B", "axis_z_B",  "v_x_B",     "v_y_B",
                                                          "v_z_B",    "omega_x_B", "omega_y_B", "omega_z_B"};

/// What was asked, defaults included, in the keys of the file.
Json inputs(const DiscScene& scene) {
  if (scene.wheel) {
    const Wheel& w = *scene.wheel;
    return {{"duration", scene.run.duration},
            {"wheel",
             {{"radius", w.radius},
              {"mass", w.mass},
              {"inertia", w.inertia},
              {"load", w.load},
              {"stiffness", w.stiffness},
              {"mu", to_json(w.mu)},
              {"velocity", w.velocity},
              {"spin", w.spin},
              {"force", w.force},
              {"torque", w.torque},
              {"deflection", w.deflection}}}};
  }
  Json discs = Json::array();
  for (const Disc& d : scene.discs)
    discs.push_back({{"radius", d.shape.radius},
                     {"half_thickness", d.shape.half_thickness},
                     {"fillet", d.shape.fillet},
                     {"blend", d.shape.blend},
                     {"mass", d.mass},
                     {"inertia", Json::array({d.axial_inertia, d.transverse_inertia})},
                     {"position", to_json(d.position)},
                     {"axis", to_json(d.axis)},
                     {"velocity", to_json(d.velocity)},
                     {"angular_velocity", to_json(d.angular_velocity)}});
  Json out{{"stiffness", scene.contact.stiffness}};
  if (scene.discs.size() == 1) {
    out["kappa"] = scene.contact.kappa;
    out["mu"] = to_json(scene.contact.mu);
    out["drilling"] = scene.contact.drilling;
    out["gravity"] = scene.run.gravity;
  }
  out["duration"] = scene.run.duration;
  out["tolerance"] = scene.run.tolerance;
  out["disc"] = std::move(discs);
  return out;
}

std::string limit_reached(long steps, double time) {
  return fmt::format("the limit of {} integration steps was reached in contact, at {:.6g} s", steps, time);
}

Json motion(const Disc& d) {
  return {{"position", to_json(d.position)},
          {"axis", to_json(d.axis)},
          {"velocity", to_json(d.velocity)},
          {"angular_velocity", to_json(d.angular_velocity)}};
}

/// Fine enough for `count` rows, with or without a duration.
DiscRun sampled(const DiscScene& scene, double mass, int count) {
  DiscRun run = scene.run;
  const double half_period = std::numbers::pi * std::sqrt(mass / scene.contact.stiffness);
  run.sample_interval = run.duration > 0 ? run.duration / (2.0 * count) : half_period / (4.0 * count);
  if (!std::isfinite(run.sample_interval)) run.sample_interval = 0;  // the library reports the error
  return run;
}

double tilt(const Disc& d) { return std::asin(std::min(1.0, std::hypot(d.axis.x(), d.axis.y()))); }

Expected<Sheet> on_plane(const DiscScene& scene, int count) {
  const auto process = collide(scene.discs[0], scene.contact, sampled(scene, scene.discs[0].mass, count));
  if (!process) return tl::unexpected(process.error());
  const auto rows = thin(process->samples, count, [](const PlaneSample& s) { return s.phase; });
  Sheet sheet;
  for (const PlaneSample& s : rows) sheet.phase.push_back(name(s.phase));
  Filler<PlaneSample> add(rows, sheet);
  add("time", "s", [](const auto& s) { return s.t; });
  add("depth", "m", [](const auto& s) { return s.depth; });
  add("tilt", "rad", [](const auto& s) { return tilt(s.disc); });
  add("rim", "", [](const auto& s) { return s.rim; });
  add("N", "N", [](const auto& s) { return s.force.z(); });
  add("Q_x", "N", [](const auto& s) { return s.force.x(); });
  add("Q_y", "N", [](const auto& s) { return s.force.y(); });
  add("drill", "N m", [](const auto& s) { return s.drilling_moment; });
  add("gap_x", "m/s", [](const auto& s) { return s.gap_velocity.x(); });
  add("gap_y", "m/s", [](const auto& s) { return s.gap_velocity.y(); });
  add("kinetic", "J", [](const auto& s) { return s.kinetic; });
  add("weight", "J", [](const auto& s) { return s.potential; });
  add("spring_n", "J", [](const auto& s) { return s.normal_spring; });
  add("spring_t", "J", [](const auto& s) { return s.tangential_spring; });
  add("lost", "J", [](const auto& s) { return s.friction + s.released; });
  add_motion(add, motion_names, [](const PlaneSample& s) { return s.disc; });
  if (process->step_limit) sheet.stopped = limit_reached(process->steps, process->samples.back().t);
  sheet.summary = std::make_unique<Json>(Json{{"kind", "disc on plane"},
                                              {"before", motion(scene.discs[0])},
                                              {"after", motion(process->after)},
                                              {"P", to_json(process->P)},
                                              {"touchdown", process->touchdown},
                                              {"contact_time", process->contact_time},
                                              {"contacts", process->contacts},
                                              {"largest_force", process->largest_force},
                                              {"energy_change", process->energy_change},
                                              {"residual", process->residual},
                                              {"steps", process->steps}});
  sheet.legend = {"depth     of the disc in the plane; negative: the gap",
                  "rim       0: contact on the face, 1: on the edge",
                  "gap       tangential velocity of the contact point; zero in ideal rolling",
                  "energies  kinetic + gravity + springs + lost (by friction) is constant"};
  return sheet;
}

Expected<Sheet> on_disc(const DiscScene& scene, int count) {
  const double mass = 1 / (1 / scene.discs[0].mass + 1 / scene.discs[1].mass);
  const auto process = collide(scene.discs[0], scene.discs[1], scene.contact.stiffness, sampled(scene, mass, count));
  if (!process) return tl::unexpected(process.error());
  const auto phase = [](const DiscPairSample& s) -> std::string_view {
    const bool edge_A = s.gap.rim_A == 1, edge_B = s.gap.rim_B == 1;
    if (!s.touching) return "flight";
    return edge_A ? (edge_B ? "edges" : "A's edge") : edge_B ? "B's edge" : "faces";
  };
  const auto rows = thin(process->samples, count, phase);
  Sheet sheet;
  for (const DiscPairSample& s : rows) sheet.phase.push_back(phase(s));
  Filler<DiscPairSample> add(rows, sheet);
  add("time", "s", [](const auto& s) { return s.t; });
  add("depth", "m", [](const auto& s) { return -s.gap.distance; });
  add("rim_A", "", [](const auto& s) { return s.gap.rim_A; });
  add("rim_B", "", [](const auto& s) { return s.gap.rim_B; });
  add("N", "N", [](const auto& s) { return s.force; });
  add("n_x", "", [](const auto& s) { return s.gap.normal.x(); });
  add("n_y", "", [](const auto& s) { return s.gap.normal.y(); });
  add("n_z", "", [](const auto& s) { return s.gap.normal.z(); });
  add("kinetic", "J", [](const auto& s) { return s.kinetic; });
  add("spring", "J", [](const auto& s) { return s.normal_spring; });
  add_motion(add, motion_names_A, [](const DiscPairSample& s) { return s.A; });
  add_motion(add, motion_names_B, [](const DiscPairSample& s) { return s.B; });
  if (process->step_limit) sheet.stopped = limit_reached(process->steps, process->samples.back().t);
  sheet.summary =
      std::make_unique<Json>(Json{{"kind", "disc on disc"},
                                  {"before", {{"A", motion(scene.discs[0])}, {"B", motion(scene.discs[1])}}},
                                  {"after", {{"A", motion(process->A)}, {"B", motion(process->B)}}},
                                  {"P", to_json(process->P)},
                                  {"touchdown", process->touchdown},
                                  {"contact_time", process->contact_time},
                                  {"contacts", process->contacts},
                                  {"largest_force", process->largest_force},
                                  {"energy_change", process->energy_change},
                                  {"residual", process->residual},
                                  {"momentum_residual", process->momentum_residual},
                                  {"steps", process->steps}});
  sheet.legend = {"rim       0: contact at the middle of the face, 1: on the edge", "n         normal, from A to B",
                  "energies  kinetic + spring is constant"};
  return sheet;
}

Expected<Sheet> rolling(const DiscScene& scene, int count) {
  const auto process = roll(*scene.wheel, scene.run.duration);
  if (!process) return tl::unexpected(process.error());
  std::vector<WheelState> rows = process->phases;
  for (int i = 0; i < count; ++i) rows.push_back(process->at(scene.run.duration * (i + 1) / count).value());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.t < b.t; });
  Sheet sheet;
  for (const WheelState& s : rows) sheet.phase.push_back(name(s.phase));
  Filler<WheelState> add(rows, sheet);
  const double R = scene.wheel->radius;
  add("time", "s", [](const auto& s) { return s.t; });
  add("v", "m/s", [](const auto& s) { return s.v; });
  add("R_omega", "m/s", [R](const auto& s) { return R * s.omega; });
  add("gap", "m/s", [](const auto& s) { return s.gap; });
  add("friction", "N", [](const auto& s) { return s.friction_force; });
  add("kinetic", "J", [](const auto& s) { return s.kinetic; });
  add("spring", "J", [](const auto& s) { return s.spring; });
  add("lost", "J", [](const auto& s) { return s.friction; });
  add("drive", "J", [](const auto& s) { return s.drive; });
  add(
      "x", "m", [](const auto& s) { return s.x; }, false);
  add(
      "angle", "rad", [](const auto& s) { return s.angle; }, false);
  add(
      "omega", "rad/s", [](const auto& s) { return s.omega; }, false);
  const WheelState& first = rows.front();
  double worst = 0, largest = 0;
  for (const WheelState& s : rows) {
    worst = std::max(worst, std::abs(s.kinetic + s.spring + s.friction - s.drive - first.kinetic - first.spring));
    largest = std::max({largest, s.kinetic, s.friction, std::abs(s.drive)});
  }
  sheet.summary = std::make_unique<Json>(Json{{"kind", "rolling"},
                                              {"ideal_velocity", process->ideal_velocity},
                                              {"grips", process->grips},
                                              {"largest_gap_after_grip", process->largest_gap_after_grip},
                                              {"velocity", rows.back().v},
                                              {"spin", rows.back().omega},
                                              {"phases", process->phases.size()},
                                              {"residual", largest > 0 ? worst / largest : worst}});
  sheet.legend = {"gap       v − Rω, zero in ideal rolling", "energies  kinetic + spring + lost − drive is constant"};
  return sheet;
}

std::string disc_csv(const Sheet& sheet) {
  std::string out = "phase";
  for (const auto& c : sheet.columns) out += fmt::format(",{}", c.name);
  out += "\n";
  for (std::size_t i = 0; i < sheet.phase.size(); ++i) {
    out += sheet.phase[i];
    for (const auto& c : sheet.columns) out += fmt::format(",{}", c.values[i]);
    out += "\n";
  }
  return out;
}

std::string disc_json(const DiscScene& scene, const Sheet& sheet) {
  Json document{{"title", printable(scene.title)}, {"inputs", inputs(scene)}};
  for (const auto& [key, value] : sheet.summary->items()) document[key] = value;
  document["complete"] = sheet.stopped.empty();
  if (!sheet.stopped.empty()) document["stopped"] = sheet.stopped;
  Json units = Json::object();
  for (const auto& c : sheet.columns) units[std::string(c.name)] = c.unit.empty() ? "1" : c.unit;
  document["units"] = std::move(units);
  Json samples = Json::array();
  for (std::size_t i = 0; i < sheet.phase.size(); ++i) {
    Json one{{"phase", sheet.phase[i]}};
    for (const auto& c : sheet.columns) one[std::string(c.name)] = to_json(c.values[i]);
    samples.push_back(std::move(one));
  }
  document["samples"] = std::move(samples);
  return pretty(document) + "\n";
}

std::string velocities(std::string_view who, const Disc& before, const Disc& after) {
  return fmt::format("{}  v {} to {} m/s, ω {} to {} rad/s\n", who, brief(before.velocity), brief(after.velocity),
                     brief(before.angular_velocity), brief(after.angular_velocity));
}

std::string disc_table(const DiscScene& scene, const Sheet& sheet, bool colour) {
  const Json& s = *sheet.summary;
  const auto value = [&](const char* key) { return s.at(key).get<double>(); };
  const auto read = [&](const Json& m, const char* key) {
    return Vec3(m.at(key)[0].get<double>(), m.at(key)[1].get<double>(), m.at(key)[2].get<double>());
  };
  const auto line = [&](std::string_view who, const Json& before, const Json& after) {
    Disc a, b;
    a.velocity = read(before, "velocity");
    a.angular_velocity = read(before, "angular_velocity");
    b.velocity = read(after, "velocity");
    b.angular_velocity = read(after, "angular_velocity");
    return velocities(who, a, b);
  };
  std::string out =
      paint(printable(scene.title.empty() ? s.at("kind").get<std::string>() : scene.title), Colour::bold, colour) +
      "\n";
  if (scene.wheel) {
    out += fmt::format(
        "ideal rolling ends at {:.6g} m/s; at the end {:.6g} m/s, {}\n", value("ideal_velocity"), value("velocity"),
        s.at("grips").get<bool>()
            ? fmt::format("gripping, never more than {:.3g} m/s from ideal", value("largest_gap_after_grip"))
            : "sliding");
  } else {
    out += fmt::format("touches after {:.6g} s, for {:.4g} s", value("touchdown"), value("contact_time"));
    if (const int n = s.at("contacts").get<int>(); n > 1) out += fmt::format(" in {} contacts", n);
    out += fmt::format(", with {:.4g} N at most; P = {} N s\n", value("largest_force"), brief(read(s, "P")));
    if (scene.discs.size() == 1) {
      out += line("disc", s.at("before"), s.at("after"));
    } else {
      for (const char* who : {"A", "B"}) out += line(who, s.at("before").at(who), s.at("after").at(who));
    }
    out += fmt::format("kinetic energy {:+.6g} J\n", value("energy_change"));
  }
  out += fmt::format("the energy balance closes to {:.1e}\n", value("residual"));
  if (!sheet.stopped.empty()) out += fmt::format("not complete: {}\n", sheet.stopped);
  out += "\n";

  std::vector<std::vector<std::string>> cells;
  std::vector<std::size_t> widths;
  std::string head = fmt::format("{:<9}", "phase"), units(9, ' ');
  const auto right = [](std::string_view text, std::size_t width) {
    return std::string(width > columns(text) ? width - columns(text) : 0, ' ') + std::string(text);
  };
  for (const auto& c : sheet.columns) {
    const bool idle = std::all_of(c.values.begin(), c.values.end(), [](double x) { return x == 0; });
    if (idle || !c.in_table) continue;
    std::vector<double> shown = c.values;
    // Rounding errors relative to the column are shown as zero.
    double largest = 0;
    for (const double x : shown) largest = std::max(largest, std::abs(x));
    for (double& x : shown)
      if (std::abs(x) < 1e-12 * largest) x = 0;
    const bool time = c.name == "time";  // instants of one contact differ only in the last digits
    if (time) {
      cells.emplace_back();
      for (const double x : shown) cells.back().push_back(fmt::format("{:.8g}", x));
    } else {
      cells.push_back(align(shown, 9));
    }
    widths.push_back(time ? 14 : 10);
    head += right(c.name, widths.back());
    units += right(c.unit, widths.back());
  }
  out += head + "\n" + units + "\n";
  for (std::size_t i = 0; i < sheet.phase.size(); ++i) {
    out += fmt::format("{:<9}", sheet.phase[i]);
    for (std::size_t k = 0; k < cells.size(); ++k) out += right(cells[k][i], widths[k]);
    out += "\n";
  }
  out += "\n";
  for (const std::string& text : sheet.legend) out += text + "\n";
  return out;
}

std::string list() {
  std::string out = "Scenes in the program, for `ricochet disc NAME`:\n\n";
  for (const BundledDiscs& s : bundled_discs()) {
    const auto scene = read_discs(s.text, {});
    out += fmt::format("  {:<18} {}\n", s.name, scene ? scene->title : scene.error().error.message());
  }
  return out;
}

int run_disc(const DiscOptions& options) {
  if (options.scene.empty()) return print_out(list());
  std::vector<std::pair<std::string, double>> settings;
  for (const std::string& text : options.sets) {
    const auto equals = text.find('=');
    const auto x = equals == std::string::npos ? std::nullopt : read_number(std::string_view(text).substr(equals + 1));
    if (!x) return refuse("--set", 0, Error{ErrorCode::malformed, "", text, "must be KEY=NUMBER, for example mu=0.3"});
    settings.emplace_back(text.substr(0, equals), *x);
  }
  std::string where = options.scene, text;
  const auto& bundled = bundled_discs();
  const auto known =
      std::find_if(bundled.begin(), bundled.end(), [&](const auto& s) { return s.name == options.scene; });
  if (known != bundled.end()) {
    text = known->text;
  } else {
    auto input = Input::open(options.scene);
    if (!input) {
      std::vector<std::string_view> names;
      names.reserve(bundled.size());
      for (const BundledDiscs& s : bundled) names.push_back(s.name);
      Error error = input.error();
      if (const std::string_view guess = closest(options.scene, names); !guess.empty())
        error.allowed += fmt::format("; did you mean the scene {}?", guess);
      return refuse(where, 0, error);
    }
    where = input->name();
    auto rest = input->rest(toml_limit);
    if (!rest) return refuse(where, 0, rest.error());
    text = *std::move(rest);
  }
  const auto scene = read_discs(text, settings);
  if (!scene)
    return refuse(scene.error().line < 0 ? "--set" : where, std::max(0LL, scene.error().line), scene.error().error);
  const auto sheet = scene->wheel               ? rolling(*scene, options.samples)
                     : scene->discs.size() == 1 ? on_plane(*scene, options.samples)
                                                : on_disc(*scene, options.samples);
  if (!sheet) {
    const long long line = scene->line_of(sheet.error().path);
    return refuse(line < 0 ? "--set" : where, std::max(0LL, line), sheet.error());
  }
  const std::string answer = options.format == "json"  ? disc_json(*scene, *sheet)
                             : options.format == "csv" ? disc_csv(*sheet)
                                                       : disc_table(*scene, *sheet, colour_wanted(options.out));
  const int status = write_out(options.out, answer);
  if (!sheet->stopped.empty()) fmt::print(stderr, "{}: not complete: {}\n", where, sheet->stopped);
  return status;
}

}  // namespace

void add_disc(Program& program, int& status) {
  const CommandLine command = add_command(program, "disc");
  auto options = std::make_shared<DiscOptions>();
  command.add_option("scene", options->scene,
                     "a scene in the program, or a TOML file, or -; without it the scenes are listed");
  command.add_option("--set", options->sets, "KEY=NUMBER: overrides a number of the scene; may be repeated")
      .type_name("KEY=NUMBER")
      .repeated();
  command.add_option("--samples", options->samples, "rows to show, 24 by default; changes of phase are always shown")
      .between(2, 1'000'000);
  add_format_option(command, options->format, {"table", "json", "csv"});
  add_output_option(command, options->out);
  command.footer("Example:\n  ricochet disc coin-flat --set mu=0.2\n\nP acts on the disc; of two discs, on B.");
  command.callback([options, &status] { status = run_disc(*options); });
}

}  // namespace ricochet::app
