#pragma once
/// Pfeiffer and Glocker's planar law, docs/laws/pfeiffer-glocker.md.

#include <cmath>
#include <limits>
#include <type_traits>

#include "ricochet/contact/contact_view.hpp"
#include "ricochet/law/pfeiffer_glocker.hpp"
#include "ricochet/law/solution.hpp"

namespace ricochet {

/// The plane that the law works in, of n and a tangent t. Without slip the tangent is arbitrary, and is turned to where
/// the normal impulse drives the contact, if it does; the law does not depend on its sign.
template <class T>
struct ImpactPlane {
  Vec3T<T> t;
  T V_t;
  T w_nn, w, w_tt;    ///< W in the plane
  T across, largest;  ///< the largest coupling of W out of the plane, and the largest entry of W
  MaskOf<T> slips, planar;
};

template <class T>
[[nodiscard]] RICOCHET_HD ImpactPlane<T> impact_plane(const ContactView<T>& c, const T& given_tolerance) {
  using std::abs;
  using Number = LaneNumber<T>;
  constexpr Number eps = std::numeric_limits<Number>::epsilon();
  const auto larger = [](const T& x, const T& y) { return select(x > y, x, y); };
  const T tolerance = larger(given_tolerance, T(Number(64) * eps));
  LocalTangents<T> axes = c.tangents();
  const Vec3T<T> Wn = times3<T>(c.W, c.n);
  ImpactPlane<T> out;
  out.w_nn = dot3<T>(c.n, Wn);
  const T rest = c.W(0, 0) + c.W(1, 1) + c.W(2, 2) - out.w_nn;
  out.slips = axes.s != T(0);
  MaskOf<T> driven = out.slips;
  if (!all(out.slips)) {
    // Orthogonal to n to rounding of itself, not of W n: made so twice.
    Vec3T<T> w_t(Wn(0) - out.w_nn * c.n(0), Wn(1) - out.w_nn * c.n(1), Wn(2) - out.w_nn * c.n(2));
    const T along = dot3<T>(c.n, w_t);
    w_t = Vec3T<T>(w_t(0) - along * c.n(0), w_t(1) - along * c.n(1), w_t(2) - along * c.n(2));
    const T w = norm3<T>(w_t);
    const MaskOf<T> turns = !out.slips && w > tolerance * larger(out.w_nn, rest / T(2));
    axes.t = select3(turns, Vec3T<T>(w_t(0) / w, w_t(1) / w, w_t(2) / w), axes.t);
    axes.b = cross3<T>(c.n, axes.t);
    // Without slip and without coupling there is no tangential motion for any W_tt.
    driven = driven || turns;
  }
  const Vec3T<T> Wt = times3<T>(c.W, axes.t);
  out.t = axes.t;
  out.V_t = -axes.s;
  out.w = dot3<T>(axes.t, Wn);
  out.w_tt = dot3<T>(axes.t, Wt);
  // No entry of a positive semidefinite matrix exceeds the largest of its diagonal.
  out.largest = larger(out.w_nn, larger(out.w_tt, rest - out.w_tt));
  out.across = larger(T(abs(dot3<T>(axes.b, Wn))), select(driven, T(abs(dot3<T>(axes.b, Wt))), T(0)));
  // Rounding of V turns the direction of a slip s by ε‖V‖/s, and the plane with it.
  const T s = select(out.slips, axes.s, T(1));
  const T turned = select(out.slips, T(T(Number(8) * eps) * (abs(c.V_n) + s)), T(0));
  out.planar = out.across * s <= (tolerance * s + turned) * out.largest;
  return out;
}

/// An impulse of compression in the plane.
template <class T>
struct PlanarCompression {
  T P_n, P_t;
  T size;  ///< λ in P = λ(α, −β v̂) when it slips; when it sticks the λ of the cone's section at that P_n
  MaskOf<T> sticks, found;
};

/// The impulse that stops a contact whose block of W in the plane is nearly singular: by M, refined against W itself,
/// of which M is the inverse only to rounding times its condition number. Where W is singular it may not be able to.
template <class T>
[[nodiscard]] RICOCHET_HD PlanarCompression<T> stopped_by_mass(const ContactView<T>& c, const ImpactPlane<T>& plane) {
  using std::abs;
  using Number = LaneNumber<T>;
  constexpr Number eps = std::numeric_limits<Number>::epsilon();
  const T &w_nn = plane.w_nn, &w = plane.w, &w_tt = plane.w_tt;
  const Vec3T<T> Mn = times3<T>(c.M, c.n), Mt = times3<T>(c.M, plane.t);
  const T m_nn = dot3<T>(c.n, Mn), m = dot3<T>(plane.t, Mn), m_tt = dot3<T>(plane.t, Mt);
  const auto by_mass = [&](const T& n, const T& t) { return Vec2T<T>(m_nn * n + m * t, m * n + m_tt * t); };
  const auto left = [&](const Vec2T<T>& P) {
    return Vec2T<T>(-c.V_n - (w_nn * P(0) + w * P(1)), -plane.V_t - (w * P(0) + w_tt * P(1)));
  };
  const auto size_of = [](const Vec2T<T>& r) { return T(abs(r(0)) + abs(r(1))); };
  const auto rounding_of = [&](const Vec2T<T>& P) {
    return T(T(Number(4) * eps) * ((w_nn + abs(w)) * abs(P(0)) + (abs(w) + w_tt) * abs(P(1))));
  };
  Vec2T<T> P = by_mass(-c.V_n, -plane.V_t);
  Vec2T<T> rest = left(P);
  MaskOf<T> coarse = size_of(rest) > rounding_of(P);
  for (int i = 0; i < 4 && any(coarse); ++i) {
    const Vec2T<T> more = by_mass(rest(0), rest(1));
    const Vec2T<T> better(P(0) + more(0), P(1) + more(1));
    const Vec2T<T> less = left(better);
    const MaskOf<T> helps = coarse && size_of(less) < size_of(rest) / T(2);
    for (int k = 0; k < 2; ++k) {
      P(k) = select(helps, better(k), P(k));
      rest(k) = select(helps, less(k), rest(k));
    }
    coarse = helps && size_of(rest) > rounding_of(P);
  }
  PlanarCompression<T> out;
  out.P_n = P(0);
  out.P_t = P(1);
  // 1e-9 is the tolerance to which a singular W is asked to hold V in its range.
  out.found = size_of(rest) <= T(1e-9) * (abs(c.V_n) + abs(plane.V_t)) + T(16) * rounding_of(P);
  return out;
}

/// Compression: V_n = 0 with friction against the remaining slip, or no slip. The sticking solution, which leaves no
/// energy, has precedence; of two that slip, the one that leaves less.
/// In homogeneous form the cone is P = λ(α, −β v̂), α = 1/(1+μ), β = μ/(1+μ); μ = ∞ is the ordinary point α = 0, β = 1.
template <class T>
[[nodiscard]] RICOCHET_HD PlanarCompression<T> planar_compression(const T& mu, const T& alpha, const T& beta,
                                                                  const ContactView<T>& c,
                                                                  const ImpactPlane<T>& plane) {
  using std::abs;
  using Number = LaneNumber<T>;
  constexpr Number eps = std::numeric_limits<Number>::epsilon();
  const T infinity(std::numeric_limits<Number>::infinity());
  const T &w_nn = plane.w_nn, &w = plane.w, &w_tt = plane.w_tt;
  const T &V_n = c.V_n, &V_t = plane.V_t;

  // Elimination gives the impulse that stops the contact: P_t = turn/d, P_n = push/d.
  const T inverse = T(1) / w_nn, l = w * inverse, d = w_tt - l * w;
  const T turn = l * V_n - V_t;
  const T push = -(V_n * inverse) * d - l * turn;
  const MaskOf<T> regular = d > T(1e-6) * w_tt;
  PlanarCompression<T> out;
  out.sticks = mu > T(0) && regular && push >= T(0) && alpha * abs(turn) <= beta * push;
  PlanarCompression<T> by_mass;
  if (!all(regular)) {
    by_mass = stopped_by_mass(c, plane);
    by_mass.sticks =
        !regular && mu > T(0) && by_mass.found && by_mass.P_n >= T(0) && alpha * abs(by_mass.P_t) <= beta * by_mass.P_n;
    out.sticks = out.sticks || by_mass.sticks;
  }

  // Slip in direction v after compression: λ = −V_n/k, and the slip itself, times k > 0, is not negative but by
  // rounding.
  struct Slip {
    T k;
    MaskOf<T> valid;
  };
  const T tangential = beta * w_tt, coupled = alpha * w;
  const auto slip_along = [&](const T& v) {
    const T k = alpha * w_nn - beta * w * v;
    const T slip = v * V_t * k - V_n * (coupled * v - tangential);
    const T rounding = T(Number(64) * eps) * (abs(V_t) * k - V_n * (abs(coupled) + tangential));
    return Slip{k, !out.sticks && k > T(0) && slip >= -rounding};
  };
  const Slip back = slip_along(T(-1)), forth = slip_along(T(1));
  MaskOf<T> second = forth.valid && !back.valid;
  if (any(forth.valid && back.valid)) {
    const auto energy = [&](const T& v, const T& k) {
      const T lambda = -V_n / k, n = alpha * lambda, t = -beta * lambda * v;
      return T(n * (V_n + (w_nn * n + w * t) / T(2)) + t * (V_t + (w * n + w_tt * t) / T(2)));
    };
    second = second || (forth.valid && back.valid && energy(T(1), forth.k) < energy(T(-1), back.k));
  }
  out.found = out.sticks || back.valid || forth.valid;

  // One division for both kinds of answer.
  const T v = select(second, T(1), T(-1));
  const T ratio = select(out.sticks, turn, T(-V_n)) / select(out.sticks, d, select(second, forth.k, back.k));
  T stuck_n = -(V_n * inverse) - l * ratio, stuck_t = ratio;
  if (!all(regular)) {
    stuck_n = select(by_mass.sticks, by_mass.P_n, stuck_n);
    stuck_t = select(by_mass.sticks, by_mass.P_t, stuck_t);
  }
  const T section = select(alpha > T(0), T((T(1) + mu) * stuck_n), select(stuck_n > T(0), infinity, T(abs(stuck_t))));
  out.P_n = select(out.sticks, stuck_n, T(alpha * ratio));
  out.P_t = select(out.sticks, stuck_t, T(-beta * ratio * v));
  out.size = select(out.sticks, section, ratio);
  return out;
}

/// Expansion, with σ = sign of the tangential impulse P_t,c of
/// compression and P_t,e = σ y:
///   P_n,e ≥ e_k P_n,c  complementary to  V_n⁺ ≥ 0,
///   L ≤ y ≤ U,  U = μ P_n,e,  L = −(1−ν) μ P_n,e + ν e_t e_k |P_t,c|,
///   y = U where σV_t⁺ < 0,  y = L where σV_t⁺ > 0.                                                       (P1)
/// V_t⁺ grows with y, so that y is the sticking value y* = −σ(V_t,c + w P_n,e)/w_tt clipped to [L, U]. In the plane
/// P_n,e = e_k P_n,c always leaves V_n⁺ ≥ 0 (docs/laws/pfeiffer-glocker.md), so no larger impulse is ever looked for.
/// Where nothing was stored (P_t,c = 0) no side is marked out and Coulomb's interval holds.
template <class S, class T>
[[nodiscard]] RICOCHET_HD TwoPhaseImpulse<T> impulse(const PfeifferGlockerT<S>& law, const ContactView<T>& c) {
  using std::abs;
  const ImpactPlane<T> plane = impact_plane<T>(c, T(law.tolerance));
  const T mu(law.mu), e_k(law.e_k);
  const auto unlimited = law.mu == S(std::numeric_limits<LaneNumber<S>>::infinity());
  const T alpha = select(unlimited, T(0), T(T(1) / (T(1) + mu)));
  const T beta = select(unlimited, T(1), T(mu * alpha));
  PlanarCompression<T> k = planar_compression<T>(mu, alpha, beta, c, plane);
  k.P_n = select(k.found, k.P_n, T(0));
  k.P_t = select(k.found, k.P_t, T(0));
  const T &w = plane.w, &w_tt = plane.w_tt;
  TwoPhaseImpulse<T> out;
  out.V_c = Vec2T<T>(c.V_n + (plane.w_nn * k.P_n + w * k.P_t), plane.V_t + (w * k.P_n + w_tt * k.P_t));

  const MaskOf<T> expands = e_k > T(0) && k.found;
  const T sigma = select(k.P_t < T(0), T(-1), T(1));
  const T share = select(k.P_t != T(0), T(law.nu), T(0));
  const T p = e_k * k.P_n;
  // β λ is μ P_n also for μ = ∞: infinite where P_n > 0, and the friction of the slip where P_n = 0.
  const T up = select(mu > T(0), T(beta * e_k * k.size), T(0));
  const T down = select(share == T(1), T(0), T((T(1) - share) * up));
  const T low = share * T(law.e_t) * e_k * abs(k.P_t) - down;
  T y = select(w_tt > T(0), T(-sigma * (out.V_c(1) + w * p) / w_tt), T(0));
  const MaskOf<T> above = y > up, below = y < low;
  const MaskOf<T> sticks = (expands && !above && !below && (mu > T(0) || k.sticks)) || (!expands && k.sticks);
  const MaskOf<T> rebounds = expands && below;
  y = select(above, up, y);
  y = select(y < low, low, y);

  out.t = plane.t;
  out.P_cn = k.P_n;
  out.P_ct = k.P_t;
  out.P_en = select(expands, p, T(0));
  out.P_et = select(expands, T(sigma * y), T(0));
  out.P_n = out.P_cn + out.P_en;
  const T P_t = out.P_ct + out.P_et;
  out.P_t = Vec3T<T>(P_t * out.t(0), P_t * out.t(1), P_t * out.t(2));
  out.size_t = abs(P_t);
  out.V_t = plane.V_t;
  out.V_t_after = plane.V_t + (w * out.P_n + w_tt * P_t);
  const PerLane<T, Mode> stuck = select(k.sticks, Mode::stick, Mode::slip_stick);
  const PerLane<T, Mode> slid = select(k.sticks || rebounds, Mode::slip_reversal, Mode::slip);
  out.mode = select(sticks, stuck, slid);
  out.termination = select(k.found, Termination::closed_form, Termination::no_solution);
  out.served = plane.planar;
  return out;
}

template <class S, class T, class Observer = NullObserver>
RICOCHET_HD Solution<T> solve(const PfeifferGlockerT<S>& law, const Local<T>& c, Observer&& observer = Observer{}) {
  const TwoPhaseImpulse<T> answer = impulse(law, ContactView<T>(c));
  if (answer.termination == Termination::no_solution)
    return straight<T>(c, Vec3T<T>(T(0), T(0), T(0)), Mode::slip, Termination::no_solution);
  const auto in_plane = [&](const T& n, const T& t) { return Vec3T<T>(n, t * answer.t(1), t * answer.t(2)); };
  Solution<T> s = two_lines<T>(c, in_plane(answer.P_cn, answer.P_ct), in_plane(answer.P_en, answer.P_et), observer);
  s.mode = answer.mode;
  s.termination = answer.termination;
  return s;
}

}  // namespace ricochet
