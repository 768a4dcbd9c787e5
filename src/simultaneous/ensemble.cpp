#include "ricochet/simultaneous/ensemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "branches.hpp"
#include "ricochet/base/counted.hpp"
#include "ricochet/base/in_parallel.hpp"
#include "ricochet/law/collide.hpp"
#include "ricochet/simultaneous/plane.hpp"

namespace ricochet {
namespace {

constexpr std::size_t recorded = 64;  ///< first collisions of a member

using Member = EnsembleMember;

/// The second pass keeps a small deviation exact.
Spread spread_of(const std::vector<double>& values) {
  Spread out;
  if (values.empty()) return out;
  out.low = out.high = values[0];
  for (const double x : values) {
    out.mean += x;
    out.low = std::min(out.low, x);
    out.high = std::max(out.high, x);
  }
  const auto count = static_cast<double>(values.size());
  out.mean /= count;
  for (const double x : values) out.deviation += (x - out.mean) * (x - out.mean);
  out.deviation = std::sqrt(out.deviation / count);
  return out;
}

/// Of what `value` gives for each member that settled, in their order.
template <class Value>
Spread spread_of(const std::vector<Member>& members, Value value) {
  std::vector<double> values;
  values.reserve(members.size());
  for (const Member& m : members)
    if (m.settled) values.push_back(value(m));
  return spread_of(values);
}

/// The inputs at s on the straight line from those of member a to those of member b.
struct Between {
  std::size_t a = 0, b = 0;
  double s = 0;
};

/// Numbers of [−1, 1) for the contacts of a member, or between those of two.
class ContactDraws {
 public:
  ContactDraws(std::uint64_t seed, const Between& at) : a_(~seed, at.a), b_(~seed, at.b), s_(at.s) {}
  double operator()() {
    const double a = a_.symmetric();
    return s_ == 0 ? a : (1 - s_) * a + s_ * b_.symmetric();
  }

 private:
  Random a_, b_;
  double s_;
};

/// FNV-1a over contacts and modes.
class History {
 public:
  void add(const SequenceStep& step) {
    for (const std::uint64_t word : {std::uint64_t{step.contact}, static_cast<std::uint64_t>(step.mode)})
      value_ = (value_ ^ word) * 0x100000001B3ULL;
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325ULL;
};

/// The branches of the members, the most frequent first, and that of each outcome, which has its first member there.
void add_branches(const std::vector<Member>& members, const std::vector<std::optional<std::size_t>>& branch_of,
                  std::size_t settled, Ensemble& out) {
  std::map<std::size_t, std::vector<std::size_t>> found;  // members of each
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (branch_of[m]) {
      found[*branch_of[m]].push_back(m);
    } else if (members[m].settled) {
      ++out.unexamined;
    }
  }
  std::vector<const std::vector<std::size_t>*> order;
  order.reserve(found.size());
  for (const auto& [number, of] : found) order.push_back(&of);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->size() != b->size() ? a->size() > b->size() : a->front() < b->front();
  });
  std::vector<std::optional<std::size_t>> rank(members.size());
  for (const std::vector<std::size_t>* of : order) {
    for (const std::size_t m : *of) rank[m] = out.branches.size();
    std::vector<double> energies;
    energies.reserve(of->size());
    for (const std::size_t m : *of) energies.push_back(members[m].energy_change);
    out.branches.push_back({of->size(), static_cast<double>(of->size()) / static_cast<double>(settled),
                            spread_of(energies), members[of->front()].order});
  }
  for (DistinctOutcome& o : out.outcomes) o.branch = rank[*o.branch];
}

/// Solves members and compares them. `own_problem` gives the problem between two members: the common one, or their
/// own.
template <class OwnProblem>
class Gathering {
 public:
  Gathering(const Problem& problem, const EnsembleOptions& options, OwnProblem own_problem)
      : problem_(problem), options_(options), own_problem_(std::move(own_problem)) {}

  [[nodiscard]] Expected<std::vector<Member>> members(std::size_t first, std::size_t last) const {
    if (options_.members == 0) return fail(ErrorCode::out_of_range, "members", "0", "must be at least 1");
    if (const auto fine = in_range("resolution", options_.resolution, 0, 1); !fine) return tl::unexpected(fine.error());
    if (const auto fine = in_range("uncertainty", options_.sequence.uncertainty, 0, 0.1); !fine)
      return tl::unexpected(fine.error());
    std::vector<Member> out(last - first);
    std::vector<std::optional<Error>> faults(out.size());
    in_parallel(out.size(), threads(), [&](std::size_t i) {
      auto found = solve({.a = first + i, .b = first + i, .s = 0}, {});
      if (found) {
        out[i] = *std::move(found);
      } else {
        faults[i] = found.error();
      }
    });
    for (const auto& fault : faults)
      if (fault) return tl::unexpected(*fault);
    return out;
  }

