#include "outside_commands.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace ricochet::app {
namespace {

constexpr std::array commands{
    OutsideCommand{"disc", "a disc meets a plane or another disc, or a wheel rolls, on springs"},
    OutsideCommand{"equivalent", "parameters of one law that reproduce another best over a range of incidence"},
    OutsideCommand{"explore", "the page on which impulse space can be seen and dragged, in the browser"},
    OutsideCommand{"figure", "pictures of impulse space, velocities and energies, as SVG and PDF"},
    OutsideCommand{"impact", "impact of a mechanism, from a URDF or MJCF file or bundled, by any law"},
    OutsideCommand{"material", "from elastic constants to contact stiffness, LAMMPS parameters and a rigid law"},
    OutsideCommand{"process", "a compliant impact over time: forces, deflections, phases, energies"},
    OutsideCommand{"report", "one HTML file about a collision, a mechanism's impact or a scene of many contacts"},
    OutsideCommand{"reproduce", "recompute the worked examples of the papers beside their printed numbers"},
    OutsideCommand{"simultaneous", "many contacts at once, and whether the answer is determinate"},
};

}  // namespace

std::span<const OutsideCommand> outside_commands() { return commands; }

int become(std::string_view name, char** argv) {
  std::error_code problem;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", problem);
  const std::filesystem::path program = self.parent_path() / fmt::format("ricochet-{}", name);
  if (problem || !std::filesystem::exists(program, problem)) {
    fmt::print(stderr,
               "ricochet: the command {} is a program of its own, ricochet-{}, which is not beside this one; ./run {} "
               "builds it\n",
               name, name, name);
    return 2;
  }
  execv(program.c_str(), argv);
  fmt::print(stderr, "ricochet: {} cannot be started: {}\n", program.string(), std::strerror(errno));
  return 1;
}

}  // namespace ricochet::app
