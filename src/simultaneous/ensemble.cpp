#include "ricochet/simultaneous/ensemble.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <thread>

#include "ricochet/law/collide.hpp"
#include "ricochet/simultaneous/plane.hpp"

namespace ricochet {
namespace {

constexpr std::size_t recorded = 64;  ///< first collisions of a member

struct Member {
  bool settled = false;
  VecX u;
  double energy_change = 0;
  double collisions = 0;
  std::vector<std::uint32_t> order;
};

/// Of what `value` gives for each member that settled, in their order. The second pass keeps a small deviation exact.
template <class Value>
Spread spread(const std::vector<Member>& members, Value value) {
  Spread out;
  double count = 0;
  out.low = std::numeric_limits<double>::infinity();
  out.high = -out.low;
  for (const Member& m : members) {
    if (!m.settled) continue;
    const double x = value(m);
    ++count;
    out.mean += x;
    out.low = std::min(out.low, x);
    out.high = std::max(out.high, x);
  }
  if (count == 0) return Spread{};
  out.mean /= count;
  for (const Member& m : members)
    if (m.settled) out.deviation += (value(m) - out.mean) * (value(m) - out.mean);
  out.deviation = std::sqrt(out.deviation / count);
  return out;
}

/// The problem of a member: the common one, or its own.
template <class OwnProblem>
Expected<Ensemble> gather(const Problem& problem, const EnsembleOptions& options, OwnProblem own_problem) {
  if (options.members == 0) return fail(ErrorCode::out_of_range, "members", "0", "must be at least 1");
  if (const auto fine = in_range("resolution", options.resolution, 0, 1); !fine) return tl::unexpected(fine.error());
  if (const auto fine = in_range("uncertainty", options.sequence.uncertainty, 0, 0.1); !fine)
    return tl::unexpected(fine.error());

  std::vector<Member> members(options.members);
  std::vector<std::optional<Error>> faults(options.members);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t m = next++; m < members.size(); m = next++) {
      Random random(options.sequence.seed, m);
      SequenceOptions own = options.sequence;
      own.ties = Ties::random;
      own.seed = random.next();
      Random contacts(~options.sequence.seed, m);
      const auto asked = own_problem(contacts);
      if (!asked) {
        faults[m] = asked.error();
        continue;
      }
      const VecX u = perturbed(**asked, options.sequence.uncertainty, random);
      std::vector<std::uint32_t> order;
      auto found = resolve_from(**asked, u, own, [&order](const SequenceStep& step) {
        if (!step.limit && order.size() < recorded) order.push_back(step.contact);
      });
      if (!found) {
        faults[m] = found.error();
        continue;
      }
      Member& member = members[m];
      member.settled = found->status != SequenceStatus::does_not_settle;
      member.u = std::move(found->u);
      member.energy_change = found->energy_change;
      member.collisions = static_cast<double>(found->collisions);
      member.order = std::move(order);
    }
  };
  const unsigned wanted = options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  const auto threads = static_cast<unsigned>(std::min<std::size_t>(wanted, options.members));
  std::vector<std::thread> pool;
  for (unsigned t = 1; t < threads; ++t) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
  for (const auto& fault : faults)
    if (fault) return tl::unexpected(*fault);

  Ensemble out;
  out.members = options.members;
  const VecX scale = contact_reach(problem);
  const double apart = options.resolution * problem.speed();
  const auto same = [&](const VecX& a, const VecX& b) {
    for (Eigen::Index i = 0; i < a.size(); ++i)
      if (!(std::abs(a(i) - b(i)) * scale(i) <= apart)) return false;
    return true;
  };
  std::size_t settled = 0;
  for (const Member& member : members) {
    if (!member.settled) {
      ++out.unsettled;
      continue;
    }
    ++settled;
    const auto known = std::find_if(out.outcomes.begin(), out.outcomes.end(),
                                    [&](const DistinctOutcome& o) { return same(o.u, member.u); });
    if (known != out.outcomes.end()) {
      ++known->members;
    } else {
      out.outcomes.push_back({1, 0, member.u, member.energy_change, member.order});
    }
  }
  for (DistinctOutcome& o : out.outcomes) o.weight = static_cast<double>(o.members) / static_cast<double>(settled);
  std::stable_sort(out.outcomes.begin(), out.outcomes.end(),
                   [](const DistinctOutcome& a, const DistinctOutcome& b) { return a.members > b.members; });
  for (Eigen::Index i = 0; i < problem.u().size(); ++i)
    out.speeds.push_back(spread(members, [i](const Member& m) { return m.u(i); }));
  out.energy_change = spread(members, [](const Member& m) { return m.energy_change; });
  out.collisions = spread(members, [](const Member& m) { return m.collisions; });
  return out;
}

}  // namespace

Expected<Ensemble> resolve_ensemble(const Problem& problem, const EnsembleOptions& options) {
  return gather(problem, options, [&](Random&) { return Expected<const Problem*>(&problem); });
}

Expected<Ensemble> resolve_ensemble(const BodyScene& arrangement, Hinges hinges, const ContactUncertainty& uncertainty,
                                    const EnsembleOptions& options) {
  if (const auto fine = check(uncertainty); !fine) return tl::unexpected(fine.error());
  const auto assembled = assemble(arrangement, hinges);
  if (!assembled) return tl::unexpected(assembled.error());
  if (uncertainty.none()) return resolve_ensemble(assembled->problem, options);
  const std::optional<Vec3> across = across_plane(assembled->problem);
  return gather(assembled->problem, options, [&](Random& random) -> Expected<std::unique_ptr<Problem>> {
    auto own = assemble(sample_contacts(arrangement, uncertainty, across, random), hinges);
    // The original contacts are valid: the error is due to a perturbed point, such as one off the line of a rod without
    // thickness.
    if (!own && uncertainty.point > 0)
      return fail(ErrorCode::invalid, "uncertainty.point", to_text(uncertainty.point),
                  "leads to invalid contacts: " + own.error().message());
    if (!own) return tl::unexpected(own.error());
    return std::make_unique<Problem>(std::move(own->problem));
  });
}

}  // namespace ricochet
