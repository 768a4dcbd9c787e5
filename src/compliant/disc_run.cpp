#include "ricochet/compliant/disc_run.hpp"

#include <cmath>
#include <numbers>
#include <string>

namespace ricochet::compliant {

Expected<void> check(const DiscRun& r) {
  if (!(r.gravity >= 0) || !std::isfinite(r.gravity))
    return fail(ErrorCode::out_of_range, "gravity", to_text(r.gravity), "must be finite and not negative");
  if (!(r.duration >= 0) || !std::isfinite(r.duration))
    return fail(ErrorCode::out_of_range, "duration", to_text(r.duration), "must be finite and not negative");
  if (!(r.tolerance >= 1e-14 && r.tolerance <= 1e-3))
    return fail(ErrorCode::out_of_range, "tolerance", to_text(r.tolerance), "must be from 1e-14 to 1e-3");
  if (r.most_steps < 1)
    return fail(ErrorCode::out_of_range, "most_steps", std::to_string(r.most_steps), "must be at least 1");
  if (!(r.sample_interval >= 0) || !std::isfinite(r.sample_interval))
    return fail(ErrorCode::out_of_range, "sample_interval", to_text(r.sample_interval),
                "must be finite and not negative");
  if (r.sample_interval > 0 && r.duration / r.sample_interval > 1e6)
    return fail(ErrorCode::out_of_range, "sample_interval", to_text(r.sample_interval),
                "must be at least a millionth of the duration");
  return {};
}

double sample_interval(const DiscRun& run, double time_scale) {
  if (run.sample_interval > 0) return run.sample_interval;
  return std::fmax(time_scale * std::numbers::pi / 64, run.duration / 4096);
}

}  // namespace ricochet::compliant
