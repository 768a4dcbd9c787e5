#include "ricochet/simultaneous/sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "ricochet/law/collide.hpp"
#include "ricochet/simultaneous/approach_queue.hpp"
#include "ricochet/simultaneous/plane.hpp"
#include "ricochet/simultaneous/settling.hpp"

namespace ricochet {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double rest = 32 * eps;  ///< of the terms that a velocity is made of

double friction(const Law& law) {
  return std::visit(
      [](const auto& l) -> double {
        if constexpr (requires { l.mu; }) {
          return l.mu;
        } else {
          return 0;
        }
      },
      law);
}

/// Contacts that some chain of movers connects; only they can take part in one pattern.
std::vector<std::uint32_t> components(const Problem& problem) {
  std::vector<std::uint32_t> of_mover(problem.movers().size());
  std::iota(of_mover.begin(), of_mover.end(), 0U);
  const auto root = [&](std::uint32_t i) {
    while (of_mover[i] != i) i = of_mover[i] = of_mover[of_mover[i]];
    return i;
  };
  for (const ContactPlace& place : problem.contacts())
    if (place.side_count == 2) of_mover[root(place.sides[0].mover)] = root(place.sides[1].mover);
  std::vector<std::uint32_t> out;
  out.reserve(problem.contacts().size());
  for (const ContactPlace& place : problem.contacts()) out.push_back(root(place.sides[0].mover));
  return out;
}

/// What a contact needs to know its approach, packed for the many times that a neighbour's collision changes it.
struct Now {
  Vec3 V;
  Vec3 n;
  Vec3 drift;
  std::array<Vec3, 2> arm;             ///< of rigid bodies
  std::array<std::uint32_t, 2> first;  ///< place of their speeds in u
  std::array<double, 2> sign;
  int sides = 0;
  bool rigid = true;  ///< sides are rigid bodies; else J is asked
  bool hinge = false;
  bool inert = false;

  /// How urgent: the approach speed, or all of the speed that a hinge has to end.
  [[nodiscard]] double approach() const { return inert ? 0 : hinge ? V.norm() : -n.dot(V); }
};

Now make_now(const Problem& problem, const ContactPlace& place) {
  Now now;
  now.V = place.contact.V;
  now.n = place.contact.n;
  now.drift = place.drift;
  now.sides = place.side_count;
  now.hinge = place.hinge;
  now.inert = place.inert;
  for (std::size_t s = 0; s < static_cast<std::size_t>(place.side_count); ++s) {
    const ContactSide& side = place.sides[s];
    const Mover& mover = problem.movers()[side.mover];
    now.first[s] = static_cast<std::uint32_t>(mover.first);
    now.sign[s] = *problem.J(side);  // J = ±[I, −S(r)]
    if (mover.body < 0) {
      now.rigid = false;
    } else {
      now.arm[s] = place.point - problem.bodies()[static_cast<std::size_t>(mover.body)].position;
    }
  }
  return now;
}

class Sequence {
 public:
  Sequence(const Problem& problem, const VecX& u, const SequenceOptions& options)
      : problem_(problem),
        options_(options),
        random_(options.seed),
        speed_(problem.speed()),
        tolerance_(options.tolerance * speed_),
        grid_(speed_),
        queue_(problem.contacts().size()),
        limit_(options.max_collisions > 0 ? options.max_collisions : 10'000'000 + 100 * problem.contacts().size()),
        component_(components(problem)),
        across_(across_plane(problem)),
        settling_(problem.movers().size()) {
    out_.u_before = out_.u = u;
    out_.G.assign(problem.contacts().size(), Vec3::Zero());
    if (options.ties == Ties::direction) ranks_ = ranks_along_direction(problem);
  }

  Expected<Resolution> run() {
    start();
    while (!queue_.empty() && !stuck_) {
      const std::uint32_t i = queue_.top();
      if (approach(i) <= tolerance_) break;
      if (out_.collisions == limit_) {
        out_.end = SequenceEnd::collision_limit;
        stuck_ = true;
        break;
      }
      if (const auto fine = collide_one(i); !fine) return tl::unexpected(fine.error());
    }
    finish();
    if (!stuck_ && !std::isfinite(out_.energy_change))
      return fail("law", "", "the answer for these numbers is too large for double precision; use other units");
    return std::move(out_);
  }

 private:
  /// Contacts before the impact as the problem states them, so that a single one is what its law would be asked.
  void start() {
    const bool own = out_.u_before == problem_.u();
    for (std::uint32_t i = 0; i < problem_.contacts().size(); ++i) {
      now_.push_back(make_now(problem_, problem_.contacts()[i]));
      if (!own) update(i);
      size_ = std::max(size_, problem_.velocity_terms(i, out_.u));
      V_before_.push_back(now_[i].V);
    }
    for (std::uint32_t i = 0; i < now_.size(); ++i) queue(i);
  }

