/// Derivatives of Routh's law: its kernel in dual numbers, in which no iteration is differentiated.

#include "local_derivatives.hpp"
#include "ricochet/law/routh_kernel.hpp"

namespace ricochet::derivatives {

Expected<void> differentiate(const Routh& law, const Local<double>& local, const Outcome&, LocalDerivatives& out) {
  constexpr int N = of_parameters + 3;
  using D = Dual<N>;
  const DualContact<N> c(local);
  Local<D> dual;
  dual.M = c.M;
  dual.W = c.W;
  dual.V = c.V;
  dual.R = Mat3T<D>::Identity();
  routh::Numbers<D> numbers(law);
  numbers.e = parameter<N>(law.e, 0);
  numbers.mu = parameter<N>(law.mu, 1);
  // Decides whether the contact holds, and nothing else.
  numbers.mu_s = law.mu_s < 0 ? numbers.mu : parameter<N>(law.mu_s, 2);
  NullObserver observer;
  routh::Integrator<D, NullObserver> integrator(numbers, dual, observer);
  const Solution<D> solution = integrator.run();
  if (solution.termination == Termination::not_converged || solution.termination == Termination::no_solution)
    return fail(ErrorCode::not_converged, "", "", "the derivatives of the integration through the impact");
  const routh::ModeMargins<D>& margins = integrator.margins();
  for (int i = 0; i < margins.count; ++i)
    out.add(margins.what[static_cast<std::size_t>(i)], margins.value[static_cast<std::size_t>(i)]);
  out.kink = margins.kink;
  if (law.mu == 0) out.unset = 2;  // the direction of a vanishing friction changes on the way
  out.take<N>(solution.P);
  return {};
}

}  // namespace ricochet::derivatives
