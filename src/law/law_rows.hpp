#pragma once
/// The rows of the table of laws, in the order of the variant. A row binds parameters to members
/// (parameter_binding.hpp) and describes the law; `promised` narrows down guarantees that depend on parameters.

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>

#include "ricochet/base/parameter_binding.hpp"
#include "ricochet/compliant/sledge_parameters.hpp"
#include "ricochet/law/law_table.hpp"

namespace ricochet {

template <class L>
struct LawRow;

namespace rows {

inline constexpr Guarantees all{true, true, true};

inline constexpr ParameterInfo e{
    .name = "e", .bounds = between(0, 1), .meaning = "kinematic restitution: rebound speed over approach speed"};
inline constexpr ParameterInfo mu{.name = "mu", .bounds = at_least(0), .meaning = "friction coefficient"};
inline constexpr ParameterInfo mu_s{.name = "mu_s",
                                    .bounds = at_least(0),
                                    .not_below = "mu",
                                    .default_value = same_as("mu"),
                                    .meaning = "sticking friction coefficient"};
inline constexpr ParameterInfo e_k{
    .name = "e_k",
    .bounds = between(0, 1),
    .default_value = same_as("e"),
    .meaning = "kinetic (Poisson) restitution: impulse of restitution over impulse of compression"};
inline constexpr ParameterInfo e_t{
    .name = "e_t",
    .bounds = between(-1, 1),
    .default_value = default_number(0),
    .meaning = "tangential restitution: 1 reverses, 0 removes, -1 keeps the tangential velocity that P_I leaves"};

constexpr ParameterInfo slope(std::string_view name, std::string_view meaning) {
  return {.name = name, .bounds = any_finite(), .default_value = default_number(0), .meaning = meaning};
}

}  // namespace rows

template <>
struct LawRow<Frictionless> {
  static constexpr std::array parameters{rows::e};
  static constexpr std::tuple members{&Frictionless::e};
  static constexpr LawInfo info{.name = "frictionless",
                                .title = "frictionless impact with Newton's restitution",
                                .source = "CR98 Eq. 3",
                                .parameters = parameters,
                                .guarantees = rows::all};
};

template <>
struct LawRow<ChatterjeeRuina> {
  static constexpr std::array parameters{
      rows::e, rows::mu, rows::e_t,
      ParameterInfo{.name = "smooth",
                    .bounds = between(0, 1),
                    .default_value = default_number(0),
                    .meaning = "width of the stick-slip transition; 0 is sharp, as published"}};
  static constexpr std::tuple members{&ChatterjeeRuina::e, &ChatterjeeRuina::mu, &ChatterjeeRuina::e_t,
                                      &ChatterjeeRuina::smooth};
  static constexpr LawInfo info{.name = "chatterjee-ruina",
                                .title = "two-parameter algebraic law of Chatterjee and Ruina",
                                .source = "CR98 section 5",
                                .parameters = parameters,
                                .cone = "mu",
                                .guarantees = rows::all};
};

template <>
struct LawRow<Bilinear> {
  static constexpr std::array parameters{rows::e, rows::mu, rows::e_t};
  static constexpr std::tuple members{&Bilinear::e, &Bilinear::mu, &Bilinear::e_t};
  static constexpr LawInfo info{.name = "bilinear",
                                .title = "bilinear law for spheres and disks",
                                .source = "CR98 Eq. 9",
                                .parameters = parameters,
                                .cone = "mu",
                                .guarantees = rows::all,
                                .caveat = "requires M to be diagonal in the contact frame"};
};

template <>
struct LawRow<Routh> {
  /// In the order of Restitution.
  static constexpr std::array<std::string_view, 3> restitutions{"poisson", "stronge", "newton"};
  static constexpr std::array parameters{
      ParameterInfo{.name = "e", .bounds = between(0, 1), .meaning = "restitution, in the sense of `restitution`"},
      ParameterInfo{.name = "mu", .bounds = at_least(0), .meaning = "sliding friction coefficient"}, rows::mu_s,
      ParameterInfo{.name = "restitution",
                    .kind = ParameterKind::word,
                    .choices = restitutions,
                    .default_value = default_word("poisson"),
                    .meaning = "what e compares: impulses, works or speeds"}};
  static constexpr std::tuple members{&Routh::e, &Routh::mu, &Routh::mu_s, &Routh::restitution};
  static constexpr LawInfo info{.name = "routh",
                                .title = "Routh's incremental law",
                                .source = "CR98 4.2.1; M11 chapters 2 to 4; ST98",
                                .parameters = parameters,
                                .cone = "mu_s",
                                .guarantees = {false, true, true},
                                .caveat = "energy is guaranteed for restitution poisson and stronge, not for newton"};
  static Guarantees promised(const Routh& law) { return {law.restitution != Restitution::newton, true, true}; }
};

template <>
struct LawRow<Whittaker> {
  static constexpr std::array parameters{rows::e, rows::mu};
  static constexpr std::tuple members{&Whittaker::e, &Whittaker::mu};
  static constexpr LawInfo info{.name = "whittaker",
                                .title = "law of Whittaker, Kane and Levinson",
                                .source = "CR98 4.2.2",
                                .parameters = parameters,
                                .cone = "mu",
                                .guarantees = {false, true, true},
                                .caveat = "can gain energy without bound"};
};

template <>
struct LawRow<Smith> {
  static constexpr std::array parameters{rows::e, rows::mu};
  static constexpr std::tuple members{&Smith::e, &Smith::mu};
  static constexpr LawInfo info{.name = "smith",
                                .title = "Smith's law",
                                .source = "CR98 Eq. 8",
                                .parameters = parameters,
                                .cone = "mu",
                                .guarantees = rows::all};
};

template <>
struct LawRow<Brach> {
  static constexpr std::array parameters{
      ParameterInfo{.name = "e",
                    .bounds = finite_from(0),
                    .meaning = "kinematic restitution; may exceed 1; check the certificate"},
      ParameterInfo{.name = "mu_2",
                    .bounds = any_finite(),
                    .meaning = "impulse ratio P_2/P_n; positive opposes the initial slip"},
      ParameterInfo{
          .name = "mu_3", .bounds = any_finite(), .meaning = "impulse ratio P_3/P_n, along local axis 3 = n x 2"},
      ParameterInfo{.name = "mu",
                    .bounds = at_least(0),
                    .default_value = default_number(std::numeric_limits<double>::infinity()),
                    .meaning = "friction coefficient of the certificate's cone"}};
  static constexpr std::tuple members{&Brach::e, &Brach::mu_2, &Brach::mu_3, &Brach::mu};
  static constexpr LawInfo info{.name = "brach",
                                .title = "Brach's law of impulse ratios",
                                .source = "CR98 4.1",
                                .parameters = parameters,
                                .cone = "mu",
                                .guarantees = {false, true, false},
                                .caveat =
                                    "friction is guaranteed if hypot(mu_2, mu_3) is at most mu; rejects ratios with "
                                    "which no impulse ends the approach"};
  static Guarantees promised(const Brach& law) { return {false, true, std::hypot(law.mu_2, law.mu_3) <= law.mu}; }
};

template <>
struct LawRow<PfeifferGlocker> {
  static constexpr std::array parameters{
      rows::e_k, rows::mu,
      ParameterInfo{.name = "nu",
                    .bounds = between(0, 1),
                    .default_value = default_number(0),
                    .meaning = "share of the tangential impulse of compression that is stored reversibly"},
      ParameterInfo{.name = "e_t",
                    .bounds = between(0, 1),
                    .default_value = default_number(0),
                    .meaning = "fraction of the stored impulse that is returned"}};
  static constexpr std::tuple members{&PfeifferGlocker::e_k, &PfeifferGlocker::mu, &PfeifferGlocker::nu,
                                      &PfeifferGlocker::e_t};
  static constexpr LawInfo info{.name = "pfeiffer-glocker",
                                .title = "planar complementarity law of Pfeiffer and Glocker",
                                .source = "Pfeiffer & Glocker 1996; CR98 4.2.4",
                                .parameters = parameters,
                                .cone = "mu",
                                .guarantees = rows::all,
                                .caveat = "requires a planar contact",
                                .planar = true};
};

template <>
struct LawRow<AnitescuPotra> {
  static constexpr std::array parameters{rows::e_k, rows::mu};
  static constexpr std::tuple members{&AnitescuPotra::e_k, &AnitescuPotra::mu};
  static constexpr LawInfo info{.name = "anitescu-potra",
                                .title = "two-phase complementarity law of Anitescu and Potra",
                                .source = "CR98 4.2.4",
                                .parameters = parameters,
                                .cone = "mu",
                                .guarantees = rows::all};
};

template <>
struct LawRow<PermissiblePoint> {
  static constexpr std::array parameters{
      ParameterInfo{.name = "psi_1",
                    .bounds = between(0, std::numbers::pi),
                    .unit = "rad",
                    .meaning = "polar angle from n about the centroid"},
      ParameterInfo{.name = "psi_2",
                    .bounds = between(0, 2 * std::numbers::pi),
                    .unit = "rad",
                    .meaning = "azimuth from local axis 2, against the initial slip, towards axis 3"},
      ParameterInfo{
          .name = "rho", .bounds = between(0, 1), .meaning = "fraction of the way from the centroid to the boundary"},
      rows::mu};
  static constexpr std::tuple members{&PermissiblePoint::psi_1, &PermissiblePoint::psi_2, &PermissiblePoint::rho,
                                      &PermissiblePoint::mu};
  static constexpr LawInfo info{.name = "permissible-point",
                                .title = "any permissible impulse, by angles and a fraction about the centroid",
                                .source = "CR98 4.1 (1)",
                                .parameters = parameters,
                                .cone = "mu",
                                .guarantees = rows::all};
};

template <>
struct LawRow<Projected> {
  static constexpr std::array parameters{ParameterInfo{.name = "target",
                                                       .kind = ParameterKind::vector,
                                                       .bounds = any_finite(),
                                                       .unit = "N s",
                                                       .meaning = "target impulse, in the coordinates of the input",
                                                       .alias = "wish"},
                                         rows::mu};
  static constexpr std::tuple members{&Projected::target, &Projected::mu};
  static constexpr LawInfo info{.name = "projected",
                                .title = "a target impulse, moved to the permissible region",
                                .source = "CR98 4.1 (2)",
                                .parameters = parameters,
                                .cone = "mu",
                                .guarantees = rows::all};
};

template <>
struct LawRow<SpringSledge> : SpringSledgeParameters {
  static constexpr LawInfo info{.name = "spring-sledge",
                                .title = "compliant contact: springs and a sledge, followed through time",
                                .source = "REG",
                                .parameters = parameters,
                                .cone = "mu",
                                .guarantees = rows::all,
                                .caveat = "has no answer if a contact with an immovable direction jams permanently"};
};

template <>
struct LawRow<GradedSledge> {
  static constexpr std::array parameters{
      std::get<0>(SpringSledgeParameters::parameters),
      ParameterInfo{.name = "mu", .bounds = at_least(0), .meaning = "friction coefficient at 1 m/s along the normal"},
      rows::slope("mu_v", "change of mu with speed: d mu / d ln v at 1 m/s"),
      rows::slope("mu_i", "change of mu from normal to grazing incidence"),
      ParameterInfo{.name = "e",
                    .bounds = finite_from(0),
                    .meaning = "restitution at 1 m/s along the normal; the resulting value is limited to 0 to 1"},
      rows::slope("e_v", "change of e with speed: d e / d ln v at 1 m/s"),
      rows::slope("e_i", "change of e from normal to grazing incidence")};
  static constexpr std::tuple members{&GradedSledge::kappa, &GradedSledge::mu, &GradedSledge::mu_v,
                                      &GradedSledge::mu_i,  &GradedSledge::e,  &GradedSledge::e_v,
                                      &GradedSledge::e_i};
  static constexpr LawInfo info{
      .name = "graded-sledge",
      .title = "spring-sledge with restitution and friction that vary with speed and incidence",
      .source = "fitted to measured impacts",
      .parameters = parameters,
      .cone = "mu",
      .guarantees = rows::all,
      .caveat =
          "its cone is that of mu at the velocity of the contact; has no answer if a contact with an immovable "
          "direction jams permanently"};
  static double widest_cone(const GradedSledge& law) { return widest_friction(law); }
};

template <>
struct LawRow<GradedRegion> {
  static constexpr std::array parameters{
      ParameterInfo{.name = "e", .bounds = between(0, 1), .meaning = "restitution at 1 m/s along the normal"},
      rows::slope("e_v", "change of ln(e/(1-e)) with the logarithm of the speed"),
      rows::slope("e_vv", "change of ln(e/(1-e)) with the square of that logarithm"),
      rows::slope("e_i", "change of ln(e/(1-e)) with the square of slip over speed"),
      rows::slope("e_ii", "change of ln(e/(1-e)) with the fourth power of slip over speed"),
      rows::slope("e_r", "change of ln(e/(1-e)) with the square of the rolling"),
      rows::slope("e_ir", "change of ln(e/(1-e)) with the rolling along the slip"),
      rows::slope("e_c", "change of ln(e/(1-e)) with the square of the coupling of normal and tangential motion"),
      rows::slope("e_m", "change of ln(e/(1-e)) with the tangential mobility along slip and coupling"),
      rows::mu,
      ParameterInfo{.name = "smooth",
                    .bounds = between(0, 1),
                    .default_value = default_number(0.1),
                    .meaning = "width of the transition to the limits of friction and energy; 0 is sharp"},
      ParameterInfo{
          .name = "tau",
          .bounds = any_finite(),
          .default_value = default_number(2.0 / 7, "2/7"),
          .meaning = "tangential impulse due to slip, times the normal mobility; 2/7 stops the slip of a solid sphere"},
      rows::slope("tau_v", "change of tau with the logarithm of the speed"),
      rows::slope("tau_c", "change of tau with the square of the coupling"),
      rows::slope("tau_ic", "change of tau with the coupling along the slip"),
      rows::slope("tau_m", "change of tau with the tangential mobility"),
      rows::slope("chi_c", "tangential impulse due to coupling: part with the square of the coupling"),
      rows::slope("chi_ic", "tangential impulse due to coupling: part with the coupling along the slip"),
      rows::slope("chi_rc", "tangential impulse due to coupling: part with the coupling along the rolling"),
      rows::slope("chi_m", "tangential impulse due to coupling: part with the tangential mobility")};
  static constexpr std::tuple members{
      &GradedRegion::e,      &GradedRegion::e_v,   &GradedRegion::e_vv,   &GradedRegion::e_i,    &GradedRegion::e_ii,
      &GradedRegion::e_r,    &GradedRegion::e_ir,  &GradedRegion::e_c,    &GradedRegion::e_m,    &GradedRegion::mu,
      &GradedRegion::smooth, &GradedRegion::tau,   &GradedRegion::tau_v,  &GradedRegion::tau_c,  &GradedRegion::tau_ic,
      &GradedRegion::tau_m,  &GradedRegion::chi_c, &GradedRegion::chi_ic, &GradedRegion::chi_rc, &GradedRegion::chi_m};
  static constexpr LawInfo info{.name = "graded-region",
                                .title = "coordinates of the permissible region as smooth functions of the contact",
                                .source = "fitted to measured impacts",
                                .parameters = parameters,
                                .cone = "mu",
                                .guarantees = rows::all};
};

namespace rows {

/// Names of the laws that a composite may be made of.
inline constexpr auto base_names = []<class... L>(const std::variant<L...>*) {
  return std::array<std::string_view, sizeof...(L)>{LawRow<L>::info.name...};
}(static_cast<const BaseLaw*>(nullptr));

}  // namespace rows

template <>
struct LawRow<Composite> {
  static constexpr std::array parameters{
      ParameterInfo{.name = "sigma",
                    .bounds = between(0, 1),
                    .meaning = "weight of the first law; 1 - sigma is that of the second"},
      rows::mu,
      ParameterInfo{.name = "first",
                    .kind = ParameterKind::word,
                    .choices = rows::base_names,
                    .choices_in_short = "any law but composite",
                    .default_value = default_word("chatterjee-ruina"),
                    .meaning = "first law, with its own parameters"},
      ParameterInfo{.name = "second",
                    .kind = ParameterKind::word,
                    .choices = rows::base_names,
                    .choices_in_short = "any law but composite",
                    .default_value = default_word("routh"),
                    .meaning = "second law, with its own parameters"}};
  static constexpr std::tuple members{&Composite::sigma, &Composite::mu, &Composite::first, &Composite::second};
  static constexpr LawInfo info{.name = "composite",
                                .title = "weighted sum of two permissible answers",
                                .source = "CR98 5.3",
                                .parameters = parameters,
                                .cone = "mu",
                                .guarantees = rows::all,
                                .caveat = "requires that both answers are permissible"};
};

}  // namespace ricochet