  [[nodiscard]] double approach(std::uint32_t i) const { return now_[i].approach(); }

  /// V from the speeds, as they are now.
  void update(std::uint32_t i) {
    Now& now = now_[i];
    if (!now.rigid) {
      now.V = problem_.velocity(i, out_.u);
      return;
    }
    Vec3 V = now.drift;
    for (std::size_t s = 0; s < static_cast<std::size_t>(now.sides); ++s) {
      const Eigen::Map<const Vec3> v(out_.u.data() + now.first[s]);
      const Eigen::Map<const Vec3> omega(out_.u.data() + now.first[s] + 3);
      V += now.sign[s] * (v + omega.cross(now.arm[s]));
    }
    now.V = V;
  }

  /// Whether contact i approaches by more than the rounding of the terms that V is made of. A body that turns about its
  /// contact has V = v + ω × r = 0 but for that.
  [[nodiscard]] bool approaches(std::uint32_t i) const {
    const double a = approach(i);
    if (!(a > rest * speed_)) return false;
    if (a > 1e-8 * size_) return true;  // spares the sum for all but a few: terms do not grow a millionfold
    const Now& now = now_[i];
    if (!now.rigid) return a > rest * problem_.velocity_terms(i, out_.u);
    double terms = now.drift.lpNorm<1>();
    for (std::size_t s = 0; s < static_cast<std::size_t>(now.sides); ++s) {
      const Eigen::Map<const Vec3> v(out_.u.data() + now.first[s]);
      const Eigen::Map<const Vec3> omega(out_.u.data() + now.first[s] + 3);
      terms += v.lpNorm<1>() + omega.lpNorm<1>() * now.arm[s].lpNorm<1>();
    }
    return a > rest * terms;
  }

  /// What the law of a contact makes of it as it is now.
  [[nodiscard]] Expected<std::pair<Vec3, Mode>> ask(std::uint32_t i) const {
    const ContactPlace& place = problem_.contacts()[i];
    if (place.hinge) return std::pair{Vec3(-(place.contact.M * now_[i].V)), Mode::stick};
    Contact contact = place.contact;
    // A plane law takes the plane from V, and what is left of a slip may be no more than rounding across it.
    contact.V = out_.collisions > 0 ? in_plane(now_[i].V, across_) : now_[i].V;
    const Expected<Outcome> outcome = collide(place.law, contact);
    if (!outcome) return tl::unexpected(outcome.error());
    return std::pair{outcome->P, outcome->mode};
  }

  void queue(std::uint32_t i) {
    if (!approaches(i)) {
      queue_.remove(i);
      return;
    }
    const double key = grid_(approach(i));
    if (queue_.contains(i) && queue_.key(i) == key) return;
    const std::uint64_t rank = options_.ties == Ties::random ? random_.next() : ranks_.empty() ? 0 : ranks_[i];
    queue_.set(i, key, rank);
  }

  Expected<void> collide_one(std::uint32_t i) {
    const auto asked = ask(i);
    if (!asked) {
      Error error = asked.error();
      error.field = fmt::format("contact {} {}", i + 1, error.field);
      return tl::unexpected(std::move(error));
    }
    const auto& [P, mode] = *asked;
    ++out_.collisions;
    if (out_.order.size() < options_.record) out_.order.push_back(i);
    apply(i, P);
    refresh(i);
    if (!P.allFinite() || !(now_[i].V.norm() < 1e150)) {
      out_.end = SequenceEnd::overflow;
      stuck_ = true;
      return {};
    }
    Settling& settling = settling_[component_[i]];
    switch (settling.note(i, mode, P, now_[i].hinge ? Vec3(Vec3::Zero()) : now_[i].n)) {
      case Settling::Found::nothing: break;
      case Settling::Found::cycle:
        out_.end = SequenceEnd::cycle;
        out_.cycle = settling.pattern();
        stuck_ = true;
        break;
      case Settling::Found::limit:
        if (options_.extrapolate) {
          take_limit(settling);
        } else {
          settling.decline();
        }
        break;
    }
    return {};
  }

  void apply(std::uint32_t i, const Vec3& P) {
    out_.G[i] += P;
    problem_.apply(i, P, out_.u);
  }

  /// Contacts that share a mover with contact i, itself among them.
  template <class Visit>
  void neighbours(std::uint32_t i, Visit visit) const {
    const ContactPlace& place = problem_.contacts()[i];
    for (const std::uint32_t j : problem_.on(place.sides[0].mover)) visit(j);
    if (place.side_count < 2) return;
    const std::uint32_t first = now_[i].first[0];
    for (const std::uint32_t j : problem_.on(place.sides[1].mover)) {
      const Now& other = now_[j];
      if (other.first[0] == first || (other.sides == 2 && other.first[1] == first)) continue;  // visited above
      visit(j);
    }
  }

