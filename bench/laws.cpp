/// Every law of the registry: its kernel with the certificate, and the whole call.

#include <benchmark/benchmark.h>

#include <string>
#include <utility>

#include "problems.hpp"
#include "ricochet/law/anitescu_potra_kernel.hpp"
#include "ricochet/law/bilinear_kernel.hpp"
#include "ricochet/law/brach_kernel.hpp"
#include "ricochet/law/chatterjee_ruina_kernel.hpp"
#include "ricochet/law/collide.hpp"
#include "ricochet/law/derivatives.hpp"
#include "ricochet/law/frictionless_kernel.hpp"
#include "ricochet/law/graded_region_kernel.hpp"
#include "ricochet/law/permissible_point_kernel.hpp"
#include "ricochet/law/pfeiffer_glocker_kernel.hpp"
#include "ricochet/law/projected_kernel.hpp"
#include "ricochet/law/registry.hpp"
#include "ricochet/law/routh_kernel.hpp"
#include "ricochet/law/smith_kernel.hpp"
#include "ricochet/law/spring_sledge_kernel.hpp"
#include "ricochet/law/whittaker_kernel.hpp"

namespace ricochet::bench {
namespace {

// One overload for each law: a law that is new in the registry does not compile here until it has one.
Frictionless with_parameters(const Frictionless&, const Problem& p) { return {.e = p.e}; }
ChatterjeeRuina with_parameters(const ChatterjeeRuina&, const Problem& p) {
  return {.e = p.e, .e_t = p.e_t, .mu = p.mu};
}
Bilinear with_parameters(const Bilinear&, const Problem& p) { return {.e = p.e, .e_t = p.e_t, .mu = p.mu}; }
Routh with_parameters(const Routh&, const Problem& p) { return {.e = p.e, .mu = p.mu}; }
Whittaker with_parameters(const Whittaker&, const Problem& p) { return {.e = p.e, .mu = p.mu}; }
Smith with_parameters(const Smith&, const Problem& p) { return {.e = p.e, .mu = p.mu}; }
Brach with_parameters(const Brach&, const Problem& p) {
  return {.e = p.e, .mu_2 = 0.1 * p.e_t, .mu_3 = 0.1 * p.mu, .mu = p.mu};
}
PfeifferGlocker with_parameters(const PfeifferGlocker&, const Problem& p) { return {.e_k = p.e, .mu = p.mu}; }
AnitescuPotra with_parameters(const AnitescuPotra&, const Problem& p) { return {.e_k = p.e, .mu = p.mu}; }
PermissiblePoint with_parameters(const PermissiblePoint&, const Problem& p) {
  return {.psi_1 = 1 + p.e, .psi_2 = 3 + 2 * p.e_t, .rho = 0.5, .mu = p.mu};
}
Projected with_parameters(const Projected&, const Problem& p) {
  return {.target = -p.contact.M * p.contact.V, .mu = p.mu};
}
SpringSledge with_parameters(const SpringSledge&, const Problem& p) { return {.mu = p.mu, .e = p.e}; }
GradedSledge with_parameters(const GradedSledge&, const Problem& p) {
  return {.mu = p.mu, .mu_v = -0.04, .e = p.e, .e_v = -0.05};
}
GradedRegion with_parameters(const GradedRegion&, const Problem& p) {
  return {.e = p.e, .e_v = -0.3, .e_i = 0.5, .mu = p.mu, .tau = 0.6, .tau_m = -0.4, .chi_m = -0.1};
}
Composite with_parameters(const Composite&, const Problem& p) {
  return {
      .sigma = 0.5, .first = with_parameters(ChatterjeeRuina{}, p), .second = with_parameters(Routh{}, p), .mu = p.mu};
}

template <class L>
const std::vector<Problem>& problems_for(const L&) {
  if constexpr (std::is_same_v<L, Bilinear>) {
    return diagonal();
  } else if constexpr (std::is_same_v<L, PfeifferGlocker>) {
    return planar();
  } else {
    return typical();
  }
}

template <class L>
struct Job {
  L law;
  const Problem* problem;
};

template <class L>
std::vector<Job<L>> jobs(const std::vector<Problem>& problems) {
  std::vector<Job<L>> out;
  for (const Problem& p : problems) out.push_back({with_parameters(L{}, p), &p});
  return out;
}

std::vector<Job<Routh>> routh_jobs(const std::vector<Problem>& problems, Restitution restitution) {
  std::vector<Job<Routh>> out = jobs<Routh>(problems);
  for (auto& job : out) job.law.restitution = restitution;
  return out;
}

template <class L>
void kernel(benchmark::State& state, const std::vector<Job<L>>& list) {
  std::size_t i = 0;
  for (auto _ : state) {
    const Job<L>& job = list[i++ % count];
    const Expected<Outcome> outcome = solve_and_certify(job.law, job.problem->local, job.problem->mu);
    benchmark::DoNotOptimize(outcome);
  }
  double refused = 0;
  for (const auto& job : list) {
    const Termination termination = solve(job.law, job.problem->local).termination;
    refused += termination == Termination::no_solution || termination == Termination::not_converged ||
               termination == Termination::rings;
  }
  state.counters["refused"] = refused;
}

template <class L>
void call(benchmark::State& state, const std::vector<Job<L>>& list) {
  std::size_t i = 0;
  for (auto _ : state) {
    const Job<L>& job = list[i++ % count];
    const Expected<Outcome> outcome = collide(job.law, job.problem->contact);
    benchmark::DoNotOptimize(outcome);
  }
  double refused = 0;
  for (const auto& job : list) refused += !collide(job.law, job.problem->contact);
  state.counters["refused"] = refused;
}

/// The outcome with its Jacobians by contact and parameters.
template <class L>
void derivatives(benchmark::State& state, const std::vector<Job<L>>& list) {
  std::size_t i = 0;
  for (auto _ : state) {
    const Job<L>& job = list[i++ % count];
    const Expected<DifferentiatedOutcome> outcome = collide_with_derivatives(job.law, job.problem->contact);
    benchmark::DoNotOptimize(outcome);
  }
  double refused = 0;
  for (const auto& job : list) refused += !collide_with_derivatives(job.law, job.problem->contact);
  state.counters["refused"] = refused;
}

template <class L>
void add(const std::string& name, const std::vector<Job<L>>& list) {
  if constexpr (requires(const L& law, const Local<double>& local) { solve(law, local); })
    benchmark::RegisterBenchmark(("law/" + name + "/kernel").c_str(), kernel<L>, list);
  benchmark::RegisterBenchmark(("law/" + name + "/call").c_str(), call<L>, list);
  benchmark::RegisterBenchmark(("law/" + name + "/derivatives").c_str(), derivatives<L>, list);
}

template <std::size_t... I>
void add_all(std::index_sequence<I...>) {
  const auto one = [](const std::string& name, const auto& blank) {
    using L = std::decay_t<decltype(blank)>;
    if constexpr (std::is_same_v<L, Routh>) {
      add(name + " (poisson)", routh_jobs(typical(), Restitution::poisson));
      add(name + " (stronge)", routh_jobs(typical(), Restitution::stronge));
      add(name + " (newton)", routh_jobs(typical(), Restitution::newton));
      add(name + " (poisson, hard)", routh_jobs(hard(), Restitution::poisson));
      add(name + " (stronge, hard)", routh_jobs(hard(), Restitution::stronge));
      add(name + " (poisson, planar)", routh_jobs(planar(), Restitution::poisson));
      add(name + " (stronge, planar)", routh_jobs(planar(), Restitution::stronge));
      add(name + " (newton, planar)", routh_jobs(planar(), Restitution::newton));
    } else {
      add(name, jobs<L>(problems_for(blank)));
      if constexpr (!std::is_same_v<L, PfeifferGlocker> && !std::is_same_v<L, Bilinear>)
        add(name + " (planar)", jobs<L>(planar()));
    }
  };
  (one(std::string(laws()[I].name), std::variant_alternative_t<I, Law>{}), ...);
}

void make_contact(benchmark::State& state) {
  std::size_t i = 0;
  for (auto _ : state) {
    const Contact& c = typical()[i++ % count].contact;
    const Expected<Contact> made = contact_from_mass(c.M, c.V, c.n);
    benchmark::DoNotOptimize(made);
  }
}

/// From M, V and n as numbers to a certified answer.
void from_numbers(benchmark::State& state) {
  std::size_t i = 0;
  for (auto _ : state) {
    const Problem& p = typical()[i++ % count];
    const Expected<Contact> contact = contact_from_mass(p.contact.M, p.contact.V, p.contact.n);
    const Expected<Outcome> outcome = collide(ChatterjeeRuina{.e = p.e, .e_t = p.e_t, .mu = p.mu}, *contact);
    benchmark::DoNotOptimize(outcome);
  }
}

void make_local(benchmark::State& state) {
  std::size_t i = 0;
  for (auto _ : state) {
    const Local<double> local = localize<double>(typical()[i++ % count].contact);
    benchmark::DoNotOptimize(local);
  }
}

}  // namespace

void register_laws() {
  add_all(std::make_index_sequence<std::variant_size_v<Law>>{});
  benchmark::RegisterBenchmark("part/contact_from_mass", make_contact);
  benchmark::RegisterBenchmark("part/localize", make_local);
  benchmark::RegisterBenchmark("part/chatterjee-ruina from M, V, n", from_numbers);
}

}  // namespace ricochet::bench
