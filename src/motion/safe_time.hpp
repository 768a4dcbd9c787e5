#pragma once
/// Marching along a gap by times in which it cannot close: docs/simulation.md (MO6), (MO7).

#include <algorithm>
#include <cmath>
#include <limits>

#include "motion/gap_search.hpp"

namespace ricochet::motion {

/// A gap and its rate.
struct GapRate {
  double value = 0, rate = 0;
};

/// Largest speed of a centre of mass over the interval.
inline double largest_speed(const Piece& piece, double from, double to) {
  if (piece.degree > 2) return piece.speed;
  return std::max(piece.velocity(from).norm(), piece.velocity(to).norm());
}

/// Largest speed and acceleration of a point at distance r from the centre of mass.
struct PointBound {
  double speed = 0, acceleration = 0;
};
inline PointBound point_bound(const Piece& piece, double r, double from, double to) {
  const double w = piece.turning_speed;
  return {largest_speed(piece, from, to) + w * r, piece.acceleration + (w * w + piece.turning_acceleration) * r};
}

/// Bound A on −f″ of f = n·(c − p), n turning with the plane's body: (MO6).
inline double plane_bound(const Piece& plane, double plane_arm, const Piece& moving, double arm, double distance,
                          double from, double to) {
  const PointBound c = point_bound(moving, arm, from, to);
  if (plane.turning == Piece::Turning::none) return c.acceleration + plane.acceleration;
  const PointBound p = point_bound(plane, plane_arm, from, to);
  const double rate = c.speed + p.speed, w = plane.turning_speed;
  return c.acceleration + p.acceleration + 2 * w * rate +
         (w * w + plane.turning_acceleration) * (distance + rate * (to - from));
}

/// How long f stays positive if f″ ≥ −A: the positive root of f + ḟ s − ½ A s².
inline double safe_time(const GapRate& f, double A) {
  const double value = std::max(f.value, 0.0);
  if (!(A > 0)) return f.rate < 0 ? value / -f.rate : std::numeric_limits<double>::infinity();
  const double root = std::sqrt(f.rate * f.rate + 2 * A * value);
  if (root == 0) return 0;
  return f.rate > 0 ? (f.rate + root) / A : 2 * value / (root - f.rate);
}

inline constexpr int most_steps = 200000;

/// t + step, and at least the next double.
inline double later(double t, double step) {
  const double next = t + step;
  return next > t ? next : std::nextafter(t, std::numeric_limits<double>::infinity());
}

/// Marches by safe times, which converges quadratically at a simple zero. `f` gives gap and rate at a time.
template <class Function>
Expected<GapFound> march(Function f, double A, const GapSearch& search) {
  double t = search.from;
  // Shapes that touch and hardly part would be marched in steps of rounding: these grow.
  double creep = 1e-12 * (search.to - search.from);
  GrazingNote note(search);
  for (int k = 0; k < most_steps; ++k) {
    GapRate now = f(t);
    note.see(t, now.value, now.rate);
    // A rate that is zero up to rounding does not close a gap that touches.
    if (now.value <= search.touching && (k == 0 || now.value > -search.touching) && std::abs(now.rate) <= search.still)
      now.rate = 0;
    // An overlap that opens has nothing to be resolved, however deep it is.
    if (k == 0 && now.value <= search.touching && now.rate >= 0) now.value = std::max(now.value, 0.0);
    if (now.value <= search.rounding && now.rate < 0) return GapFound{true, t};
    double step = safe_time(now, A);
    if (now.value <= search.touching && now.rate >= 0) {
      step = std::max(step, creep);
      creep *= 1.5;
    }
    t = later(t, step);
    if (!(t < search.to)) return note.none();
  }
  return fail(ErrorCode::not_converged, "", "", "the search for the first contact of two shapes did not end");
}

struct PlaneInBody {
  Vec3 n, p;  ///< axes of the body
};

inline GapRate plane_gap(const PlaneInBody& plane, const Pose& a, const Vec3& c_local, double margin, const Pose& b) {
  const Vec3 n = a.orientation * plane.n, p = a.position + a.orientation * plane.p;
  const Vec3 r = b.orientation * c_local, c = b.position + r;
  const Vec3 relative =
      b.velocity + b.angular_velocity.cross(r) - a.velocity - a.angular_velocity.cross(c - a.position);
  return {n.dot(c - p) - margin, n.dot(relative)};
}

}  // namespace ricochet::motion
