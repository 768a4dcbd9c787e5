#pragma once
/// Integrals of smooth functions in long double, apart from those of the library.

#include <boost/math/quadrature/gauss.hpp>

namespace ricochet::motion::testing {

/// ∫ f over [a, b] by 30-point Gauss-Legendre on each of 16 equal parts.
template <class F>
long double integral(F f, long double a, long double b) {
  long double sum = 0;
  const long double h = (b - a) / 16;
  for (int k = 0; k < 16; ++k)
    sum += boost::math::quadrature::gauss<long double, 30>::integrate(f, a + k * h, a + (k + 1) * h);
  return sum;
}

}  // namespace ricochet::motion::testing
