#include <fmt/format.h>

#include <memory>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "ricochet/fit/fit_json.hpp"
#include "terminal/common_options.hpp"
#include "terminal/impacts_input.hpp"
#include "terminal/output_file.hpp"

namespace ricochet::app {
namespace {

struct ReduceOptions : ImpactsOptions {
  std::string file, format = "csv", out;
};

std::string rows_csv(const std::vector<ReducedImpact>& rows) {
  std::string out =
      "row,W_xx,W_xy,W_xz,W_yy,W_yz,W_zz,V_x,V_y,V_z,n_x,n_y,n_z,spin_x,spin_y,spin_z,P_x,P_y,P_z,energy,separation,"
      "compression,restitution,impulse_ratio,best_error,energy_ratio,flags\n";
  for (const ReducedImpact& row : rows) {
    const Contact& c = row.contact;
    out += std::to_string(row.measured.row);
    for (const double x : {c.W(0, 0),
                           c.W(0, 1),
                           c.W(0, 2),
                           c.W(1, 1),
                           c.W(1, 2),
                           c.W(2, 2),
                           c.V.x(),
                           c.V.y(),
                           c.V.z(),
                           c.n.x(),
                           c.n.y(),
                           c.n.z(),
                           c.spin.x(),
                           c.spin.y(),
                           c.spin.z(),
                           row.P.x(),
                           row.P.y(),
                           row.P.z(),
                           row.margins.energy,
                           row.margins.separation,
                           row.margins.compression,
                           row.restitution,
                           row.impulse_ratio,
                           row.best_error,
                           row.energy_ratio})
      out += ',' + to_text(x);
    std::string_view between = ",";
    for (const ReducedImpact::Flag& flag : ReducedImpact::flags) {
      if (!(row.*flag.raised)) continue;
      out += fmt::format("{}{}", between, flag.name);
      between = "+";
    }
    out += row.usable() ? ",\n" : "\n";
  }
  return out;
}

int run_reduce(const ReduceOptions& options) {
  ReducedRows rows;
  if (const int status = read_all_rows(options.file, options, rows); status != 0) return status;
  if (options.format == "csv") return write_out(options.out, rows_csv(rows.all));
  Json array = Json::array();
  for (const ReducedImpact& row : rows.all) array.push_back(to_json(row));
  const Json document{{"source", options.file}, {"flagged", flag_counts(rows.all)}, {"rows", std::move(array)}};
  return write_out(options.out, pretty(document) + "\n");
}

}  // namespace

void add_reduce(Program& program, int& status) {
  const CommandLine command = add_command(program, "reduce");
  auto options = std::make_shared<ReduceOptions>();
  command.add_option("DATA", options->file, "CSV file of measured impacts (docs/fitting.md)").required();
  add_layout_options(command, *options);
  add_format_option(command, options->format, {"csv", "json"}, "csv by default");
  add_output_option(command, options->out);
  command.footer(
      "Examples:\n"
      "  ricochet reduce impacts.csv --dataset planar-square\n"
      "  ricochet reduce impacts.csv --mapping columns.toml --format json\n\n"
      "P acts on the body that strikes, towards which n points.");
  command.callback([options, &status] { status = run_reduce(*options); });
}

}  // namespace ricochet::app
