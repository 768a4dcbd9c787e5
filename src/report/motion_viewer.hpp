#pragma once
/// The viewer of web/motion/, compiled in, so that a page can be written wherever the program runs.

#include <span>
#include <string_view>

namespace ricochet {

/// One after the other they are one script.
[[nodiscard]] std::span<const std::string_view> motion_modules();
[[nodiscard]] std::string_view motion_style();

}  // namespace ricochet
