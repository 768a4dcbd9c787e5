#pragma once
/// Values as TOML: numbers that read back as the same double, strings with what TOML wants escaped.

#include <string>
#include <string_view>

#include "ricochet/body/rigid_body.hpp"
#include "ricochet/law/registry.hpp"

namespace ricochet {

[[nodiscard]] std::string toml_value(double x);
[[nodiscard]] std::string toml_value(std::string_view text);
[[nodiscard]] std::string toml_value(const Vec3& v);
[[nodiscard]] std::string toml_value(const Mat3& A);

/// "key = value" and the end of the line. A key that TOML cannot take bare is quoted.
[[nodiscard]] std::string toml_line(std::string_view key, const std::string& value);

/// Mass, inertia, place and motion; for a fixed body no mass and no inertia.
[[nodiscard]] std::string toml_lines(const RigidBody& body);

/// A line for every parameter that is set.
[[nodiscard]] std::string toml_lines(const LawParameters& parameters);

}  // namespace ricochet
