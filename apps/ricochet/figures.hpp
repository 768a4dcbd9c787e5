#pragma once
/// The figures of the papers by name, and the same constructions for any collision.

#include <span>
#include <string>
#include <string_view>

#include "collision.hpp"
#include "ricochet/report/drawing.hpp"

namespace ricochet::app {

struct NamedFigure {
  std::string_view name;  ///< on the command line
  std::string_view title;
  Expected<Drawing> (*make)();
};

[[nodiscard]] std::span<const NamedFigure> named_figures();

/// Kinds of picture of a collision: "impulse-plane", "impulse-solid", "energy", "velocity", "process".
[[nodiscard]] std::span<const std::string_view> figure_kinds();

/// `law` empty or "all": every law that has an answer, where the picture can hold several; else routh, or the first
/// that has an answer.
[[nodiscard]] Expected<Drawing> figure_of(const Collision& collision, std::string_view kind, std::string_view law);

}  // namespace ricochet::app
