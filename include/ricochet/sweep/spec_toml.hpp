#pragma once
/// The document of a sweep, docs/sweep.md.

#include <string_view>

#include "ricochet/io/fault.hpp"
#include "ricochet/sweep/spec.hpp"

namespace ricochet::sweep {

[[nodiscard]] Read<SweepSpec> read_sweep_toml(std::string_view text);

}  // namespace ricochet::sweep
