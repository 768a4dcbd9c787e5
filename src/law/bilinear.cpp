#include "ricochet/law/bilinear.hpp"

#include <fmt/format.h>

#include <string>

#include "ricochet/law/collide.hpp"

namespace ricochet {

Expected<Outcome> collide(const Bilinear& law, const Contact& contact) {
  const auto check = [&](const Bilinear& l) -> Expected<void> {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto fine = in_range("e", l.e, 0, 1)
                          .and_then([&] { return in_range("e_t", l.e_t, -1, 1); })
                          .and_then([&] { return in_range("mu", l.mu, 0, infinity); })
                          .and_then([&] { return in_range("tolerance", l.tolerance, 0, 1); });
    if (!fine) return fine;
    const Local<double> local = localize<double>(contact);
    if (!(local.V(0) < 0)) return {};
    const Coupling off = coupling(local, l.tolerance);
    if (!off.any()) return {};
    std::string entries;
    const auto list = [&](bool bad, const char* entry, double value) {
      if (bad) entries += fmt::format("{}{} = {}", entries.empty() ? "" : ", ", entry, to_text(value));
    };
    list(off.nt, "M_12", local.M(0, 1));
    list(off.nb, "M_13", local.M(0, 2));
    list(off.tb, "M_23", local.M(1, 2));
    return fail("M", entries,
                fmt::format("must be diagonal in the contact frame (normal, slip, across) to {} of its largest entry, "
                            "as for spheres and disks; chatterjee-ruina is the same law for any M",
                            to_text(l.tolerance)));
  };
  return collide_by(law, contact, law.mu, check);
}

}  // namespace ricochet
