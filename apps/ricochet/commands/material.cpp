#include "ricochet/compliant/material.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "commands/fit_report.hpp"
#include "ricochet/io/lammps.hpp"
#include "ricochet/io/text.hpp"
#include "terminal/common_options.hpp"
#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {
namespace {

using compliant::ElasticSphere;
using compliant::HertzImpact;
using compliant::LinearContact;
using compliant::Match;

constexpr double degree = std::numbers::pi / 180;

struct MaterialOptions {
  ElasticSphere ball;
  std::optional<double> yield, E2, nu2, density2, radius2, yield2;
  bool wall = false;
  double speed = 1, e = 1, mu = 0.3;
  std::optional<double> slip;
  std::string match = "time";
  std::vector<double> angles = {0, 80};
  std::string lammps, out;
  std::string format = "table";
};

/// Every input is an option of the same name, except for the two ends of a range.
constexpr std::array<OptionOf, 2> renamed_options{{{"from", "--angles"}, {"to", "--angles"}}};

int refuse_option(const Error& error) {
  const std::string_view renamed = option_of(error, renamed_options);
  return refuse(renamed.empty() ? "--" + error.path : std::string(renamed), error);
}

/// All results.
struct Findings {
  ElasticSphere A, B;  ///< B moves
  HertzImpact hertz;
  LinearContact linear;
  double slip = 0;
  Vec3 v, omega;  ///< of B after the oblique impact, n = z and slip along x
  Fit<ChatterjeeRuina> rigid;
  std::string lammps_linear;
  std::optional<std::string> lammps_hertz;
  std::vector<std::string> beyond;
};

/// The contact of two solid spheres: W = (1, 7/2, 7/2)/m* (docs/equivalents.md (EQ9)).
Expected<Contact> sphere_contact(double mass, const Vec3& V) {
  const Mat3 W = Vec3(3.5, 3.5, 1).asDiagonal() * Mat3::Identity() / mass;
  return contact_from_mobility(W, V, Vec3::UnitZ());
}

Expected<Findings> find(const MaterialOptions& options) {
  Findings out;
  out.B = options.ball;
  out.B.yield = options.yield;
  out.A = out.B;
  out.A.E = options.E2.value_or(out.B.E);
  out.A.nu = options.nu2.value_or(out.B.nu);
  out.A.density = options.density2.value_or(out.B.density);
  out.A.radius = options.wall ? std::numeric_limits<double>::infinity() : options.radius2.value_or(out.B.radius);
  out.A.yield = options.yield2 ? options.yield2 : options.yield;
  auto hertz = compliant::hertz_impact(out.B, out.A, options.speed);
  if (!hertz) return tl::unexpected(hertz.error());
  out.hertz = *hertz;
  out.beyond = beyond_validity(out.hertz);
  const Match match = options.match == "time"    ? Match::contact_time
                      : options.match == "force" ? Match::force
                                                 : Match::deflection;
  auto linear = linear_contact(out.hertz, match, options.e);
  if (!linear) return tl::unexpected(linear.error());
  out.linear = *linear;
  out.slip = options.slip.value_or(options.speed);
  if (!std::isfinite(out.slip)) return fail(ErrorCode::out_of_range, "slip", to_text(out.slip), "must be finite");
  if (!(options.mu >= 0) || !std::isfinite(options.mu))
    return fail(ErrorCode::out_of_range, "mu", to_text(options.mu), "must be finite and at least 0");

  // As a law that can be evaluated for every contact.
  const SpringSledge law{
      .kappa = out.hertz.kappa, .mu = options.mu, .e = options.e, .damper = compliant::Damper::linear};
  const auto contact = sphere_contact(out.hertz.mass, Vec3(out.slip, 0, -options.speed));
  if (!contact) return tl::unexpected(contact.error());
  const auto hit = collide(law, *contact);
  if (!hit) return tl::unexpected(hit.error());
  const double R = out.B.radius, m = out.B.density * 4 / 3 * std::numbers::pi * R * R * R;
  out.v = contact->V + hit->P / m;
  out.omega = Vec3(0, 0, -R).cross(hit->P) / (0.4 * m * R * R);

  const auto contacts = incidences(*contact, options.angles[0] * degree, options.angles[1] * degree, 33);
  if (!contacts) return tl::unexpected(contacts.error());
  std::vector<Bounce> bounces;
  for (const Contact& one : *contacts) {
    const auto bounce = collide(law, one);
    if (!bounce) return tl::unexpected(bounce.error());
    bounces.push_back({one, bounce->V});
  }
  auto rigid = fit_chatterjee_ruina(bounces);
  if (!rigid) return tl::unexpected(rigid.error());
  out.rigid = *std::move(rigid);
  out.lammps_linear = lammps_linear(out.linear, options.mu);
  if (options.e == 1) out.lammps_hertz = lammps_hertz(out.hertz, options.mu);
  return out;
}

/// What was asked, defaults included.
Json inputs(const MaterialOptions& options, const Findings& f) {
  const auto body = [](const ElasticSphere& s) {
    Json out{{"E", s.E}, {"nu", s.nu}, {"radius", to_json(s.radius)}};
    if (std::isfinite(s.radius)) out["density"] = s.density;
    if (s.yield) out["yield"] = *s.yield;
    return out;
  };
  return {{"first", body(f.B)}, {"second", body(f.A)}, {"speed", options.speed}, {"slip", f.slip},
          {"e", options.e},     {"mu", options.mu},    {"match", options.match}, {"angles_degrees", options.angles}};
}

std::string material_json(const MaterialOptions& options, const Findings& f, const FitRange& range) {
  Json out{{"inputs", inputs(options, f)},
           {"kappa", f.hertz.kappa},
           {"hertz",
            {{"speed", f.hertz.speed},
             {"mass", f.hertz.mass},
             {"radius", f.hertz.radius},
             {"E", f.hertz.E},
             {"G", f.hertz.G},
             {"contact_time", f.hertz.contact_time},
             {"force", f.hertz.force},
             {"deflection", f.hertz.deflection},
             {"contact_radius", f.hertz.contact_radius},
             {"pressure", f.hertz.pressure},
             {"speed_ratio", f.hertz.speed_ratio}}},
           {"beyond_validity", f.beyond},
           {"linear",
            {{"k_n", f.linear.k_n},
             {"k_t", f.linear.k_t},
             {"damping", f.linear.damping},
             {"contact_time", f.linear.contact_time}}},
           {"bounce",
            {{"before", {{"v", to_json(Vec3(f.slip, 0, -f.hertz.speed))}, {"omega", to_json(Vec3(0, 0, 0))}}},
             {"after", {{"v", to_json(f.v)}, {"omega", to_json(f.omega)}}}}},
           {"lammps", {{"linear", f.lammps_linear}}},
           {"chatterjee_ruina", fit_json(f.rigid, range)}};
  if (f.hertz.wave_passages) out["hertz"]["wave_passages"] = *f.hertz.wave_passages;
  if (f.hertz.yield_pressure) out["hertz"]["yield_pressure"] = *f.hertz.yield_pressure;
  if (f.lammps_hertz) out["lammps"]["hertz"] = *f.lammps_hertz;
  return pretty(out) + "\n";
}

std::string material_csv(const Findings& f) {
  struct Quantity {
    std::string_view name;
    double value;
    std::string_view unit;
  };
  const std::array quantities{Quantity{"kappa", f.hertz.kappa, ""},
                              Quantity{"hertz_contact_time", f.hertz.contact_time, "s"},
                              Quantity{"hertz_force", f.hertz.force, "N"},
                              Quantity{"hertz_deflection", f.hertz.deflection, "m"},
                              Quantity{"hertz_contact_radius", f.hertz.contact_radius, "m"},
                              Quantity{"hertz_pressure", f.hertz.pressure, "Pa"},
                              Quantity{"hertz_speed_ratio", f.hertz.speed_ratio, ""},
                              Quantity{"k_n", f.linear.k_n, "N/m"},
                              Quantity{"k_t", f.linear.k_t, "N/m"},
                              Quantity{"damping", f.linear.damping, "N s/m"},
                              Quantity{"linear_contact_time", f.linear.contact_time, "s"},
                              Quantity{"rebound_v_x", f.v.x(), "m/s"},
                              Quantity{"rebound_v_z", f.v.z(), "m/s"},
                              Quantity{"rebound_omega_y", f.omega.y(), "rad/s"},
                              Quantity{"rigid_e", f.rigid.law.e, ""},
                              Quantity{"rigid_e_t", f.rigid.law.e_t, ""},
                              Quantity{"rigid_mu", f.rigid.law.mu, ""},
                              Quantity{"rigid_rms", f.rigid.rms, ""}};
  std::string out = "quantity,value,unit\n";
  for (const Quantity& q : quantities) out += fmt::format("{},{},{}\n", q.name, q.value, q.unit);
  return out;
}

std::string material_text(const Findings& f, const FitRange& range, const std::string& match) {
  const bool wall = !std::isfinite(f.A.radius);
  std::string out =
      fmt::format("sphere of {:g} m against {} at {:g} m/s\n\n", f.B.radius,
                  wall ? std::string("a half space") : fmt::format("a sphere of {:g} m", f.A.radius), f.hertz.speed);
  out += fmt::format(
      "Hertz and Mindlin\n"
      "  kappa             {:.6g}   tangential over normal stiffness\n"
      "  contact time      {:.6g} s\n"
      "  largest force     {:.6g} N\n"
      "  largest approach  {:.6g} m\n"
      "  contact radius    {:.6g} m, {:.3g} of the effective radius\n"
      "  pressure          {:.6g} Pa\n"
      "  wave speed        {:.3g} of it is the speed{}\n",
      f.hertz.kappa, f.hertz.contact_time, f.hertz.force, f.hertz.deflection, f.hertz.contact_radius,
      f.hertz.contact_radius / f.hertz.radius, f.hertz.pressure, f.hertz.speed_ratio,
      f.hertz.wave_passages
          ? fmt::format("; a wave crosses and returns {:.3g} times during contact", *f.hertz.wave_passages)
          : std::string());
  for (const std::string& line : f.beyond) out += fmt::format("  beyond validity: {}\n", line);
  out += fmt::format(
      "\nlinear springs with the same {}\n"
      "  k_n               {:.6g} N/m\n"
      "  k_t               {:.6g} N/m\n"
      "  damping           {:.6g} N s/m\n"
      "  contact time      {:.6g} s\n",
      match == "time" ? "contact time" : "largest " + match, f.linear.k_n, f.linear.k_t, f.linear.damping,
      f.linear.contact_time);
  out += fmt::format(
      "  rebound           v = ({:.6g}, {:.6g}) m/s along the slip and the normal, spin {:.6g} rad/s, "
      "after a slip of {:g} m/s\n",
      f.v.x(), f.v.z(), f.omega.y(), f.slip);
  out += fmt::format("\nLAMMPS, arguments of pair_coeff (pair_style granular) or of fix wall/gran granular\n  {}\n",
                     f.lammps_linear);
  if (f.lammps_hertz) out += fmt::format("  {}\n", *f.lammps_hertz);
  out += fmt::format("\nrigid, the nearest chatterjee-ruina\n{}", fit_text(f.rigid, range));
  return out;
}

int run_material(const MaterialOptions& options) {
  const auto found = find(options);
  if (!found) return refuse_option(found.error());
  const FitRange range{options.angles[0], options.angles[1], 33};
  if (!options.lammps.empty()) {
    const std::string script =
        lammps_script({.A = found->A,
                       .B = found->B,
                       .speed = options.speed,
                       .slip = found->slip,
                       .contact = found->lammps_linear,
                       .contact_time = std::max(found->linear.contact_time, found->hertz.contact_time)});
    if (const int status = write_out(options.lammps, script); status != 0) return status;
  }
  return write_out(options.out, options.format == "json"  ? material_json(options, *found, range)
                                : options.format == "csv" ? material_csv(*found)
                                                          : material_text(*found, range, options.match));
}

}  // namespace

