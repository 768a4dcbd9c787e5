#include "ricochet/law/fill_parameters.hpp"

#include <fmt/format.h>

namespace ricochet {

Error missing_parameter(const ParameterInfo& info, std::string_view law) {
  std::string allowed = fmt::format("needed by {}, {}", law, allowed_text(info));
  if (info.default_value.kind == ParameterDefault::Kind::parameter)
    allowed += fmt::format(" ({} is taken where only that is given)", info.default_value.text);
  return {ErrorCode::missing, std::string(info.name), "", std::move(allowed)};
}

namespace detail {

Expected<void> fill_within(const ParameterInfo& info, std::string_view name, double value, double& member) {
  if (!info.bounds.contains(value)) {
    Error error = out_of_range(info, value);
    error.path = name;
    return tl::unexpected(std::move(error));
  }
  member = value;
  return {};
}

}  // namespace detail

}  // namespace ricochet
