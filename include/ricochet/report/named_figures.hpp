#pragma once
/// Figures of the papers by name, and the same constructions for any collision.

#include <span>
#include <string>
#include <string_view>

#include "ricochet/report/drawing.hpp"
#include "ricochet/scene/collision.hpp"

namespace ricochet {

struct NamedFigure {
  std::string_view name;  ///< on the command line
  std::string_view title;
  Expected<Drawing> (*make)();
};

[[nodiscard]] std::span<const NamedFigure> named_figures();

/// plot_of (plots.hpp), drawn; `law` empty or "all": every law.
[[nodiscard]] Expected<Drawing> figure_of(const Collision& collision, std::string_view kind, std::string_view law);

}  // namespace ricochet
