#pragma once
/// Which bodies can meet within their windows: a grid of cells (docs/simulation.md (MO9)).

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ricochet/base/linear.hpp"

namespace ricochet::motion {

class BroadPhase {
 public:
  /// `radius`: of the largest body that moves.
  void start(std::size_t bodies, double radius);
  /// Whether there are so many bodies that windows should be short.
  [[nodiscard]] bool crowded() const { return crowded_; }
  /// How far a body may travel in one window.
  [[nodiscard]] double travel() const { return cell_; }

  /// The box in which a body stays during its window; bounded: it has a finite one.
  void put(std::uint32_t body, const Vec3& low, const Vec3& high, bool bounded);
  struct Bounds {
    Vec3 low = Vec3::Zero(), high = Vec3::Zero();
    bool bounded = false;
  };
  [[nodiscard]] std::vector<Bounds> bounds() const;
  /// Bodies whose boxes meet that of this one, in increasing order.
  void neighbours(std::uint32_t body, std::vector<std::uint32_t>& out) const;

 private:
  struct Box : Bounds {
    bool placed = false;
    std::vector<std::uint64_t> cells;
  };
  [[nodiscard]] bool too_large(const Vec3& low, const Vec3& high) const;
  template <class Use>
  void each_cell(const Vec3& low, const Vec3& high, Use use) const;
  void remove(std::uint32_t body);

  double cell_ = 1;
  bool crowded_ = false;
  std::vector<Box> boxes_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> cells_;
  std::vector<std::uint32_t> everywhere_;  ///< unbounded ones, and those in too many cells
};

}  // namespace ricochet::motion
