#pragma once
/// For every accepted input, every law must answer or return an error: an outcome with NaN or inf is a bug.

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "ricochet/base/error_path.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/scene/collision.hpp"

namespace ricochet {

inline void demand(bool fine, std::string_view what, std::string_view law) {
  if (fine) return;
  std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(law.size()), law.data(), static_cast<int>(what.size()),
               what.data());
  std::abort();
}

/// An error says in one line what is wrong, names the input unless a whole file or line, or the law, is at fault, and
/// its code fits.
inline void check_error(const Error& error) {
  const std::string line = error.message();
  demand(!error.allowed.empty(), "error without a reason", line);
  demand(line.find('\n') == std::string::npos, "error of two lines", line);
  demand(error.code != ErrorCode::missing || error.value.empty(), "what is missing has a value", line);
  const bool whole = is_failure_to_solve(error.code) || error.code == ErrorCode::malformed ||
                     error.code == ErrorCode::missing ||
                     error.code == ErrorCode::wrong_type;  // empty input, or a line that is not an object
  demand(!error.path.empty() || whole, "error without a path", line);
  for (const PathStep& step : path_steps(error.path)) demand(!step.name.empty(), "path with an empty step", line);
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

}  // namespace ricochet
