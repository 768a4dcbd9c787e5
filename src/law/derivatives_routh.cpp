/// Derivatives of Routh's law: its kernel in dual numbers, in which no iteration is differentiated.

#include <limits>

#include "local_derivatives.hpp"
#include "ricochet/law/routh_kernel.hpp"

namespace ricochet::derivatives {

Expected<void> differentiate(const Routh& law, const Local<double>& local, const Outcome&, LocalDerivatives& out) {
  constexpr int N = of_parameters + 1;  // e; μ follows by (DV11), and μ_s only decides whether the contact holds
  using D = Dual<N>;
  const DualContact<N> c(local, false);
  Local<D> dual;
  dual.W = c.W;
  dual.V = c.V;
  routh::Numbers<D> numbers(law);
  numbers.e = parameter<N>(law.e, 0);
  NullObserver observer;
  routh::Integrator<D, NullObserver> integrator(numbers, dual, observer);
  const Solution<D> solution = integrator.run();
  if (solution.termination == Termination::not_converged || solution.termination == Termination::no_solution)
    return fail(ErrorCode::not_converged, "", "", "the derivatives of the integration through the impact");
  out.take<N>(solution.P);
  out.columns = of_parameters + 3;
  constexpr int by_mu = of_parameters + 1, by_mu_s = of_parameters + 2;
  const bool stretches = law.mu > 0 && law.mu < std::numeric_limits<double>::infinity();
  if (law.mu == 0) out.unset = 2;  // the direction of a vanishing friction changes on the way
  for (int i = 0; i < 3; ++i) {
    out.J(i, by_mu) = stretches ? (by_stretching(out.J.row(i), local) + (i > 0 ? out.P(i) : 0)) / law.mu : 0;
    out.J(i, by_mu_s) = 0;
  }
  const routh::ModeMargins<D>& margins = integrator.margins();
  for (int i = 0; i < margins.count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    out.add(margins.what[at], margins.value[at]);
    auto& gradient = out.change[static_cast<std::size_t>(out.changes - 1)].gradient;
    gradient(by_mu) = stretches ? by_stretching(gradient, local) / law.mu : 0;
    gradient(by_mu_s) = 0;
    if (margins.what[at] != routh::whether_friction_holds || law.mu_s < 0) continue;
    // (μ_s − n)/(μ_s + n), where what is needed, n, does not depend on μ.
    const double m = margins.value[at].v, need = law.mu_s * (1 - m) / (1 + m), sum = law.mu_s + need;
    gradient(by_mu) = 0;
    gradient(by_mu_s) = 2 * need / (sum * sum);
  }
  out.kink = margins.kink;
  return {};
}

}  // namespace ricochet::derivatives
