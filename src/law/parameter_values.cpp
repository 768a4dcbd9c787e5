#include "ricochet/law/parameter_values.hpp"

#include <algorithm>
#include <string>

#include "ricochet/law/cone_friction.hpp"

namespace ricochet {
namespace {

std::string word(Restitution restitution) {
  switch (restitution) {
    case Restitution::poisson: return "poisson";
    case Restitution::stronge: return "stronge";
    case Restitution::newton: return "newton";
  }
  return "unknown";
}

std::string word(compliant::Damper damper) {
  switch (damper) {
    case compliant::Damper::hysteretic: return "hysteretic";
    case compliant::Damper::linear: return "linear";
    case compliant::Damper::hunt_crossley: return "hunt-crossley";
  }
  return "unknown";
}

using Values = std::vector<std::pair<std::string_view, Value>>;

void add(Values& out, std::string_view name, Value value) {
  const bool known = std::any_of(out.begin(), out.end(), [&](const auto& one) { return one.first == name; });
  if (!known) out.emplace_back(name, std::move(value));
}

template <class OneLaw>
void add_values(Values& out, const OneLaw& l) {
  if constexpr (requires { l.kappa; }) add(out, "kappa", l.kappa);
  if constexpr (requires { l.psi_1; }) {
    add(out, "psi_1", l.psi_1);
    add(out, "psi_2", l.psi_2);
    add(out, "rho", l.rho);
  }
  if constexpr (requires { l.sigma; }) add(out, "sigma", l.sigma);
  if constexpr (requires { l.wish; }) {
    add(out, "wish", std::vector<double>{l.wish.x(), l.wish.y(), l.wish.z()});
  } else if constexpr (requires { l.target; }) {
    add(out, "target", std::vector<double>{l.target.x(), l.target.y(), l.target.z()});
  }
  if constexpr (requires { l.e; }) add(out, "e", l.e);
  if constexpr (requires { l.e_k; }) add(out, "e_k", l.e_k);
  if constexpr (requires { l.mu_2; }) {
    add(out, "mu_2", l.mu_2);
    add(out, "mu_3", l.mu_3);
  }
  if constexpr (requires { l.mu; }) add(out, "mu", l.mu);
  if constexpr (requires { l.mu_s; }) add(out, "mu_s", cone_friction(l));
  if constexpr (requires { l.restitution; }) add(out, "restitution", word(l.restitution));
  if constexpr (requires { l.nu; }) add(out, "nu", l.nu);
  if constexpr (requires { l.e_t; }) add(out, "e_t", l.e_t);
  if constexpr (requires { l.smooth; }) add(out, "smooth", l.smooth);
  if constexpr (requires { l.damper; }) add(out, "damper", word(l.damper));
  if constexpr (requires { l.first; }) {
    // BaseLaw has the laws of the table in its order, but for the composite one at the end.
    add(out, "first", std::string(laws()[l.first.index()].name));
    add(out, "second", std::string(laws()[l.second.index()].name));
    std::visit([&](const auto& part) { add_values(out, part); }, l.first);
    std::visit([&](const auto& part) { add_values(out, part); }, l.second);
  }
}

}  // namespace

Values parameter_values(const Law& law) {
  Values out;
  std::visit([&](const auto& one) { add_values(out, one); }, law);
  return out;
}

}  // namespace ricochet
