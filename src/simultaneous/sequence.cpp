#include "ricochet/simultaneous/sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "ricochet/base/error_path.hpp"
#include "ricochet/law/collide.hpp"
#include "ricochet/simultaneous/approach_queue.hpp"
#include "ricochet/simultaneous/settling.hpp"
#include "sequence_limit.hpp"
#include "sequence_state.hpp"

namespace ricochet {
namespace {

constexpr double fastest = 1e150;  ///< m/s; the square of anything slower is finite

/// Of each contact the number of its connected set, that is of contacts that some chain of systems connects; only they
/// can take part in one pattern.
std::vector<std::uint32_t> connected_sets(const Problem& problem) {
  std::vector<std::uint32_t> parent(problem.systems().size());
  std::iota(parent.begin(), parent.end(), 0U);
  const auto root = [&](std::uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (const ProblemContact& contact : problem.contacts())
    if (contact.side_count == 2) parent[root(contact.sides[0].system)] = root(contact.sides[1].system);
  std::vector<std::uint32_t> out;
  out.reserve(problem.contacts().size());
  for (const ProblemContact& contact : problem.contacts()) out.push_back(root(contact.sides[0].system));
  return out;
}

class Sequence {
 public:
  Sequence(const Problem& problem, const VecX& u, const SequenceOptions& options, const SequenceObserver& observer)
      : problem_(problem),
        options_(options),
        observer_(observer),
        state_(problem, u),
        random_(options.seed),
        tolerance_(options.tolerance * state_.speed()),
        grid_(state_.speed()),
        queue_(problem.contacts().size()),
        limit_(collision_limit(options, problem)),
        connected_set_(connected_sets(problem)),
        settling_(problem.systems().size()) {
    out_.u_before = u;
    out_.G.assign(problem.contacts().size(), Vec3::Zero());
    if (options.ties == Ties::direction) ranks_ = ranks_along_direction(problem);
  }

  Expected<Resolution> run() {
    for (std::uint32_t i = 0; i < state_.size(); ++i) V_before_.push_back(state_.contact(i).V);
    for (std::uint32_t i = 0; i < state_.size(); ++i) enqueue(i);
    while (!queue_.empty() && !stuck_) {
      const std::uint32_t i = queue_.top();
      if (state_.approach(i) <= tolerance_) break;
      if (out_.collisions == limit_) {
        stop(SequenceEnd::collision_limit);
        break;
      }
      note_tie(i);
      if (const auto fine = collide_one(i); !fine) return tl::unexpected(fine.error());
    }
    finish();
    if (!stuck_ && !std::isfinite(out_.energy_change))
      return fail(ErrorCode::overflow, "", "",
                  "the answer for these numbers is too large for double precision; use other units");
    return std::move(out_);
  }

 private:
  void enqueue(std::uint32_t i) {
    if (!state_.approaches(i)) {
      queue_.remove(i);
      return;
    }
    const double key = grid_(state_.approach(i));
    if (queue_.contains(i) && queue_.key(i) == key) return;
    const std::uint64_t rank = options_.ties == Ties::random ? random_.next() : ranks_.empty() ? 0 : ranks_[i];
    queue_.set(i, key, rank);
  }

  void note_tie(std::uint32_t chosen) {
    constexpr std::size_t most = 64;
    const auto other =
        queue_.tied_with_top(most, [&](std::uint32_t j) { return connected_set_[j] == connected_set_[chosen]; });
    if (!other) return;
    if (++out_.ties == 1) out_.first_tie = Tie{out_.collisions + 1, chosen, *other};
  }

  Expected<void> collide_one(std::uint32_t i) {
    const auto asked = state_.ask(i);
    if (!asked) return tl::unexpected(under(entry_path("contact", i), asked.error()));
    const auto& [P, mode] = *asked;
    ++out_.collisions;
    const Vec3 V_before = state_.contact(i).V;
    out_.G[i] += P;
    state_.apply(i, P);
    state_.neighbours(i, [this](std::uint32_t j) {
      state_.update(j);
      enqueue(j);
    });
    if (observer_)
      observe(i, mode, V_before, P, energy_change<double>(problem_.contacts()[i].contact.W, V_before, P), false);
    if (!P.allFinite() || !(state_.contact(i).V.norm() < fastest)) {
      stop(SequenceEnd::overflow);
      return {};
    }
    watch_pattern(i, mode, P);
    return {};
  }

  void watch_pattern(std::uint32_t i, Mode mode, const Vec3& P) {
    Settling& settling = settling_[connected_set_[i]];
    const ContactState& contact = state_.contact(i);
    switch (settling.note(i, mode, P, contact.hinge ? Vec3(Vec3::Zero()) : contact.n)) {
      case Settling::Prediction::none: break;
      case Settling::Prediction::cycle:
        out_.cycle = settling.pattern();
        stop(SequenceEnd::cycle);
        break;
      case Settling::Prediction::limit:
        if (!options_.extrapolate || !take_limit(settling)) settling.decline();
        break;
    }
  }

  bool take_limit(Settling& settling) {
    std::vector<Vec3> V_before;
    for (const std::uint32_t i : settling.contacts()) V_before.push_back(state_.contact(i).V);
    const auto changed = step_to_limit(state_, settling, {queue_, connected_set_, out_.G, grid_, tolerance_});
    if (!changed) return false;
    for (std::size_t k = 0; k < settling.contacts().size(); ++k) {
      const std::uint32_t i = settling.contacts()[k];
      const Vec3& P = settling.tail()[k];
      out_.G[i] += P;
      if (observer_) observe(i, Mode::separating, V_before[k], P, 0.5 * P.dot(V_before[k] + state_.contact(i).V), true);
    }
    for (const std::uint32_t j : *changed) enqueue(j);
    settling.restart();
    extrapolated_ = true;
    return true;
  }

  void observe(std::uint32_t i, Mode mode, const Vec3& V_before, const Vec3& P, double energy_change, bool limit) {
    const ContactState& contact = state_.contact(i);
    observer_({out_.collisions, i, mode, V_before, P, contact.hinge ? 0 : contact.n.dot(P), energy_change, limit});
  }

  void stop(SequenceEnd end) {
    out_.end = end;
    stuck_ = true;
  }

  void finish() {
    out_.u = state_.u();
    for (std::uint32_t i = 0; i < state_.size(); ++i) {
      out_.V.push_back(state_.contact(i).V);
      out_.energy_change += 0.5 * out_.G[i].dot(V_before_[i] + out_.V[i]);
      out_.remaining = std::max(out_.remaining, state_.approach(i));
    }
    if (stuck_) {
      out_.status = SequenceStatus::does_not_settle;
      return;
    }
    if (extrapolated_) {
      out_.status = SequenceStatus::extrapolated;
      out_.end = SequenceEnd::limit;
    } else if (!queue_.empty()) {
      out_.status = SequenceStatus::truncated;
      out_.end = SequenceEnd::tolerance;
    }
    // A sequence that is cut off at an approach which the user calls none is judged by what is left all the same.
    const bool exact = out_.status == SequenceStatus::settled;
    out_.certificate = certify(problem_, out_, {out_.collisions, exact ? 0 : Settling::agreement});
  }

  const Problem& problem_;
  const SequenceOptions& options_;
  const SequenceObserver& observer_;
  SequenceState state_;
  Random random_;
  double tolerance_;
  TieGrid grid_;
  ApproachQueue queue_;
  std::size_t limit_;
  std::vector<std::uint32_t> connected_set_;
  std::vector<Settling> settling_;  ///< by connected set
  std::vector<std::uint64_t> ranks_;
  std::vector<Vec3> V_before_;
  bool stuck_ = false;
  bool extrapolated_ = false;
  Resolution out_;
};

}  // namespace

std::size_t collision_limit(const SequenceOptions& options, const Problem& problem) {
  return options.max_collisions > 0 ? options.max_collisions : 10'000'000 + 100 * problem.contacts().size();
}

Expected<Resolution> resolve_from(const Problem& problem, const VecX& u, const SequenceOptions& options,
                                  const SequenceObserver& observer) {
  if (const auto fine = in_range("tolerance", options.tolerance, 0, 0.1); !fine) return tl::unexpected(fine.error());
  if (const auto fine = in_range("uncertainty", options.uncertainty, 0, 0.1); !fine)
    return tl::unexpected(fine.error());
  if (u.size() != problem.u().size())
    return fail(ErrorCode::wrong_type, "u", fmt::format("{} speeds", u.size()),
                fmt::format("must be {}", problem.u().size()));
  if (!u.allFinite()) return fail(ErrorCode::out_of_range, "u", "", "every speed must be finite");
  return Sequence(problem, u, options, observer).run();
}

Expected<Resolution> resolve(const Problem& problem, const SequenceOptions& options, const SequenceObserver& observer) {
  if (options.ties != Ties::perturb) return resolve_from(problem, problem.u(), options, observer);
  if (const auto fine = in_range("uncertainty", options.uncertainty, 0, 0.1); !fine)
    return tl::unexpected(fine.error());
  Random random(options.seed);
  return resolve_from(problem, perturbed(problem, options.uncertainty, random), options, observer);
}

}  // namespace ricochet
