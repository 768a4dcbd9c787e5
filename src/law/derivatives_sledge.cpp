/// Derivatives of the spring-sledge contact and of the graded one, docs/derivatives.md (DV22) to (DV28).

#include <limits>

#include "ricochet/compliant/sledge_problem.hpp"
#include "ricochet/law/graded_sledge_kernel.hpp"
#include "sledge_variation.hpp"

namespace ricochet::derivatives {

SledgeDual damper_coefficient(compliant::Damper damper, const SledgeDual& e) {
  if (!(e.v < 1) || damper == compliant::Damper::hysteretic) return SledgeDual(0);
  if (damper == compliant::Damper::linear) {
    const double zeta = compliant::linear_coefficient<double>(e.v) / 2;
    const double slope = compliant::linear_loss(Dual<1>::variable(zeta, 0)).d[0];
    return newton_step(zeta, SledgeDual(zeta) + log(e), slope) * 2;
  }
  const double U = compliant::hunt_crossley_coefficient<double>(e.v);
  using D = Dual<2>;
  const D by_U = D::variable(U, 0), by_e = D::variable(e.v, 1);
  const D excess = by_e * by_e * compliant::log_remainder(D(-by_e * by_U)) - compliant::log_remainder(by_U);
  return e.chain(U, -excess.d[1] / excess.d[0]);
}

Expected<void> differentiate(const SpringSledge& law, const Local<double>& local, const Outcome&,
                             LocalDerivatives& out) {
  constexpr int by_kappa = of_parameters, by_mu = of_parameters + 1;
  out.by = By::W;
  SledgeVariation variation(law, local);
  const compliant::Stop stop =
      sledge::in_closed_form(law, local)
          ? compliant::run_planar<double>(sledge::planar_problem(law, local), variation).stop
          : compliant::run_spatial<double>(sledge::spatial_problem(law, local), variation).stop;
  if (stop != compliant::Stop::separated || variation.lost())
    return fail(ErrorCode::not_converged, "", "",
                "rounding leaves no accuracy for the derivatives of the motion through the contact");
  const bool stretches = law.mu > 0 && law.mu < std::numeric_limits<double>::infinity();
  // By μ of a row of the given degree (DV25); an impulse gains its tangential part.
  const auto complete_row = [&](auto&& row, double value, double gain) {
    complete(row, value, local);
    row(by_mu) = stretches ? (by_stretching(row, local) + gain - 2 * law.kappa * row(by_kappa)) / law.mu : 0;
  };
  out.columns = of_parameters + 3;
  const double unit = sledge::units(local).impulse();
  for (int i = 0; i < 3; ++i) {
    const SledgeDual& p = variation.impulse()(i);
    out.P(i) = unit * p.v;
    for (std::size_t j = 0; j < sledge_columns.size(); ++j) out.J(i, sledge_columns[j]) = unit * p.d[j];
    complete_row(out.J.row(i), out.P(i), i > 0 ? out.P(i) : 0);
  }
  for (int i = 0; i < variation.notes(); ++i) {
    const auto& note = variation.note_at(i);
    LocalChange& change = out.change[static_cast<std::size_t>(out.changes++)];
    change.what = note.what;
    change.distance = note.distance.v;
    for (std::size_t j = 0; j < sledge_columns.size(); ++j) change.gradient(sledge_columns[j]) = note.distance.d[j];
    complete_row(change.gradient, 0, 0);
  }
  // μ = 0: the direction of a vanishing friction changes on the way. e = 0: the spring returns nothing at once. A
  // viscous damper vanishes at e = 1.
  const bool viscous = law.damper != compliant::Damper::hysteretic;
  const bool steep = !(1 / (law.e * law.e) < std::numeric_limits<double>::infinity());
  out.unset = (law.mu == 0 ? 2U : 0U) | (steep || (law.e == 1 && viscous) || variation.passes_peak() ? 4U : 0U);
  return {};
}

/// Those of spring-sledge with the coefficients of this V, and the coefficients by V and by their slopes (DV27).
Expected<void> differentiate(const GradedSledge& law, const Local<double>& local, const Outcome& outcome,
                             LocalDerivatives& out) {
  using D = Dual<3>;
  Vec3T<D> V;
  for (int i = 0; i < 3; ++i) V(i) = D::variable(local.V(i), i);
  const Grading<D> by = grading<D>(V);
  /// A coefficient before it is limited, and its place among the parameters.
  struct Graded {
    D value;
    bool varies, limited, at_limit;
    int first;
    double slope = 0;
  };
  const D mu = D(law.mu) + D(law.mu_v) * by.s + D(law.mu_i) * by.w;
  const D e = D(law.e) + D(law.e_v) * by.s + D(law.e_i) * by.w;
  Graded friction{mu, law.mu_v != 0 || law.mu_i != 0, mu.v < 0, mu.v == 0, of_parameters + 1};
  Graded restitution{e, law.e_v != 0 || law.e_i != 0, e.v < 0 || e.v > 1, e.v == 0 || e.v == 1, of_parameters + 4};

  const sledge::Coefficients<double> now = grade<double>(law, local.V);
  const SpringSledge fixed{.kappa = now.kappa, .mu = now.mu, .e = now.e};
  if (const Expected<void> fine = differentiate(fixed, local, outcome, out); !fine) return fine;
  const unsigned untold = out.unset;
  out.unset = 0;
  for (Graded* g : {&friction, &restitution}) {
    const bool told = g->limited || !(g->at_limit || (untold & (g == &friction ? 2U : 4U)) != 0);
    if (!told) out.unset |= 7U << (g->first - of_parameters);
    if (!told && g->varies)
      out.kink = g == &friction ? "friction that reaches zero" : "restitution that reaches 0 or 1";
  }
  // Columns κ, μ, e become κ, μ, μ_v, μ_i, e, e_v, e_i.
  const auto regrade = [&](auto&& row) {
    friction.slope = friction.limited || friction.at_limit ? 0 : row(of_parameters + 1);
    restitution.slope = restitution.limited || restitution.at_limit ? 0 : row(of_parameters + 2);
    for (const Graded& g : {friction, restitution}) {
      for (int i = 0; i < 3; ++i) row(of_V + i) += g.slope * g.value.d[static_cast<std::size_t>(i)];
      row(g.first) = g.slope;
      row(g.first + 1) = g.slope * by.s.v;
      row(g.first + 2) = g.slope * by.w.v;
    }
  };
  out.columns = of_parameters + 7;
  for (int i = 0; i < 3; ++i) regrade(out.J.row(i));
  for (int i = 0; i < out.changes; ++i) regrade(out.change[static_cast<std::size_t>(i)].gradient);
  const auto reaches = [&](const char* what, const Graded& g, double distance, double sign) {
    if (!g.varies || out.changes == LocalDerivatives::most_changes) return;
    LocalChange& change = out.change[static_cast<std::size_t>(out.changes++)];
    change.what = what;
    change.distance = distance;
    change.gradient.setZero();
    for (int i = 0; i < 3; ++i) change.gradient(of_V + i) = sign * g.value.d[static_cast<std::size_t>(i)];
    change.gradient(g.first) = sign;
    change.gradient(g.first + 1) = sign * by.s.v;
    change.gradient(g.first + 2) = sign * by.w.v;
  };
  reaches("friction that reaches zero", friction, mu.v, 1);
  reaches("restitution that reaches zero", restitution, e.v, 1);
  reaches("restitution that reaches one", restitution, 1 - e.v, -1);
  return {};
}

}  // namespace ricochet::derivatives
