/// The spring-sledge contact with SUNDIALS CVODE and its root finding, in time, as it is stated.

#include "compliant/sledge_oracle.hpp"
#include "sledge_peers.hpp"

namespace ricochet::bench {
namespace {

SledgeImpulse by_cvode(const SpringSledge& law, const Local<double>& local, double tolerance) {
  testing::SledgeOracle oracle;
  oracle.W = local.W;
  oracle.V = local.V;
  oracle.kappa = law.kappa;
  oracle.mu = law.mu;
  oracle.e = law.e;
  oracle.tolerance = tolerance;
  const auto a = oracle.run();
  return {a.P, a.ok};
}

}  // namespace

void register_cvode_sledge() {
  for (const auto& [set, problems] : {std::pair{"planar", &planar}, std::pair{"space", &typical}})
    for (const auto& [name, tolerance] : {std::pair{"1e-13", 1e-13}, std::pair{"1e-8", 1e-8}})
      benchmark::RegisterBenchmark((std::string("sledge/") + set + "/CVODE, tolerance " + name).c_str(),
                                   [problems = problems, tolerance = tolerance](benchmark::State& state) {
                                     run_sledge(state, problems(),
                                                [tolerance](const SpringSledge& law, const Local<double>& c) {
                                                  return by_cvode(law, c, tolerance);
                                                });
                                   });
}

}  // namespace ricochet::bench
