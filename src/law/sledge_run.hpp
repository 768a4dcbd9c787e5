#pragma once
/// The run of spring-sledge, which the graded one shares: it is compiled once, in spring_sledge.cpp.

#include "ricochet/law/spring_sledge_kernel.hpp"

namespace ricochet::sledge {

extern template Solution<double> run(const Coefficients<double>&, const Local<double>&, Path<double>&);
extern template Solution<long double> run(const Coefficients<long double>&, const Local<long double>&,
                                          Path<long double>&);

}  // namespace ricochet::sledge
