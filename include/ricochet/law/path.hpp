#pragma once
/// The path of a law through impulse space. A kernel that knows its path reports it point by point to an observer;
/// `NullObserver` is for callers that want only P.

#include <array>
#include <cstdint>
#include <string_view>

#include "ricochet/base/linear.hpp"

namespace ricochet {

enum class Event : std::uint8_t { start, compression_ends, slip_stops, slip_resumes, compression_resumes, end };

[[nodiscard]] std::string_view name(Event event);

template <class T>
struct PathPoint {
  Event event;
  Vec3T<T> P;
  Vec3T<T> V;
  T normal_work;    ///< ∫ V_n dP_n so far [J]
  T friction_work;  ///< ∫ V_t·dP_t so far [J]
};

/// An observer is called with each PathPoint in order; where `enabled` is false the points are not even computed.
struct NullObserver {
  static constexpr bool enabled = false;
  template <class T>
  RICOCHET_HD void operator()(const PathPoint<T>&) const {}
};

/// The observer that keeps the points, up to its capacity; the last one is always the latest `Event::end`. A copy takes
/// only the points that there are: most laws know two, and copying all the rest costs more than such a law.
template <class T>
struct Path {
  static constexpr bool enabled = true;
  static constexpr int capacity = 10;
  std::array<PathPoint<T>, capacity> points;
  int count = 0;

  Path() = default;
  RICOCHET_HD Path(const Path& other) { *this = other; }
  RICOCHET_HD Path& operator=(const Path& other) {
    count = other.count;
    for (int i = 0; i < count; ++i) points[static_cast<std::size_t>(i)] = other.points[static_cast<std::size_t>(i)];
    return *this;
  }
  ~Path() = default;

  RICOCHET_HD void operator()(const PathPoint<T>& point) {
    if (count == capacity && point.event == Event::end) --count;
    if (count < capacity) points[static_cast<std::size_t>(count++)] = point;
  }
  [[nodiscard]] const PathPoint<T>* begin() const { return points.data(); }
  [[nodiscard]] const PathPoint<T>* end() const { return points.data() + count; }
};

}  // namespace ricochet