  [[nodiscard]] Ensemble whole(const std::vector<Member>& members) const;

 private:
  [[nodiscard]] unsigned threads() const {
    return options_.threads > 0 ? options_.threads : std::max(1U, std::thread::hardware_concurrency());
  }

  [[nodiscard]] Expected<Member> solve(const Between& at, const std::vector<Member>& members) const {
    Random random(options_.sequence.seed, at.a);
    SequenceOptions own = options_.sequence;
    own.ties = Ties::random;
    own.seed = random.next();
    const auto asked = own_problem_(ContactDraws(options_.sequence.seed, at));
    if (!asked) return tl::unexpected(asked.error());
    Member member;
    member.start = at.s == 0 ? perturbed(**asked, options_.sequence.uncertainty, random)
                             : VecX((1 - at.s) * members[at.a].start + at.s * members[at.b].start);
    History history;
    auto found = resolve_from(**asked, member.start, own, [&](const SequenceStep& step) {
      if (step.limit) return;
      history.add(step);
      if (member.order.size() < recorded) member.order.push_back(step.contact);
    });
    if (!found) return tl::unexpected(found.error());
    member.settled = found->status != SequenceStatus::does_not_settle;
    member.u = std::move(found->u);
    member.energy_change = found->energy_change;
    member.collisions = static_cast<double>(found->collisions);
    member.history = history.value();
    return member;
  }

  const Problem& problem_;
  const EnsembleOptions& options_;
  OwnProblem own_problem_;
};

template <class OwnProblem>
Ensemble Gathering<OwnProblem>::whole(const std::vector<Member>& members) const {
  Ensemble out;
  out.members = members.size();
  const VecX scale = contact_reach(problem_);
  const double apart = options_.resolution * problem_.speed();
  const auto same = [&](const VecX& a, const VecX& b) {
    for (Eigen::Index i = 0; i < a.size(); ++i)
      if (!(std::abs(a(i) - b(i)) * scale(i) <= apart)) return false;
    return true;
  };
  std::size_t settled = 0;
  for (std::size_t m = 0; m < members.size(); ++m) {
    const Member& member = members[m];
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
      out.outcomes.push_back({1, 0, member.u, member.energy_change, member.order, m});
    }
  }
  for (DistinctOutcome& o : out.outcomes) o.weight = static_cast<double>(o.members) / static_cast<double>(settled);
  std::stable_sort(out.outcomes.begin(), out.outcomes.end(),
                   [](const DistinctOutcome& a, const DistinctOutcome& b) { return a.members > b.members; });
  for (Eigen::Index i = 0; i < problem_.u().size(); ++i)
    out.speeds.push_back(spread_of(members, [i](const Member& m) { return m.u(i); }));
  out.energy_change = spread_of(members, [](const Member& m) { return m.energy_change; });
  out.collisions = spread_of(members, [](const Member& m) { return m.collisions; });

  std::vector<std::optional<std::size_t>> branch_of(members.size());
  if (out.outcomes.size() > 1) {
    std::vector<std::optional<BranchPoint>> points(members.size());
    for (std::size_t m = 0; m < members.size(); ++m)
      if (members[m].settled) points[m] = BranchPoint{members[m].u, members[m].history};
    const auto between = [&](std::size_t a, std::size_t b, double s) -> std::optional<BranchPoint> {
      auto found = solve({.a = a, .b = b, .s = s}, members);
      if (!found || !found->settled) return std::nullopt;
      return BranchPoint{std::move(found->u), found->history};
    };
    branch_of = find_branches(points, between, {.scale = scale, .resolution = apart, .threads = threads()});
  } else {
    for (std::size_t m = 0; m < members.size(); ++m)
      if (members[m].settled) branch_of[m] = 0;
  }
  add_branches(members, branch_of, settled, out);
  return out;
}

}  // namespace

std::string_view name(EnsembleSpread spread) {
  switch (spread) {
    case EnsembleSpread::none: return "none";
    case EnsembleSpread::continuous: return "continuous";
    case EnsembleSpread::branching: return "branching";
  }
  return "";
}

