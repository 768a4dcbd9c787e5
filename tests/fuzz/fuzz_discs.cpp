/// Any bytes as a scene of discs or a wheel. What is accepted is not run, which may take long; its discs are looked at.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "every_law.hpp"
#include "ricochet/compliant/disc_shape.hpp"
#include "ricochet/io/discs_toml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ricochet;
  const auto scene = read_discs({reinterpret_cast<const char*>(data), size}, {});
  if (!scene) {
    check_error(scene.error().error);
    return 0;
  }
  const std::size_t count = scene->discs.size();
  demand(scene->wheel ? count == 0 : count == 1 || count == 2, "neither discs nor a wheel", "");
  demand(scene->line_of(scene->wheel ? "duration" : "stiffness") > 0, "a field that was read has no line", "");
  for (const compliant::Disc& disc : scene->discs) {
    const auto fine = compliant::check(disc);
    if (!fine) {
      check_error(fine.error());
      continue;
    }
    const compliant::Support reach = compliant::support(disc.shape, disc.axis, -Vec3::UnitZ());
    demand(!std::isnan(reach.h) && !reach.arm.hasNaN(), "a disc that was checked has no support", "");
  }
  return 0;
}
