#include "ricochet/compliant/material.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ricochet/compliant/damper.hpp"

namespace ricochet::compliant {
namespace {

constexpr double pi = std::numbers::pi;

/// 2 ∫₀¹ dx/√(1 − x^(5/2)), by which δ_max/v is multiplied (EQ4).
const double hertz_time = 4 * std::sqrt(pi) / 5 * std::tgamma(0.4) / std::tgamma(0.9);

Expected<void> positive(const std::string& field, double value) {
  if (!(value > 0) || !std::isfinite(value))
    return fail(ErrorCode::out_of_range, field, to_text(value), "must be positive and finite");
  return {};
}

Expected<void> check(const ElasticSphere& s, const std::string& suffix) {
  if (auto ok = positive("E" + suffix, s.E); !ok) return ok;
  if (!(s.nu > -1 && s.nu <= 0.5))
    return fail(ErrorCode::out_of_range, "nu" + suffix, to_text(s.nu), "must be above -1 and at most 0.5");
  if (!(s.radius > 0))
    return fail(ErrorCode::out_of_range, "radius" + suffix, to_text(s.radius),
                "must be positive, or inf for a half space");
  if (std::isfinite(s.radius))
    if (auto ok = positive("density" + suffix, s.density); !ok) return ok;
  if (s.yield)
    if (auto ok = positive("yield" + suffix, *s.yield); !ok) return ok;
  return {};
}

double inverse_mass(const ElasticSphere& s) {
  return std::isfinite(s.radius) ? 1 / (s.density * 4 / 3 * pi * s.radius * s.radius * s.radius) : 0;
}

double shear_modulus(const ElasticSphere& s) { return s.E / (2 * (1 + s.nu)); }

}  // namespace

Expected<HertzImpact> hertz_impact(const ElasticSphere& A, const ElasticSphere& B, double speed) {
  if (auto ok = check(A, ""); !ok) return tl::unexpected(ok.error());
  if (auto ok = check(B, "2"); !ok) return tl::unexpected(ok.error());
  if (auto ok = positive("speed", speed); !ok) return tl::unexpected(ok.error());
  if (!std::isfinite(A.radius) && !std::isfinite(B.radius))
    return fail(ErrorCode::out_of_range, "radius2", to_text(B.radius),
                "must be finite where the first body is a half space");

  HertzImpact out;
  out.speed = speed;
  out.mass = 1 / (inverse_mass(A) + inverse_mass(B));                                                    // (EQ1)
  out.radius = 1 / (1 / A.radius + 1 / B.radius);                                                        // (EQ1)
  out.E = 1 / ((1 - A.nu * A.nu) / A.E + (1 - B.nu * B.nu) / B.E);                                       // (EQ1)
  out.G = 1 / ((2 - A.nu) / shear_modulus(A) + (2 - B.nu) / shear_modulus(B));                           // (EQ1)
  out.kappa = 4 * out.G / out.E;                                                                         // (EQ2)
  out.deflection = std::pow(15 * out.mass * speed * speed / (16 * out.E * std::sqrt(out.radius)), 0.4);  // (EQ3)
  out.force = 4.0 / 3 * out.E * std::sqrt(out.radius * out.deflection) * out.deflection;                 // (EQ3)
  out.contact_time = hertz_time * out.deflection / speed;                                                // (EQ4)
  out.contact_radius = std::sqrt(out.radius * out.deflection);                                           // (EQ5)
  out.pressure = 3 * out.force / (2 * pi * out.contact_radius * out.contact_radius);                     // (EQ5)
  for (const ElasticSphere* s : {&A, &B}) {
    if (s->yield) out.yield_pressure = std::min(out.yield_pressure.value_or(1.6 * *s->yield), 1.6 * *s->yield);
    if (!std::isfinite(s->radius)) continue;
    const double wave = std::sqrt(s->E / s->density), passages = out.contact_time * wave / (4 * s->radius);
    out.speed_ratio = std::max(out.speed_ratio, speed / wave);
    out.wave_passages = std::min(out.wave_passages.value_or(passages), passages);
  }
  const double all[] = {out.mass, out.kappa, out.deflection, out.force, out.contact_time, out.pressure};
  if (!std::all_of(std::begin(all), std::end(all), [](double x) { return std::isfinite(x) && x > 0; }))
    return fail(ErrorCode::overflow, "E", to_text(A.E),
                "together with the other constants leaves the range of double precision");
  return out;
}

std::vector<std::string> beyond_validity(const HertzImpact& impact) {
  std::vector<std::string> out;
  if (const double share = impact.contact_radius / impact.radius; share > 0.1)
    out.push_back(fmt::format(
        "the contact grows to {:.2g} of the effective radius: above 0.1 it is no longer small, as Hertz has it",
        share));
  if (impact.wave_passages && *impact.wave_passages < 3)
    out.push_back(
        fmt::format("waves cross a body and return {:.2g} times during contact: below 3 they carry energy away",
                    *impact.wave_passages));
  if (impact.speed_ratio > 0.01)
    out.push_back(fmt::format("the speed is {:.2g} of that of waves: above 0.01 the contact is not quasi-static",
                              impact.speed_ratio));
  if (impact.yield_pressure && impact.pressure > *impact.yield_pressure)
    out.push_back(
        fmt::format("the pressure reaches {:.3g} Pa: above {:.3g} Pa, 1.6 times the yield stress, the weaker "
                    "body yields",
                    impact.pressure, *impact.yield_pressure));
  return out;
}

Expected<LinearContact> linear_contact(const HertzImpact& impact, Match match, double e) {
  if (!(e >= least_viscous_e && e <= 1))
    return fail(ErrorCode::out_of_range, "e", to_text(e),
                fmt::format("must be between {} and 1 for a contact with a damper", least_viscous_e));
  LinearContact out;
  out.mass = impact.mass;
  const double v = impact.speed, m = impact.mass;
  switch (match) {  // (EQ6)
    case Match::contact_time: out.k_n = m * std::pow(pi / impact.contact_time, 2); break;
    case Match::force: out.k_n = impact.force * impact.force / (m * v * v); break;
    case Match::deflection: out.k_n = m * std::pow(v / impact.deflection, 2); break;
  }
  out.k_t = impact.kappa * out.k_n;
  const double d = linear_coefficient(e);
  out.damping = d * std::sqrt(out.k_n * m);                                         // (EQ7)
  out.contact_time = (d > 0 ? -2 * std::log(e) / d : pi) * std::sqrt(m / out.k_n);  // (EQ8)
  return out;
}

}  // namespace ricochet::compliant
