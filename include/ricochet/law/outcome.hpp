#pragma once
/// What every law returns: the impulse with its certificate, and how it was reached.

#include <array>
#include <cstdint>
#include <string_view>

#include "ricochet/base/linear.hpp"
#include "ricochet/contact/contact.hpp"
#include "ricochet/space/certificate.hpp"

namespace ricochet {

/// How the contact point moved along the surface.
enum class Mode : std::uint8_t {
  separating,     ///< V⁻·n ≥ 0: no collision, P = 0
  slip,           ///< slides from beginning to end
  stick,          ///< no friction limit reached: the tangential answer of the law holds unclipped
  slip_stick,     ///< slides, stops, and sticks to the end
  slip_reversal,  ///< slides, stops, and slides on in another direction
  stick_slip,     ///< sticks and slides by turns, as a compliant contact does
};

/// Why the law stopped where it did.
enum class Why : std::uint8_t {
  separating,             ///< nothing to resolve
  closed_form,            ///< an explicit formula
  impulse_ratio_reached,  ///< Poisson: p_n = (1 + e) p_c
  work_ratio_reached,     ///< Stronge: W_r = −e² W_c
  rebound_speed_reached,  ///< Newton: V⁺·n = −e V⁻·n
  force_released,         ///< a contact in time: the normal force came down to zero
  root_found,             ///< a nonlinear system solved to rounding
  no_solution,            ///< the law has no answer for this contact
  not_converged,          ///< an iteration ended before its tolerance
  rings,                  ///< a contact in time whose springs swing more often than is followed
};

enum class Event : std::uint8_t { start, compression_ends, slip_stops, slip_resumes, compression_resumes, end };

[[nodiscard]] std::string_view name(Mode mode);
[[nodiscard]] std::string_view name(Event event);
[[nodiscard]] std::string_view describe(Why why);

/// A place on the way through impulse space.
template <class T>
struct PathPoint {
  Event event;
  Vec3T<T> P;
  Vec3T<T> V;
  T normal_work;    ///< ∫ V_n dP_n so far [J]
  T friction_work;  ///< ∫ V_t·dP_t so far [J]
};

/// Copies only the points that there are: most laws know two, and a copy of all the rest costs more than such a law.
template <class T>
struct Path {
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

  RICOCHET_HD void add(const PathPoint<T>& point) {
    if (count < capacity) points[static_cast<std::size_t>(count++)] = point;
  }
  [[nodiscard]] const PathPoint<T>* begin() const { return points.data(); }
  [[nodiscard]] const PathPoint<T>* end() const { return points.data() + count; }
};

/// What a law kernel hands back, in local axes.
template <class T>
struct Solution {
  Vec3T<T> P;
  Vec3T<T> V;       ///< V⁺
  T normal_work;    ///< ∫ V_n dP_n along the law's path
  T friction_work;  ///< ∫ V_t·dP_t along the law's path
  Mode mode = Mode::slip;
  Why why = Why::closed_form;
  bool jammed = false;  ///< friction drove the contact deeper: dV_n/dP_n < 0 somewhere on the path
  int evaluations = 1;
  T rounding = T(1);  ///< amplification of rounding errors that the law met on its way
  Path<T> path;
};

/// An algebraic law says nothing of the way, so its work is that of the straight line from 0 to P, on which V moves
/// linearly:  W_n = ½ P_n (V⁻ + V⁺)_n,  W_t = ½ P_t·(V⁻ + V⁺)_t.                                       (O1)
template <class T>
RICOCHET_HD Solution<T> straight(const Local<T>& c, const Vec3T<T>& P, Mode mode, Why why = Why::closed_form) {
  Solution<T> s;
  s.P = P;
  s.V = c.V + c.W * P;
  const Vec3T<T> mean = (c.V + s.V) / T(2);
  s.normal_work = P(0) * mean(0);
  s.friction_work = P(1) * mean(1) + P(2) * mean(2);
  s.mode = mode;
  s.why = why;
  return s;
}

/// In the coordinates of the contact that was asked.
struct Outcome {
  Vec3 P = Vec3::Zero();
  Vec3 V = Vec3::Zero();  ///< V⁺
  double energy_change = 0;
  double normal_work = 0;
  double friction_work = 0;  ///< normal_work + friction_work = energy_change
  Mode mode = Mode::separating;
  Why why = Why::separating;
  bool jammed = false;
  int evaluations = 0;
  Certificate certificate;
  Path<double> path;
};

/// Back to input coordinates, with the certificate for friction coefficient mu.
template <class T>
[[nodiscard]] Outcome finish(const Local<T>& local, const Solution<T>& solution, double mu);

extern template Outcome finish<double>(const Local<double>&, const Solution<double>&, double);
extern template Outcome finish<long double>(const Local<long double>&, const Solution<long double>&, double);

/// The outcome of bodies that part anyway.
[[nodiscard]] Outcome no_collision(const Contact& contact);

}  // namespace ricochet
