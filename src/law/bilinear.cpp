#include "ricochet/law/bilinear.hpp"

#include <fmt/format.h>

#include <string>

#include "ricochet/base/parameter.hpp"
#include "ricochet/law/bilinear_kernel.hpp"
#include "ricochet/law/collide.hpp"

namespace ricochet {

namespace {

/// Fails where M couples the axes of the contact frame.
Expected<void> check_diagonal(const Local<double>& local, double tolerance) {
  const Coupling off = coupling(local, tolerance);
  if (!off.any()) return {};
  std::string entries;
  const auto list = [&](bool bad, const char* entry, double value) {
    if (bad) entries += fmt::format("{}{} = {}", entries.empty() ? "" : ", ", entry, to_text(value));
  };
  list(off.nt, "M_12", local.M(0, 1));
  list(off.nb, "M_13", local.M(0, 2));
  list(off.tb, "M_23", local.M(1, 2));
  return fail(ErrorCode::invalid, "M", "",
              fmt::format("must be diagonal in the contact frame (normal, slip, across) to {} of its largest entry, "
                          "as for spheres and disks, but has {}; chatterjee-ruina is the same law for any M",
                          to_text(tolerance), entries));
}

}  // namespace

Expected<Outcome> collide(const Bilinear& law, const Contact& contact) {
  const Expected<void> fine =
      check_parameters(law).and_then([&] { return in_range("tolerance", law.tolerance, between(0, 1)); });
  if (!fine) return tl::unexpected(fine.error());
  const Local<double> local = localize<double>(contact);
  if (!(local.V(0) < 0)) return no_collision(contact);
  if (const Expected<void> diagonal = check_diagonal(local, law.tolerance); !diagonal)
    return tl::unexpected(diagonal.error());
  return solve_and_certify(law, local, law.mu);
}

}  // namespace ricochet
