#include "ricochet/compliant/material.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>

#include "commands.hpp"
#include "fit_report.hpp"
#include "output_file.hpp"
#include "ricochet/report/lammps.hpp"
#include "text.hpp"

namespace ricochet::app {
namespace {

using compliant::ElasticSphere;
using compliant::HertzImpact;
using compliant::LinearContact;
using compliant::Match;

constexpr double degree = std::numbers::pi / 180;

struct Options {
  ElasticSphere ball;
  std::optional<double> yield, E2, nu2, density2, radius2, yield2;
  bool wall = false;
  double speed = 1, e = 1, mu = 0.3;
  std::optional<double> slip;
  std::string match = "time";
  std::vector<double> angles = {0, 80};
  std::string lammps;
  std::string format = "table";
};

int refuse(const Error& error) {
  fmt::print(stderr, "{}\n", fault_line("--" + error.field, 0, error));
  return 2;
}

/// All that is shown.
struct Findings {
  ElasticSphere A, B;  ///< B is the one that moves
  HertzImpact hertz;
  LinearContact linear;
  double slip = 0;
  Vec3 v, omega;  ///< of B after the oblique bounce, n = z and slip along x
  Fit<ChatterjeeRuina> rigid;
  std::string lammps_linear;
  std::optional<std::string> lammps_hertz;
  std::vector<std::string> beyond;
};

/// The contact of two solid spheres: W = (1, 7/2, 7/2)/m* (docs/equivalents.md, Q9).
Expected<Contact> sphere_contact(double mass, const Vec3& V) {
  const Mat3 W = Vec3(3.5, 3.5, 1).asDiagonal() * Mat3::Identity() / mass;
  return contact_from_mobility(W, V, Vec3::UnitZ());
}

Expected<Findings> find(const Options& options) {
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
  if (!std::isfinite(out.slip)) return fail("slip", to_text(out.slip), "must be finite");
  if (!(options.mu >= 0) || !std::isfinite(options.mu))
    return fail("mu", to_text(options.mu), "must be finite and at least 0");

  // As a law that all contacts can be asked.
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
  if (!contacts) {
    Error error = contacts.error();
    if (error.field == "from" || error.field == "to") error.field = "angles";
    return tl::unexpected(error);
  }
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

std::string as_json(const Findings& f, const FitRange& range) {
  Json out{{"kappa", f.hertz.kappa},
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

std::string as_text(const Findings& f, const FitRange& range, const std::string& match) {
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

int run(const Options& options) {
  const auto found = find(options);
  if (!found) return refuse(found.error());
  const FitRange range{options.angles[0], options.angles[1], 33};
  if (!options.lammps.empty()) {
    const std::string script =
        lammps_script({.A = found->A,
                       .B = found->B,
                       .speed = options.speed,
                       .slip = found->slip,
                       .contact = found->lammps_linear,
                       .contact_time = std::max(found->linear.contact_time, found->hertz.contact_time)});
    Expected<OutputFile> file = OutputFile::open(options.lammps);
    const Expected<void> done = file ? file->write(script).and_then([&] { return file->commit(); })
                                     : Expected<void>(tl::unexpected(file.error()));
    if (!done) {
      fmt::print(stderr, "{}\n", complaint(done.error()));
      return 1;
    }
  }
  return print_out(options.format == "json" ? as_json(*found, range) : as_text(*found, range, options.match));
}

}  // namespace

void add_material(CLI::App& program, int& status) {
  auto* command = program.add_subcommand(
      "material", "from elastic constants of spheres to contact stiffness, LAMMPS parameters and a rigid law");
  auto options = std::make_shared<Options>();
  command->add_option("--E", options->ball.E, "Young's modulus [Pa]")->required()->type_name("PA");
  command->add_option("--nu", options->ball.nu, "Poisson's ratio")->required()->type_name("X");
  command->add_option("--density", options->ball.density, "[kg/m³]")->required()->type_name("X");
  command->add_option("--radius", options->ball.radius, "of the sphere [m]")->required()->type_name("M");
  command->add_option("--yield", options->yield, "yield stress, to be warned of plastic flow [Pa]")->type_name("PA");
  auto* wall = command->add_flag("--wall", options->wall, "against a half space; else against a second sphere");
  command->add_option("--E2", options->E2, "of the second body; what is not given is as of the first")->type_name("PA");
  command->add_option("--nu2", options->nu2, "")->type_name("X");
  command->add_option("--density2", options->density2, "")->type_name("X")->excludes(wall);
  command->add_option("--radius2", options->radius2, "")->type_name("M")->excludes(wall);
  command->add_option("--yield2", options->yield2, "")->type_name("PA");
  command->add_option("--speed", options->speed, "closing speed [m/s], 1 by default")->type_name("X");
  command->add_option("--slip", options->slip, "slip of the bounce shown [m/s], as the speed by default")
      ->type_name("X");
  command->add_option("--e", options->e, "restitution of a central impact, 1 by default")->type_name("X");
  command->add_option("--mu", options->mu, "friction, 0.3 by default")->type_name("X");
  command->add_option("--match", options->match, "what the linear spring shares with Hertz: time, force or approach")
      ->check(CLI::IsMember({"time", "force", "approach"}))
      ->type_name("WHAT");
  command->add_option("--angles", options->angles, "incidence for the rigid law, degrees, 0 to 80 by default")
      ->type_name("FROM TO")
      ->expected(2);
  command->add_option("--lammps", options->lammps, "writes an input script of the bounce")->type_name("FILE");
  command->add_option("--format", options->format, "table by default")
      ->check(CLI::IsMember({"table", "json"}))
      ->type_name("FORMAT");
  command->footer(
      "Example:\n  ricochet material --E 210e9 --nu 0.3 --density 7800 --radius 0.01 --wall --e 0.9 --mu 0.2");
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace ricochet::app
