#pragma once
/// The viewer of web/motion/, compiled in, so that a page can be written wherever the program runs.

#include <string_view>

namespace ricochet {

[[nodiscard]] std::string_view motion_script();
[[nodiscard]] std::string_view motion_style();

}  // namespace ricochet