  void refresh(std::uint32_t i) {
    neighbours(i, [this](std::uint32_t j) {
      update(j);
      queue(j);
    });
  }

  /// State that the look ahead disturbs, and puts back.
  struct Kept {
    std::vector<std::uint32_t> touched;                    ///< contacts that feel one of the pattern, ascending
    std::vector<Vec3> V;                                   ///< of those
    std::vector<std::pair<std::uint32_t, double>> speeds;  ///< of the movers concerned
  };

  [[nodiscard]] Kept keep(const std::vector<std::uint32_t>& who) const {
    Kept kept;
    for (const std::uint32_t i : who) neighbours(i, [&](std::uint32_t j) { kept.touched.push_back(j); });
    std::sort(kept.touched.begin(), kept.touched.end());
    kept.touched.erase(std::unique(kept.touched.begin(), kept.touched.end()), kept.touched.end());
    for (const std::uint32_t j : kept.touched) kept.V.push_back(now_[j].V);
    for (const std::uint32_t i : who) {
      const ContactPlace& place = problem_.contacts()[i];
      for (int s = 0; s < place.side_count; ++s) {
        const Mover& mover = problem_.movers()[place.sides[static_cast<std::size_t>(s)].mover];
        for (int k = 0; k < mover.dof; ++k) {
          const auto at = static_cast<std::uint32_t>(mover.first) + static_cast<std::uint32_t>(k);
          kept.speeds.emplace_back(at, out_.u(at));
        }
      }
    }
    return kept;
  }
  void restore(const Kept& kept) {
    for (const auto& [at, value] : kept.speeds) out_.u(at) = value;
    for (std::size_t k = 0; k < kept.touched.size(); ++k) now_[kept.touched[k]].V = kept.V[k];
  }

  /// Whether one period of true collisions, started from a state to come, goes through the pattern: the same contacts
  /// in the same order and the same modes, with no other contact pushing in.
  [[nodiscard]] bool holds_after(const Settling& settling, const std::vector<Vec3>& received, const Kept& kept) {
    const std::vector<std::uint32_t>& who = settling.contacts();
    for (std::size_t k = 0; k < who.size(); ++k) problem_.apply(who[k], received[k], out_.u);
    ApproachQueue ahead(problem_.contacts().size());
    const auto look = [&](std::uint32_t j) {
      update(j);
      if (approaches(j)) {
        ahead.set(j, grid_(approach(j)), 0);
      } else {
        ahead.remove(j);
      }
    };
    for (const std::uint32_t j : kept.touched) look(j);
    const std::vector<std::uint32_t> pattern = settling.pattern();
    for (std::size_t step = 0; step < pattern.size(); ++step) {
      const std::uint32_t i = pattern[step];
      if (!ahead.contains(i) || ahead.key(i) < ahead.key(ahead.top())) return false;
      const auto asked = ask(i);
      if (!asked || asked->second != settling.mode(step)) return false;
      problem_.apply(i, asked->first, out_.u);
      neighbours(i, look);
    }
    return true;
  }

  /// Whether impulses that are the rest of a pattern are ones that its laws could have given.
  [[nodiscard]] bool in_cones(const std::vector<std::uint32_t>& who, const std::vector<Vec3>& tail) const {
    for (std::size_t k = 0; k < who.size(); ++k) {
      const ContactPlace& place = problem_.contacts()[who[k]];
      if (place.hinge) continue;
      const Vec3& n = place.contact.n;
      const double normal = n.dot(tail[k]);
      const double across = (tail[k] - normal * n).norm();
      const double slack = 1e-9 * tail[k].norm() + 1e-12 * out_.G[who[k]].norm();
      const double mu = friction(place.law);
      if (normal < -slack) return false;
      if (mu != std::numeric_limits<double>::infinity() && across > mu * normal + slack * (1 + mu)) return false;
    }
    return true;
  }

