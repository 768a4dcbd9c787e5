#pragma once
/// Every law under its name. The command line, Python and the page go through here; C++ users may call
/// `collide(ChatterjeeRuina{...}, contact)` directly.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ricochet/law/anitescu_potra.hpp"
#include "ricochet/law/bilinear.hpp"
#include "ricochet/law/brach.hpp"
#include "ricochet/law/chatterjee_ruina.hpp"
#include "ricochet/law/composite.hpp"
#include "ricochet/law/frictionless.hpp"
#include "ricochet/law/permissible_point.hpp"
#include "ricochet/law/pfeiffer_glocker.hpp"
#include "ricochet/law/projected.hpp"
#include "ricochet/law/routh.hpp"
#include "ricochet/law/smith.hpp"
#include "ricochet/law/spring_sledge.hpp"
#include "ricochet/law/whittaker.hpp"

namespace ricochet {

/// BaseLaw (composite.hpp) is the variant of all laws but the composite one.
using Law = std::variant<Frictionless, ChatterjeeRuina, Bilinear, Routh, Whittaker, Smith, Brach, PfeifferGlocker,
                         AnitescuPotra, PermissiblePoint, Projected, SpringSledge, Composite>;

[[nodiscard]] Expected<Outcome> collide(const Law& law, const Contact& contact);

struct ParameterInfo {
  std::string_view name;
  std::string_view range;     ///< as a person would write it: "0 to 1", "0 to inf"
  std::string_view fallback;  ///< what is taken when it is not given; empty: it must be given
  std::string_view meaning;
};

/// What the law's theory promises.
struct Guarantees {
  bool energy = false;
  bool separation = false;
  bool friction = false;  ///< cone and n·P ≥ 0
};

/// What the law promises with these very parameters, provided that they are in range.
[[nodiscard]] Guarantees guarantees(const Law& law);

struct LawInfo {
  std::string_view name;  ///< on the command line
  std::string_view title;
  std::string_view source;
  std::span<const ParameterInfo> parameters;
  Guarantees guarantees;    ///< for all parameters in range; `guarantees(law)` may promise more
  std::string_view caveat;  ///< where a promise depends on parameters or contacts are refused; empty: nowhere
  bool planar = false;      ///< refuses contacts that are not planar
};

[[nodiscard]] std::span<const LawInfo> laws();
[[nodiscard]] const LawInfo* find_law(std::string_view name);

/// The common vocabulary of parameters. A law takes those it knows and leaves the others alone, so that one file serves
/// every law.
struct Settings {
  std::optional<double> e, e_t, mu, mu_s, e_k, nu, mu_2, mu_3, psi_1, psi_2, rho, sigma, smooth, kappa;
  std::optional<std::string> restitution, first, second, damper;
  std::optional<Vec3> wish;
};

using Value = std::variant<double, std::string, std::vector<double>>;

/// Sets one parameter by name ("mu", "inf" and so on). Unknown names and wrong types are errors; ranges are checked
/// when the law is made or used.
[[nodiscard]] Expected<void> set(Settings& settings, std::string_view name, const Value& value);

/// What `set` was told, or nothing; infinity as a number.
[[nodiscard]] std::optional<Value> get(const Settings& settings, std::string_view name);

/// Names that `set` and `get` know.
[[nodiscard]] std::span<const std::string_view> parameter_names();

/// Fails on an unknown law, on a parameter that the law needs and that is not set (Error::value is empty then), and on
/// one out of range.
[[nodiscard]] Expected<Law> make_law(std::string_view name, const Settings& settings);

}  // namespace ricochet
