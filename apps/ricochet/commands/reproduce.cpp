#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "commands/published.hpp"
#include "ricochet/base/read_number.hpp"
#include "ricochet/body/realize.hpp"
#include "ricochet/contact/between.hpp"
#include "ricochet/io/assignments.hpp"
#include "ricochet/io/csv_field.hpp"
#include "ricochet/io/json.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/mechanism/planar_impact.hpp"
#include "ricochet/mechanism/systems.hpp"
#include "terminal/common_options.hpp"
#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"
#include "terminal/table.hpp"

namespace ricochet::app {
namespace {

using published::Number;
using published::PuzzleRow;

struct ReproduceOptions {
  bool check = false;
  std::string format = "table", out;
};

enum class Verdict : std::uint8_t { agrees, print_error, differs };

std::string_view name(Verdict v) {
  return v == Verdict::agrees ? "agrees" : v == Verdict::print_error ? "print is wrong" : "differs";
}

/// One printed number of a paper and our value.
struct Line {
  std::string source, item;
  std::string printed;  ///< empty if the paper's claim has no number
  std::string computed;
  std::optional<double> difference;  ///< computed − printed, for numbers
  Verdict verdict = Verdict::agrees;
  std::string remark;
};

int decimals(std::string_view number) {
  const auto point = number.find('.');
  return point == std::string_view::npos ? 0 : static_cast<int>(number.size() - point - 1);
}

/// Within half a unit of the last digit; a number that ends on the half itself may be rounded either way.
bool as_printed(double x, std::string_view text) {
  return std::abs(x - read_number(text).value()) <= 0.5 * std::pow(10.0, -decimals(text)) + 1e-12 * std::abs(x);
}

Line number(std::string source, std::string item, const Number& printed, double computed) {
  Line line{std::move(source),
            std::move(item),
            std::string(printed.text),
            fmt::format("{:.{}f}", computed, decimals(printed.text) + 2),
            computed - read_number(printed.text).value(),
            Verdict::agrees,
            ""};
  if (as_printed(computed, printed.text)) return line;
  const bool known = !printed.holds.empty() && as_printed(computed, printed.holds);
  line.verdict = known ? Verdict::print_error : Verdict::differs;
  if (known) line.remark = fmt::format("{}: {} holds", printed.why, printed.holds);
  return line;
}

Line word(std::string source, std::string item, std::string_view printed, std::string_view computed) {
  return {std::move(source),
          std::move(item),
          std::string(printed),
          std::string(computed),
          {},
          printed == computed ? Verdict::agrees : Verdict::differs,
          ""};
}

/// A claim without a number: a residual that should be rounding, 1e-12 or less.
Line claim(std::string source, std::string item, double residual) {
  return {std::move(source),
          std::move(item),
          "",
          fmt::format("{:.1e}", residual),
          {},
          residual <= 1e-12 ? Verdict::agrees : Verdict::differs,
          ""};
}

using Lines = std::vector<Line>;

std::string parameters(const PuzzleRow& row) {
  return fmt::format("e {:.1f}, mu_s {:.2f}, mu {:.1f}", row.e, row.mu_s, row.mu);
}

std::string_view yes(bool b) { return b ? "yes" : "no"; }

Expected<PlanarProblem> puzzle(bool relative) {
  const auto& p = published::st98_example1;
  const Rod rod{p.length, p.mass};
  const VecX q = Eigen::Vector2d(p.degrees[0], p.degrees[1]) * std::numbers::pi / 180;
  const VecX u = Eigen::Vector2d(p.speeds[0], p.speeds[1]);
  const auto response =
      relative ? respond(double_pendulum_relative(rod, rod), "floor", relative_angles(q), relative_speeds(u))
               : respond(double_pendulum_absolute(rod, rod), "floor", q, u);
  return response.and_then([](const Response& r) { return planar_problem(r, Vec3::UnitX()); });
}

Expected<void> conventional_table(Lines& out, std::string_view source, std::span<const PuzzleRow> rows, Opposes opposes,
                                  const PlanarProblem& problem) {
  for (const PuzzleRow& row : rows) {
    const auto hit = collide(Conventional{row.e, row.mu, row.mu_s, opposes}, problem);
    if (!hit) return tl::unexpected(hit.error());
    const std::string source_text(source);
    out.push_back(word(source_text, parameters(row) + ": slipping", row.slipping, yes(hit->mode != Mode::slip_stick)));
    out.push_back(number(source_text, parameters(row) + ": energy [J]", row.energy, hit->energy_change));
  }
  return {};
}

Expected<void> puzzle_lines(Lines& out, const PlanarProblem& problem) {
  using namespace published;
  auto fine = conventional_table(out, "ST98 Table 1", st98_table1, Opposes::reversed_slip, problem).and_then([&] {
    return conventional_table(out, "ST98 Table 2", st98_table2, Opposes::initial_slip, problem);
  });
  if (!fine) return fine;
  const auto ours = [&](const PuzzleRow& row) { return collide(ShenTownsend{row.e, row.mu, row.mu_s}, problem); };
  for (const PuzzleRow& row : st98_table3) {
    const auto hit = ours(row);
    if (!hit) return tl::unexpected(hit.error());
    const bool reverses = hit->mode == Mode::slip_reversal;
    const std::string found = fmt::format("{}/{}", yes(hit->mode != Mode::slip_stick), yes(reverses));
    out.push_back(word("ST98 Table 3", parameters(row) + ": slipping/reverses", row.slipping, found));
    out.push_back(number("ST98 Table 3", parameters(row) + ": energy [J]", row.energy, hit->energy_change));
    out.push_back(word("ST98 Table 3", parameters(row) + ": case", row.label, shen_townsend_case(hit->path)));
  }
  for (const PuzzleRow& row : st98_table4) {
    const auto hit = ours(row);
    if (!hit) return tl::unexpected(hit.error());
    const std::string source = "ST98 Table 4";
    out.push_back(number(source, parameters(row) + ": F* [N s]", row.F_star, hit->p_star));
    out.push_back(number(source, parameters(row) + ": (1+e) F_c [N s]", row.F_end, (1 + row.e) * hit->p_c));
    out.push_back(
        word(source, parameters(row) + ": slip reverses", row.slipping, yes(hit->mode == Mode::slip_reversal)));
    out.push_back(number(source, parameters(row) + ": energy [J]", row.energy, hit->energy_change));
    out.push_back(word(source, parameters(row) + ": case", row.label, shen_townsend_case(hit->path)));
  }
  const PuzzleRow& row = st98_sticking;
  const auto sticks = ours(row);
  const auto conventional = collide(Conventional{row.e, row.mu, row.mu_s}, problem);
  if (!sticks) return tl::unexpected(sticks.error());
  if (!conventional) return tl::unexpected(conventional.error());
  const std::string source = "ST98 section 6.1";
  out.push_back(number(source, "critical ratio |τ_res/F_res|", st98_critical_ratio, std::abs(sticks->hold)));
  out.push_back(
      word(source, parameters(row) + ": ends", row.slipping, sticks->mode == Mode::slip_stick ? "sticks" : "slides"));
  out.push_back(number(source, parameters(row) + ": energy [J]", row.energy, sticks->energy_change));
  out.push_back(number(source, parameters(row) + ": conventional energy [J]", st98_sticking_conventional,
                       conventional->energy_change));
  return {};
}

Expected<PlanarOutcome> spheres(double radius) {
  const auto& p = published::st98_example2;
  const Mat3 inertia = 0.4 * p.mass * radius * radius * Mat3::Identity();
  auto both = join("ball 1", free_spatial_body(p.mass, inertia, {{"east", Vec3(radius, 0, 0)}}), "ball 2",
                   free_spatial_body(p.mass, inertia, {{"west", Vec3(-radius, 0, 0)}}));
  if (!both) return tl::unexpected(both.error());
  both->contacts.push_back(
      {"balls", "ball 1.east", "ball 2.west", [](const VecX&) { return Vec3(Vec3::UnitX()); }, {}});
  VecX q = VecX::Zero(14), u = VecX::Zero(12);
  q(3) = q(10) = 1;
  q(7) = 2 * radius;
  const double angle = p.degrees * std::numbers::pi / 180;
  u.head(3) = p.speed * Vec3(std::cos(angle), std::sin(angle), 0);
  u(5) = p.spin;
  return respond(*both, "balls", q, u)
      .and_then([](const Response& r) { return planar_problem(r, Vec3::UnitY()); })
      .and_then([&](const PlanarProblem& problem) {
        return collide(ShenTownsend{p.e, p.mu}, problem);
      });
}

Expected<void> sphere_lines(Lines& out) {
  using namespace published;
  const auto hit = spheres(st98_example2.radius);
  if (!hit) return tl::unexpected(hit.error());
  const std::string source = "ST98 Example 2";
  out.push_back(word(source, "case", st98_example2_case, shen_townsend_case(hit->path)));
  if (hit->states.size() != st98_example2_states.size() + 1)
    return fail(ErrorCode::invalid, "states", std::to_string(hit->states.size()), "must be start, two pauses and end");
  for (std::size_t i = 0; i < st98_example2_states.size(); ++i) {
    const SpheresState& printed = st98_example2_states[i];
    const PlanarState& state = hit->states[i + 1];
    const auto item = [&](std::string_view what) { return fmt::format("{}: {}", printed.when, what); };
    out.push_back(number(source, item("v1·i [cm/s]"), printed.v1_i, state.u(0)));
    out.push_back(number(source, item("v1·j [cm/s]"), printed.v1_j, state.u(1)));
    out.push_back(number(source, item("v2·i [cm/s]"), printed.v2_i, state.u(6)));
    out.push_back(number(source, item("v2·j [cm/s]"), printed.v2_j, state.u(7)));
    out.push_back(number(source, item("ω1 [rad/s]"), printed.omega1, state.u(5)));
    out.push_back(number(source, item("ω2 [rad/s]"), printed.omega2, state.u(11)));
    out.push_back(number(source, item("F"), printed.F, state.p_n));
  }
  out.push_back(number(source, "slip stops: u_n, 1 against 2", st98_example2_u_n, -hit->states[2].v_n));
  out.push_back(number(source, "end: τ", st98_example2_tau, std::abs(hit->p_t)));
  out.push_back(number(source, "F_res", st98_example2_F_res, hit->p_n - hit->p_star));
  return {};
}

Expected<void> morgan_lines(Lines& out, const PlanarProblem& absolute) {
  using namespace published;
  const auto relative = puzzle(true);
  if (!relative) return tl::unexpected(relative.error());
  const std::string source = "M11 double pendulum";
  double apart = 0;
  const auto compare = [&](const auto& law) -> Expected<PlanarOutcome> {
    auto a = collide(law, absolute);
    auto b = collide(law, *relative);
    if (!a) return a;
    if (!b) return b;
    apart = std::max({apart, (relative_speeds(a->u) - b->u).norm(), std::abs(a->energy_change - b->energy_change),
                      (a->P - b->P).norm()});
    return b;
  };
  const auto first = compare(Morgan{0.7, 0.5, 0.51});
  if (!first) return tl::unexpected(first.error());
  out.push_back(
      number(source, "|m| of Eq. 3.1, against ST98's critical ratio", st98_critical_ratio, std::abs(first->hold)));
  for (const PuzzleRow& row : st98_table3) {
    const auto hit = compare(ShenTownsend{row.e, row.mu, row.mu_s});
    if (!hit) return tl::unexpected(hit.error());
    out.push_back(number(source, parameters(row) + ": ST98's energy [J]", row.energy, hit->energy_change));
    if (const auto other = compare(Morgan{row.e, row.mu, row.mu_s}); !other) return tl::unexpected(other.error());
  }
  out.push_back(claim(source, "absolute and relative angles, largest difference", apart));
  return {};
}

Expected<void> realize_lines(Lines& out) {
  // Equal, paired, distinct and fully coupled masses; the paper claims that two bodies exist for each.
  Mat3 coupled;
  coupled << 4, 1, -0.5, 1, 3, 0.7, -0.5, 0.7, 2;
  const std::array<std::pair<std::string_view, Mat3>, 4> cases{{{"M = diag(1, 1, 1)", Mat3::Identity()},
                                                                {"M = diag(1, 1, 3)", Vec3(1, 1, 3).asDiagonal()},
                                                                {"M = diag(1, 5, 20)", Vec3(1, 5, 20).asDiagonal()},
                                                                {"M = [4 1 -.5; 1 3 .7; -.5 .7 2]", coupled}}};
  for (const auto& [title, M] : cases) {
    const auto pair = realize(M);
    if (!pair) return tl::unexpected(pair.error());
    for (const RigidBody& body : {pair->A, pair->B})
      if (const auto possible = check(body); !possible) return possible;
    const auto contact = contact_between(pair->A, pair->B, pair->point, Vec3::UnitZ());
    if (!contact) return tl::unexpected(contact.error());
    out.push_back(claim("CR98b: two bodies for any M", fmt::format("{}: relative residual", title),
                        (contact->M - M).norm() / M.norm()));
  }
  return {};
}

Expected<Lines> reproduce() {
  Lines lines;
  const auto absolute = puzzle(false);
  if (!absolute) return tl::unexpected(absolute.error());
  const auto fine = puzzle_lines(lines, *absolute)
                        .and_then([&] { return sphere_lines(lines); })
                        .and_then([&] { return morgan_lines(lines, *absolute); })
                        .and_then([&] { return realize_lines(lines); });
  if (!fine) return tl::unexpected(fine.error());
  return lines;
}

std::ptrdiff_t count(const Lines& lines, Verdict verdict) {
  return std::count_if(lines.begin(), lines.end(), [&](const Line& l) { return l.verdict == verdict; });
}

std::string reproduce_json(const Lines& lines) {
  Json rows = Json::array();
  for (const Line& line : lines) {
    Json row{{"source", line.source}, {"item", line.item}};
    if (!line.printed.empty()) row["printed"] = line.printed;
    row["computed"] = line.computed;
    if (line.difference) row["difference"] = to_json(*line.difference);
    row["verdict"] = name(line.verdict);
    if (!line.remark.empty()) row["remark"] = line.remark;
    rows.push_back(std::move(row));
  }
  Json errata = Json::array();
  for (const auto& e : published::errata)
    errata.push_back({{"where", e.where}, {"printed", e.printed}, {"holds", e.holds}});
  const Json out{{"rows", std::move(rows)},
                 {"errata", std::move(errata)},
                 {"agrees", count(lines, Verdict::agrees)},
                 {"print_is_wrong", count(lines, Verdict::print_error)},
                 {"differs", count(lines, Verdict::differs)}};
  return pretty(out) + "\n";
}

std::string reproduce_csv(const Lines& lines) {
  fmt::memory_buffer out;
  append(out, "source,item,printed,computed,difference,verdict,remark\n");
  for (const Line& line : lines) {
    append_csv_field(out, line.source);
    append(out, ",");
    append_csv_field(out, line.item);
    fmt::format_to(fmt::appender(out), ",{},{},{},{},", line.printed, line.computed,
                   line.difference ? fmt::format("{}", *line.difference) : "", name(line.verdict));
    append_csv_field(out, line.remark);
    append(out, "\n");
  }
  return fmt::to_string(out);
}

std::string reproduce_table(const Lines& lines, bool colour) {
  const auto padded = [](std::string_view text, std::size_t width) {
    return std::string(text) + std::string(width > columns(text) ? width - columns(text) : 0, ' ');
  };
  std::string out;
  std::string_view source;
  for (const Line& line : lines) {
    if (line.source != source) {
      source = line.source;
      out += fmt::format("{}{}\n  {}  {:>9}  {:>11}  {:>10}\n", out.empty() ? "" : "\n",
                         paint(source, Colour::bold, colour), padded("", 48), "printed", "computed", "difference");
    }
    const Colour how = line.verdict == Verdict::agrees        ? Colour::plain
                       : line.verdict == Verdict::print_error ? Colour::dim
                                                              : Colour::bad;
    std::string verdict(line.verdict == Verdict::agrees ? "" : name(line.verdict));
    if (!line.remark.empty()) verdict += fmt::format(" ({})", line.remark);
    std::string text =
        fmt::format("  {}  {:>9}  {:>11}  {:>10}  {}", padded(line.item, 48), line.printed, line.computed,
                    line.difference ? fmt::format("{:.1e}", *line.difference) : "", verdict);
    text.erase(text.find_last_not_of(' ') + 1);
    out += paint(text, how, colour) + "\n";
  }
  out += "\n" + paint("Where the text is wrong", Colour::bold, colour) + "\n";
  for (const auto& e : published::errata)
    out +=
        fmt::format("  {}  printed: {}\n  {}  holds:   {}\n", padded(e.where, 19), e.printed, padded("", 19), e.holds);
  return out + fmt::format("\n{} agree to the digits printed, {} where the print is wrong, {} differ\n",
                           count(lines, Verdict::agrees), count(lines, Verdict::print_error),
                           count(lines, Verdict::differs));
}

int run_reproduce(const ReproduceOptions& options) {
  const auto lines = reproduce();
  if (!lines) return refuse_output(lines.error());
  const int written =
      write_out(options.out, options.format == "json"  ? reproduce_json(*lines)
                             : options.format == "csv" ? reproduce_csv(*lines)
                                                       : reproduce_table(*lines, colour_wanted(options.out)));
  return written == 0 && options.check && count(*lines, Verdict::differs) > 0 ? 1 : written;
}

}  // namespace

void add_reproduce(Program& program, int& status) {
  const CommandLine command = add_command(program, "reproduce");
  auto options = std::make_shared<ReproduceOptions>();
  command.add_flag("--check", options->check,
                   "exit with 1 when a number differs by more than half a unit of its last printed digit and the "
                   "print is not known to be wrong");
  add_format_option(command, options->format, {"table", "json", "csv"});
  add_output_option(command, options->out);
  command.footer("Example:\n  ricochet reproduce --check");
  command.callback([options, &status] { status = run_reproduce(*options); });
}

}  // namespace ricochet::app
