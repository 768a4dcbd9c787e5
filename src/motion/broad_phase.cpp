#include "motion/broad_phase.hpp"

#include <algorithm>
#include <cmath>

namespace ricochet::motion {
namespace {

constexpr double most_cells = 64;

std::uint64_t cell_key(std::int64_t x, std::int64_t y, std::int64_t z) {
  constexpr std::uint64_t mask = (std::uint64_t{1} << 21U) - 1;
  return (static_cast<std::uint64_t>(x) & mask) | (static_cast<std::uint64_t>(y) & mask) << 21U |
         (static_cast<std::uint64_t>(z) & mask) << 42U;
}

}  // namespace

void BroadPhase::start(std::size_t bodies, double radius) {
  boxes_.assign(bodies, {});
  crowded_ = bodies > 12 && radius > 0;
  cell_ = radius > 0 ? 2 * radius : 1;
}

bool BroadPhase::too_large(const Vec3& low, const Vec3& high) const {
  const Vec3 cells = (high - low) / cell_ + Vec3::Constant(1);
  return !crowded_ || !(cells.prod() <= most_cells);
}

template <class Use>
void BroadPhase::each_cell(const Vec3& low, const Vec3& high, Use use) const {
  const auto at = [&](double x) { return static_cast<std::int64_t>(std::floor(x / cell_)); };
  for (std::int64_t x = at(low.x()); x <= at(high.x()); ++x)
    for (std::int64_t y = at(low.y()); y <= at(high.y()); ++y)
      for (std::int64_t z = at(low.z()); z <= at(high.z()); ++z) use(cell_key(x, y, z));
}

void BroadPhase::remove(std::uint32_t body) {
  Box& box = boxes_[body];
  if (!box.placed) return;
  if (box.cells.empty()) {
    std::erase(everywhere_, body);
  } else {
    for (const std::uint64_t key : box.cells) {
      const auto found = cells_.find(key);
      std::erase(found->second, body);
      if (found->second.empty()) cells_.erase(found);
    }
  }
  box.cells.clear();
  box.placed = false;
}

void BroadPhase::put(std::uint32_t body, const Vec3& low, const Vec3& high, bool bounded) {
  remove(body);
  Box& box = boxes_[body];
  box.low = low;
  box.high = high;
  box.bounded = bounded;
  box.placed = true;
  if (!bounded || too_large(low, high)) {
    everywhere_.insert(std::lower_bound(everywhere_.begin(), everywhere_.end(), body), body);
    return;
  }
  each_cell(low, high, [&](std::uint64_t key) {
    if (std::find(box.cells.begin(), box.cells.end(), key) != box.cells.end()) return;
    box.cells.push_back(key);
    cells_[key].push_back(body);
  });
}

std::vector<BroadPhase::Bounds> BroadPhase::bounds() const { return {boxes_.begin(), boxes_.end()}; }

void BroadPhase::neighbours(std::uint32_t body, std::vector<std::uint32_t>& out) const {
  const Box& box = boxes_[body];
  const auto meets = [&](std::uint32_t other) {
    const Box& o = boxes_[other];
    return !box.bounded || !o.bounded ||
           ((box.low.array() <= o.high.array()).all() && (o.low.array() <= box.high.array()).all());
  };
  if (box.cells.empty()) {
    for (std::uint32_t other = 0; other < boxes_.size(); ++other)
      if (other != body && boxes_[other].placed && meets(other)) out.push_back(other);
    return;
  }
  for (const std::uint64_t key : box.cells)
    for (const std::uint32_t other : cells_.at(key))
      if (other != body && meets(other)) out.push_back(other);
  for (const std::uint32_t other : everywhere_)
    if (other != body && meets(other)) out.push_back(other);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
}

}  // namespace ricochet::motion
