#include "branches.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "ricochet/base/in_parallel.hpp"

namespace ricochet {
namespace {

constexpr int deepest = 10;                ///< halvings of the line between two members
constexpr double part_of_line = 1.0 / 32;  ///< of the difference of its ends: no smaller jump is looked for
constexpr std::size_t neighbours = 3;      ///< that a history is compared with
constexpr std::size_t batch = 32;          ///< histories that are compared at a time
constexpr std::size_t most_apart = 32;     ///< histories that are apart from all others, before the search ends

/// The largest difference of two speeds on the scale of the contacts.
double distance(const VecX& a, const VecX& b, const VecX& scale) {
  return ((a - b).array().abs() * scale.array()).maxCoeff();
}

/// All members of one history.
struct Piece {
  std::size_t first = 0;  ///< member
  std::size_t members = 0;
};

/// The most frequent first, then in the order of their first members.
std::vector<Piece> pieces_of(const std::vector<std::optional<BranchPoint>>& members,
                             std::unordered_map<std::uint64_t, std::size_t>& numbers) {
  std::vector<Piece> out;
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (!members[m]) continue;
    const auto [at, is_new] = numbers.try_emplace(members[m]->history, out.size());
    if (is_new) out.push_back({m, 0});
    ++out[at->second].members;
  }
  std::vector<std::size_t> order(out.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return out[a].members > out[b].members; });
  std::vector<Piece> sorted;
  std::vector<std::size_t> place(out.size());
  for (const std::size_t i : order) {
    place[i] = sorted.size();
    sorted.push_back(out[i]);
  }
  for (auto& [history, number] : numbers) number = place[number];
  return sorted;
}

/// Whether the outcome changes without a jump along the line from member a to member b.
class Line {
 public:
  Line(const BetweenMembers& between, const BranchSearch& search, std::size_t a, std::size_t b)
      : between_(between), search_(search), a_(a), b_(b) {}

  [[nodiscard]] bool continuous(const BranchPoint& first, const BranchPoint& last) {
    jump_ = std::max(search_.resolution, part_of_line * distance(first.u, last.u, search_.scale));
    return halve({0, &first}, {1, &last}, 0);
  }

 private:
  struct Place {
    double s = 0;
    const BranchPoint* at = nullptr;
  };

  [[nodiscard]] bool halve(const Place& low, const Place& high, int depth) const {
    const double s = 0.5 * (low.s + high.s);
    const auto middle = between_(a_, b_, s);
    if (!middle) return false;
    const Place at{s, &*middle};
    const auto change = [&](const Place& x, const Place& y) { return distance(x.at->u, y.at->u, search_.scale); };
    // A jump is more likely in the half that changes more.
    const bool lower = change(low, at) >= change(at, high);
    for (const bool half : {lower, !lower}) {
      const Place& from = half ? low : at;
      const Place& to = half ? at : high;
      if (from.at->history == to.at->history || change(from, to) <= jump_) continue;
      if (depth + 1 == deepest || !halve(from, to, depth + 1)) return false;
    }
    return true;
  }

  const BetweenMembers& between_;
  const BranchSearch& search_;
  std::size_t a_, b_;
  double jump_ = 0;
};

class Branches {
 public:
  Branches(const std::vector<std::optional<BranchPoint>>& members, const BetweenMembers& between,
           const BranchSearch& search)
      : members_(members), between_(between), search_(search), pieces_(pieces_of(members, numbers_)) {
    parent_.resize(pieces_.size());
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }

  std::vector<std::optional<std::size_t>> run() {
    std::size_t apart = 0;
    std::size_t done = 0;
    while (done < pieces_.size() && apart <= most_apart) {
      const std::size_t count = std::min(batch, pieces_.size() - done);
      std::vector<std::optional<std::size_t>> joined(count);
      in_parallel(count, search_.threads, [&](std::size_t i) { joined[i] = neighbour_of(done + i); });
      for (std::size_t i = 0; i < count; ++i) {
        if (joined[i]) {
          parent_[root(done + i)] = root(*joined[i]);
        } else {
          ++apart;
        }
      }
      done += count;
    }
    std::vector<std::optional<std::size_t>> out(members_.size());
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if (!members_[m]) continue;
      const std::size_t piece = numbers_.at(members_[m]->history);
      if (piece < done) out[m] = root(piece);
    }
    return out;
  }

 private:
  [[nodiscard]] const BranchPoint& first_of(std::size_t piece) const { return *members_[pieces_[piece].first]; }

  std::size_t root(std::size_t piece) {
    while (parent_[piece] != piece) piece = parent_[piece] = parent_[parent_[piece]];
    return piece;
  }

  /// A more frequent history that this one continues, among those whose outcomes are nearest.
  [[nodiscard]] std::optional<std::size_t> neighbour_of(std::size_t piece) const {
    std::vector<std::pair<double, std::size_t>> near;
    near.reserve(piece);
    for (std::size_t other = 0; other < piece; ++other)
      near.emplace_back(distance(first_of(piece).u, first_of(other).u, search_.scale), other);
    const std::size_t count = std::min(neighbours, near.size());
    std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(count), near.end());
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t other = near[k].second;
      Line line(between_, search_, pieces_[other].first, pieces_[piece].first);
      if (line.continuous(first_of(other), first_of(piece))) return other;
    }
    return std::nullopt;
  }

  const std::vector<std::optional<BranchPoint>>& members_;
  const BetweenMembers& between_;
  const BranchSearch& search_;
  std::unordered_map<std::uint64_t, std::size_t> numbers_;  ///< piece of each history
  std::vector<Piece> pieces_;
  std::vector<std::size_t> parent_;
};

}  // namespace

std::vector<std::optional<std::size_t>> find_branches(const std::vector<std::optional<BranchPoint>>& members,
                                                      const BetweenMembers& between, const BranchSearch& search) {
  return Branches(members, between, search).run();
}

}  // namespace ricochet