EnsembleSpread Ensemble::spread() const {
  if (outcomes.size() < 2) return EnsembleSpread::none;
  return branches.size() == 1 && unexamined == 0 ? EnsembleSpread::continuous : EnsembleSpread::branching;
}

std::string Ensemble::verdict() const {
  if (determinate()) return "one outcome; the answer is determinate";
  std::string out = counted(outcomes.size(), "distinct outcome");
  if (spread() == EnsembleSpread::continuous) out += " in one branch, a continuous spread";
  if (spread() == EnsembleSpread::branching) {
    out += fmt::format(" in {} of ", counted(branches.size(), "branch", "branches"));
    out += branches.size() == 1 ? "weight " : "weights ";
    for (std::size_t i = 0; i < std::min<std::size_t>(branches.size(), 6); ++i)
      out += fmt::format("{}{:.2g}", i == 0 ? "" : ", ", branches[i].weight);
    if (branches.size() > 6) out += ", ...";
    if (unexamined > 0) out += fmt::format(" ({} were not compared)", counted(unexamined, "member"));
  }
  if (unsettled > 0) out += fmt::format(", {} did not settle", unsettled);
  return out + "; the answer is not determinate";
}

namespace {

/// Of a common problem.
auto gathering_of(const Problem& problem, const EnsembleOptions& options) {
  return Gathering(problem, options, [&problem](const ContactDraws&) { return Expected<const Problem*>(&problem); });
}

template <class OwnProblem>
Expected<Ensemble> whole_of(const Gathering<OwnProblem>& gathering, std::size_t members) {
  return gathering.members(0, members).map([&](const std::vector<Member>& all) { return gathering.whole(all); });
}

/// `use(gathering)` of a scene whose contacts are sampled where they are uncertain.
template <class Answer, class Use>
Expected<Answer> with_gathering(const BodyScene& arrangement, Hinges hinges, const ContactUncertainty& uncertainty,
                                const EnsembleOptions& options, const Use& use) {
  if (const auto fine = check(uncertainty); !fine) return tl::unexpected(fine.error());
  const auto assembled = assemble(arrangement, hinges);
  if (!assembled) return tl::unexpected(assembled.error());
  if (uncertainty.none()) return use(gathering_of(assembled->problem, options));
  const std::optional<Vec3> across = across_plane(assembled->problem);
  const auto own_problem = [&](ContactDraws draws) -> Expected<std::unique_ptr<Problem>> {
    auto own = assemble(sample_contacts(arrangement, uncertainty, across, std::ref(draws)), hinges);
    // The original contacts are valid: the error is due to a perturbed point, such as one off the line of a rod without
    // thickness.
    if (!own && uncertainty.point > 0)
      return fail(ErrorCode::invalid, "uncertainty.point", to_text(uncertainty.point),
                  "leads to invalid contacts: " + own.error().message());
    if (!own) return tl::unexpected(own.error());
    return std::make_unique<Problem>(std::move(own->problem));
  };
  return use(Gathering(assembled->problem, options, own_problem));
}

}  // namespace

Expected<Ensemble> resolve_ensemble(const Problem& problem, const EnsembleOptions& options) {
  return whole_of(gathering_of(problem, options), options.members);
}

Expected<Ensemble> resolve_ensemble(const BodyScene& arrangement, Hinges hinges, const ContactUncertainty& uncertainty,
                                    const EnsembleOptions& options) {
  return with_gathering<Ensemble>(arrangement, hinges, uncertainty, options,
                                  [&](const auto& gathering) { return whole_of(gathering, options.members); });
}

Expected<std::vector<EnsembleMember>> resolve_members(const BodyScene& arrangement, Hinges hinges,
                                                      const ContactUncertainty& uncertainty,
                                                      const EnsembleOptions& options, std::size_t first,
                                                      std::size_t last) {
  return with_gathering<std::vector<EnsembleMember>>(
      arrangement, hinges, uncertainty, options, [&](const auto& gathering) { return gathering.members(first, last); });
}

Expected<Ensemble> ensemble_of(const BodyScene& arrangement, Hinges hinges, const ContactUncertainty& uncertainty,
                               const EnsembleOptions& options, std::vector<EnsembleMember> members) {
  return with_gathering<Ensemble>(arrangement, hinges, uncertainty, options,
                                  [&](const auto& gathering) { return Expected<Ensemble>(gathering.whole(members)); });
}

}  // namespace ricochet