void add_material(Program& program, int& status) {
  const CommandLine command = add_command(program, "material");
  auto options = std::make_shared<MaterialOptions>();
  command.add_option("--E", options->ball.E, "Young's modulus [Pa]").required().type_name("PA");
  command.add_option("--nu", options->ball.nu, "Poisson's ratio").required().type_name("X");
  command.add_option("--density", options->ball.density, "[kg/m³]").required().type_name("X");
  command.add_option("--radius", options->ball.radius, "of the sphere [m]").required().type_name("M");
  command.add_option("--yield", options->yield, "yield stress, for a warning of plastic flow [Pa]").type_name("PA");
  const Option wall = command.add_flag("--wall", options->wall, "against a half space instead of a second sphere");
  command.add_option("--E2", options->E2, "of the second body; omitted values equal those of the first")
      .type_name("PA");
  command.add_option("--nu2", options->nu2, "").type_name("X");
  command.add_option("--density2", options->density2, "").type_name("X").excludes(wall);
  command.add_option("--radius2", options->radius2, "").type_name("M").excludes(wall);
  command.add_option("--yield2", options->yield2, "").type_name("PA");
  command.add_option("--speed", options->speed, "closing speed [m/s], 1 by default").type_name("X");
  command.add_option("--slip", options->slip, "slip of the impact shown [m/s], equal to the speed by default")
      .type_name("X");
  command.add_option("--e", options->e, "restitution of a central impact, 1 by default").type_name("X");
  command.add_option("--mu", options->mu, "friction, 0.3 by default").type_name("X");
  command.add_option("--match", options->match, "quantity that the linear spring matches: time, force or approach")
      .among({"time", "force", "approach"})
      .type_name("WHAT");
  add_angles_option(command, options->angles, "incidence for the rigid law, degrees, 0 to 80 by default");
  command.add_option("--lammps", options->lammps, "writes a LAMMPS input script of the impact").type_name("FILE");
  add_format_option(command, options->format, {"table", "json", "csv"});
  add_output_option(command, options->out);
  command.footer(
      "Example:\n  ricochet material --E 210e9 --nu 0.3 --density 7800 --radius 0.01 --wall --e 0.9 --mu 0.2");
  command.callback([options, &status] { status = run_material(*options); });
}

}  // namespace ricochet::app
