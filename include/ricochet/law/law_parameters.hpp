#pragma once
/// The common set of parameters. A law uses those it knows and ignores the others, so that one file serves every
/// law.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ricochet/base/error.hpp"
#include "ricochet/base/linear.hpp"
#include "ricochet/base/parameter.hpp"

namespace ricochet {

struct LawParameters {
  std::optional<double> e, e_t, mu, mu_s, e_k, nu, mu_2, mu_3, psi_1, psi_2, rho, sigma, smooth, kappa, e_v, e_i, mu_v,
      mu_i, e_vv, e_ii, e_r, e_ir, e_c, e_m, tau, tau_v, tau_c, tau_ic, tau_m, chi_c, chi_ic, chi_rc, chi_m;
  std::optional<std::string> restitution, first, second, damper;
  std::optional<Vec3> target;
};

using Value = std::variant<double, std::string, std::vector<double>>;

/// Sets one parameter by name or alias. Unknown names, values of the wrong type and vectors that are not finite are
/// errors; "inf" is a number. Ranges depend on the law and are checked when it is made.
[[nodiscard]] Expected<void> set(LawParameters& settings, std::string_view key, const Value& value);

/// What `set` was told, or nothing; infinity as a number.
[[nodiscard]] std::optional<Value> get(const LawParameters& settings, std::string_view key);

/// Names that `set` and `get` know, aliases apart.
[[nodiscard]] std::span<const std::string_view> parameter_names();

/// Older keys that are still read: "wish" is "target".
struct ParameterAlias {
  std::string_view alias, name;
};
[[nodiscard]] std::span<const ParameterAlias> parameter_aliases();

/// The name that a key stands for, itself or the one that it is an alias of; empty where it is no parameter.
[[nodiscard]] std::string_view parameter_name(std::string_view key);

/// What a value of this key must be; nothing where it is no parameter.
[[nodiscard]] std::optional<ParameterKind> parameter_kind(std::string_view key);

}  // namespace ricochet
