#include "ricochet/io/lammps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace ricochet {

std::string lammps_linear(const compliant::LinearContact& contact, double mu) {
  return fmt::format("hooke {} {} damping velocity tangential linear_history {} 0 {} limit_damping", contact.k_n,
                     contact.damping, contact.k_t, mu);
}

std::string lammps_hertz(const compliant::HertzImpact& impact, double mu) {
  return fmt::format("hertz {} 0 damping velocity tangential mindlin {} 0 {}", 4.0 / 3 * impact.E, 8 * impact.G, mu);
}

std::string lammps_script(const LammpsBounce& b) {
  const bool wall = !std::isfinite(b.A.radius);
  const double largest = wall ? b.B.radius : std::max(b.A.radius, b.B.radius);
  // Twice the contact distance, so that the spheres have separated, remains inside the box.
  const double box = 8 * largest + 4 * b.contact_time * (b.speed + std::abs(b.slip));
  const int grain = wall ? 1 : 2;
  std::string out = "# One oblique impact; lmp -in FILE, or with -var steps N for a finer time step.\n";
  out += fmt::format("variable contact string \"{}\"\n", b.contact);
  out += "variable steps index 20000\n";
  out +=
      "units si\n"
      "atom_style sphere\n"
      "atom_modify map array\n"
      "boundary f f f\n"
      "newton off\n"
      "comm_modify vel yes\n";
  out += fmt::format("region box block {0} {1} {0} {1} {0} {1} units box\n", -box, box);
  out += "create_box 1 box\n";
  const auto place = [&](int id, const compliant::ElasticSphere& s, double z) {
    out += fmt::format("create_atoms 1 single 0 0 {} units box\n", z);
    out += fmt::format("set atom {} diameter {}\n", id, 2 * s.radius);
    out += fmt::format("set atom {} density {}\n", id, s.density);
  };
  if (!wall) place(1, b.A, 0);
  place(grain, b.B, wall ? b.B.radius : b.A.radius + b.B.radius);
  out += fmt::format("group moving id {}\n", grain);
  out += fmt::format("velocity moving set {} 0 {} units box\n", b.slip, -b.speed);
  out += fmt::format("neighbor {} bin\n", 0.5 * largest);
  if (wall) {
    out += "pair_style none\n";
    out += "fix wall all wall/gran granular ${contact} zplane 0 NULL\n";
  } else {
    out += "pair_style granular\n";
    out += "pair_coeff * * ${contact}\n";
  }
  out += "fix motion all nve/sphere\n";
  out += fmt::format("timestep $({}/v_steps)\n", b.contact_time);
  // Printed with the last step, when LAMMPS has evaluated them.
  out += "compute spin all property/atom omegax omegay omegaz\n";
  std::string columns, numbers;
  const auto variable = [&](std::string_view name, std::string_view value) {
    out += fmt::format("variable {} equal {}\n", name, value);
    columns += fmt::format(" v_{}", name);
    numbers += fmt::format(" $(v_{}:%.15g)", name);
  };
  for (const char* v : {"vx", "vy", "vz"}) variable(v, fmt::format("{}[{}]", v, grain));
  for (int i = 0; i < 3; ++i) variable(fmt::format("w{}", "xyz"[i]), fmt::format("c_spin[{}][{}]", grain, i + 1));
  out += fmt::format("thermo_style custom step{}\n", columns);
  out += "thermo 1000000000\n";
  out += "run $(ceil(1.6*v_steps))\n";
  out += fmt::format("print \"REBOUND{}\"\n", numbers);
  return out;
}

}  // namespace ricochet
