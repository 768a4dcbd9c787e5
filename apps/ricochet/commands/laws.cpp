#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <span>
#include <vector>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "ricochet/io/json.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/law/planar_closed_forms.hpp"
#include "ricochet/law/registry.hpp"
#include "terminal/common_options.hpp"
#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"
#include "terminal/table.hpp"
#include "terminal/write_table.hpp"

namespace ricochet::app {
namespace {

struct LawsOptions {
  std::string name, out;
  std::string format = "table";
};

/// "e, mu, [e_t], [smooth]": brackets where a default is taken.
std::string parameter_list(const LawInfo& info) {
  std::string out;
  for (const ParameterInfo& p : info.parameters) {
    if (!out.empty()) out += ", ";
    out += p.needed() ? std::string(p.name) : fmt::format("[{}]", p.name);
  }
  return out;
}

std::string rows_of(std::span<const LawInfo> infos) {
  std::string out;
  for (const LawInfo& info : infos)
    out += fmt::format("{:<21}  {:<10}  {:<46}  {}\n", info.name, guarantee_letters(info.guarantees),
                       parameter_list(info), info.source);
  return out;
}

std::string table_of_all(bool colour) {
  return paint(fmt::format("{:<21}  {:<10}  {:<46}  {}", "law", "guarantees", "parameters", "source"), Colour::bold,
               colour) +
         "\n" + rows_of(laws()) + "\nclosed forms for planar mechanisms, asked by `ricochet impact`\n" +
         rows_of(planar_closed_forms()) +
         "\n"
         "guarantees  for all parameters in range: E no energy gain, S bodies separate, F friction cone and P_n ≥ 0\n"
         "parameters  in brackets where there is a default; `ricochet laws NAME` tells ranges, defaults and "
         "exceptions\n";
}

std::string details(const LawInfo& info, bool colour) {
  std::string out =
      fmt::format("{}: {}\nsource: {}\n\n", paint(info.name, Colour::bold, colour), info.title, info.source);
  out += fmt::format("{:<12}  {:<26}  {:<16}  {:<4}  {}\n", "parameter", "range", "default", "unit", "meaning");
  for (const ParameterInfo& p : info.parameters)
    out += fmt::format("{:<12}  {:<26}  {:<16}  {:<4}  {}\n", p.name, range_text(p),
                       p.needed() ? "needed" : default_text(p), p.unit, p.meaning);
  const Guarantees& g = info.guarantees;
  const auto yes = [](bool b) { return b ? "yes" : "no"; };
  out += fmt::format("\nguarantees: no energy gain {}, separation {}, friction cone {}\n", yes(g.energy),
                     yes(g.separation), yes(g.friction));
  out += fmt::format("friction of the certificate's cone: {}\n", info.cone.empty() ? "0" : info.cone);
  if (!info.caveat.empty()) out += fmt::format("{}\n", info.caveat);
  return out;
}

/// One line for each parameter of each law.
std::string csv_of(std::span<const LawInfo* const> infos) {
  std::string out =
      "law,acts_on,parameter,kind,low,low_open,high,high_open,not_below,choices,needed,default,unit,cone,meaning\n";
  const auto quoted = [](std::string_view text) {
    std::string field = "\"";
    for (const char c : text) field += c == '"' ? "\"\"" : std::string(1, c);
    return field + "\"";
  };
  for (const LawInfo* info : infos) {
    for (const ParameterInfo& p : info->parameters) {
      const bool word = p.kind == ParameterKind::word;
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", info->name, name(info->domain), p.name,
                         name(p.kind), word ? "" : to_text(p.bounds.low),
                         word ? "" : fmt::format("{}", p.bounds.low_open), word ? "" : to_text(p.bounds.high),
                         word ? "" : fmt::format("{}", p.bounds.high_open), p.not_below, fmt::join(p.choices, " "),
                         p.needed(), default_text(p), p.unit, p.name == info->cone, quoted(p.meaning));
    }
  }
  return out;
}

int run_laws(const LawsOptions& options) {
  std::vector<const LawInfo*> chosen;
  if (!options.name.empty()) {
    const LawInfo* info = find_law(options.name);
    if (info == nullptr) info = find_planar_closed_form(options.name);
    if (info == nullptr) return refuse("laws", unknown_law(options.name));
    chosen.push_back(info);
  } else {
    for (const auto infos : {laws(), planar_closed_forms()})
      for (const LawInfo& info : infos) chosen.push_back(&info);
  }
  if (options.format == "csv") return write_out(options.out, csv_of(chosen));
  if (options.format == "json") {
    Json all = Json::array();
    for (const LawInfo* info : chosen) all.push_back(to_json(*info));
    return write_out(options.out, pretty(options.name.empty() ? all : all[0]) + "\n");
  }
  const bool colour = colour_wanted(options.out);
  return write_out(options.out, options.name.empty() ? table_of_all(colour) : details(*chosen[0], colour));
}

}  // namespace

void add_laws(Program& program, int& status) {
  const CommandLine command = add_command(program, "laws");
  auto options = std::make_shared<LawsOptions>();
  command.add_option("NAME", options->name, "one law in detail");
  add_format_option(command, options->format, {"table", "json", "csv"});
  add_output_option(command, options->out);
  command.footer("Example:\n  ricochet laws routh");
  command.callback([options, &status] { status = run_laws(*options); });
}

}  // namespace ricochet::app