  /// Applies the rest of an endless pattern if what results is an end: impulses in their cones, no energy from
  /// nothing, nothing left that approaches; and if the pattern does last until then.
  void take_limit(Settling& settling) {
    const std::vector<std::uint32_t>& who = settling.contacts();
    const std::vector<Vec3>& tail = settling.tail();
    const Kept kept = keep(who);
    // A contact farther off that waits its turn will have it when the pattern has become slower than it, and will push
    // in then by way of others.
    const bool others_wait = queue_.any([&](std::uint32_t j) {
      return component_[j] == component_[who[0]] && approach(j) > tolerance_ &&
             !std::binary_search(kept.touched.begin(), kept.touched.end(), j);
    });
    bool stands = !others_wait && in_cones(who, tail);
    for (const std::vector<Vec3>& received : settling.ahead()) {
      if (!stands) break;
      stands = holds_after(settling, received, kept);
      restore(kept);
    }
    double work = 0;
    double size = 0;
    for (std::size_t k = 0; k < who.size(); ++k) {
      work += 0.5 * tail[k].dot(now_[who[k]].V);
      size += tail[k].norm() * speed_;
      problem_.apply(who[k], tail[k], out_.u);
    }
    for (const std::uint32_t j : kept.touched) {
      update(j);
      stands = stands && (approach(j) <= tolerance_ || !approaches(j));
    }
    bool promised = true;
    for (std::size_t k = 0; k < who.size(); ++k) {
      work += 0.5 * tail[k].dot(now_[who[k]].V);
      const ContactPlace& place = problem_.contacts()[who[k]];
      promised = promised && (place.hinge || guarantees(place.law).energy);
    }
    if (!stands || (promised && work > 1e-9 * size)) {
      restore(kept);
      settling.decline();
      return;
    }
    for (std::size_t k = 0; k < who.size(); ++k) out_.G[who[k]] += tail[k];
    for (const std::uint32_t j : kept.touched) queue(j);
    settling.restart();
    extrapolated_ = true;
  }

  void finish() {
    out_.V.resize(now_.size());
    for (std::uint32_t i = 0; i < now_.size(); ++i) {
      out_.V[i] = now_[i].V;
      out_.energy_change += 0.5 * out_.G[i].dot(V_before_[i] + now_[i].V);
      out_.remaining = std::max(out_.remaining, approach(i));
    }
    if (stuck_) {
      out_.status = SequenceStatus::does_not_settle;
    } else if (extrapolated_) {
      out_.status = SequenceStatus::extrapolated;
      out_.end = SequenceEnd::limit;
    } else if (!queue_.empty()) {
      out_.status = SequenceStatus::truncated;
      out_.end = SequenceEnd::tolerance;
    }
  }

  const Problem& problem_;
  const SequenceOptions& options_;
  Random random_;
  double speed_;
  double size_ = 0;  ///< of the largest terms that a V was made of, before
  double tolerance_;
  TieGrid grid_;
  ApproachQueue queue_;
  std::size_t limit_;
  std::vector<std::uint32_t> component_;
  std::optional<Vec3> across_;
  std::vector<Settling> settling_;  ///< by component, that is by its root mover
  std::vector<std::uint64_t> ranks_;
  std::vector<Now> now_;
  std::vector<Vec3> V_before_;
  bool stuck_ = false;
  bool extrapolated_ = false;
  Resolution out_;
};

}  // namespace

std::string_view name(SequenceStatus status) {
  switch (status) {
    case SequenceStatus::settled: return "settled";
    case SequenceStatus::extrapolated: return "extrapolated";
    case SequenceStatus::truncated: return "truncated";
    case SequenceStatus::does_not_settle: return "does-not-settle";
  }
  return "unknown";
}

std::string_view describe(SequenceEnd end) {
  switch (end) {
    case SequenceEnd::rest: return "no contact approaches";
    case SequenceEnd::tolerance: return "no contact approaches by more than the tolerance";
    case SequenceEnd::limit: return "an endless sequence, summed to its limit";
    case SequenceEnd::cycle: return "a cycle of collisions repeats for ever and loses no energy";
    case SequenceEnd::collision_limit: return "contacts still approach after as many collisions as were allowed";
    case SequenceEnd::overflow: return "speeds grow without bound: a law gains energy";
  }
  return "unknown";
}

Expected<Resolution> resolve_from(const Problem& problem, const VecX& u, const SequenceOptions& options) {
  if (const auto fine = in_range("tolerance", options.tolerance, 0, 0.1); !fine) return tl::unexpected(fine.error());
  if (const auto fine = in_range("uncertainty", options.uncertainty, 0, 0.1); !fine)
    return tl::unexpected(fine.error());
  if (u.size() != problem.u().size())
    return fail("u", fmt::format("{} speeds", u.size()), fmt::format("must be {}", problem.u().size()));
  if (!u.allFinite()) return fail("u", "", "every speed must be finite");
  return Sequence(problem, u, options).run();
}

Expected<Resolution> resolve(const Problem& problem, const SequenceOptions& options) {
  if (options.ties != Ties::perturb) return resolve_from(problem, problem.u(), options);
  if (const auto fine = in_range("uncertainty", options.uncertainty, 0, 0.1); !fine)
    return tl::unexpected(fine.error());
  Random random(options.seed);
  return resolve_from(problem, perturbed(problem, options.uncertainty, random), options);
}

}  // namespace ricochet
