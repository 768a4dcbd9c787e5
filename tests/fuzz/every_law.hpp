#pragma once
/// Whatever a reader accepts, every law must answer or refuse: an outcome with NaN or inf in it is a bug.

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "collision.hpp"
#include "text.hpp"

namespace ricochet::app {

inline void demand(bool fine, std::string_view what, std::string_view law) {
  if (fine) return;
  std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(law.size()), law.data(), static_cast<int>(what.size()),
               what.data());
  std::abort();
}

/// An error must have something to say, in one line.
inline void check_error(const Error& error) {
  const std::string line = fault_line("file", 1, error);
  demand(!error.allowed.empty(), "error without a reason", "");
  demand(line.find('\n') == std::string::npos, "error of two lines", "");
}

inline void ask_every_law(const Collision& collision) {
  for (const LawInfo& info : laws()) {
    const Expected<Law> law = make_law(info.name, collision.settings);
    if (!law) {
      check_error(law.error());
      continue;
    }
    const Expected<Outcome> out = collide(*law, collision.contact);
    if (!out) {
      check_error(out.error());
      continue;
    }
    const Margins& m = out->certificate.margins;
    demand(out->P.allFinite() && out->V.allFinite(), "P or V is not finite", info.name);
    demand(std::isfinite(out->energy_change) && std::isfinite(out->normal_work) && std::isfinite(out->friction_work),
           "work is not finite", info.name);
    demand(!std::isnan(m.energy) && !std::isnan(m.separation) && !std::isnan(m.compression) && !std::isnan(m.friction),
           "a margin is NaN", info.name);
  }
}

}  // namespace ricochet::app
