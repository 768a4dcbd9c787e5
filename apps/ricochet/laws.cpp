#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "commands.hpp"
#include "output_file.hpp"
#include "ricochet/law/registry.hpp"
#include "table.hpp"
#include "text.hpp"
#include "to_json.hpp"

namespace ricochet::app {
namespace {

struct Options {
  std::string name;
  std::string format = "table";
};

std::string promises(const Guarantees& g) {
  return fmt::format("{} {} {}", g.energy ? 'E' : '-', g.separation ? 'S' : '-', g.friction ? 'F' : '-');
}

/// "e, mu, [e_t], [smooth]": brackets where a default is taken.
std::string parameter_list(const LawInfo& info) {
  std::string out;
  for (const ParameterInfo& p : info.parameters) {
    if (!out.empty()) out += ", ";
    out += p.fallback.empty() ? std::string(p.name) : fmt::format("[{}]", p.name);
  }
  return out;
}

std::string table_of_all(bool colour) {
  std::string out =
      paint(fmt::format("{:<17}  {:<8}  {:<34}  {}", "law", "promises", "parameters", "source"), Colour::bold, colour) +
      "\n";
  for (const LawInfo& info : laws())
    out += fmt::format("{:<17}  {:<8}  {:<34}  {}\n", info.name, promises(info.guarantees), parameter_list(info),
                       info.source);
  return out +
         "\n"
         "promises    for all parameters in range: E no energy gain, S bodies separate, F friction cone and P_n ≥ 0\n"
         "parameters  in brackets where there is a default; `ricochet laws NAME` tells ranges, defaults and "
         "exceptions\n";
}

std::string details(const LawInfo& info, bool colour) {
  std::string out =
      fmt::format("{}: {}\nsource: {}\n\n", paint(info.name, Colour::bold, colour), info.title, info.source);
  out += fmt::format("{:<12}  {:<26}  {:<16}  {}\n", "parameter", "range", "default", "meaning");
  for (const ParameterInfo& p : info.parameters)
    out += fmt::format("{:<12}  {:<26}  {:<16}  {}\n", p.name, p.range, p.fallback.empty() ? "needed" : p.fallback,
                       p.meaning);
  const Guarantees& g = info.guarantees;
  const auto yes = [](bool b) { return b ? "yes" : "no"; };
  out += fmt::format("\npromises: no energy gain {}, separation {}, friction cone {}\n", yes(g.energy),
                     yes(g.separation), yes(g.friction));
  if (!info.caveat.empty()) out += fmt::format("{}\n", info.caveat);
  return out;
}

int run(const Options& options) {
  const bool json = options.format == "json";
  if (options.name.empty()) {
    if (!json) return print_out(table_of_all(colour_wanted()));
    Json all = Json::array();
    for (const LawInfo& info : laws()) all.push_back(to_json(info));
    return print_out(pretty(all) + "\n");
  }
  const LawInfo* info = find_law(options.name);
  if (info == nullptr) {
    fmt::print(stderr, "{}\n", fault_line("laws", 0, make_law(options.name, {}).error()));
    return 2;
  }
  return print_out(json ? pretty(to_json(*info)) + "\n" : details(*info, colour_wanted()));
}

}  // namespace

void add_laws(CLI::App& program, int& status) {
  auto* command = program.add_subcommand("laws", "list the laws with their parameters, ranges and guarantees");
  auto options = std::make_shared<Options>();
  command->add_option("NAME", options->name, "one law in detail");
  command->add_option("--format", options->format, "table by default")
      ->check(CLI::IsMember({"table", "json"}))
      ->type_name("FORMAT");
  command->footer("Example:\n  ricochet laws routh");
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace ricochet::app
