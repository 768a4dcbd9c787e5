#pragma once
/// Derivatives by differences in extended precision, to hold the exact ones against.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "random_contact.hpp"
#include "ricochet/contact/inverse_spd.hpp"
#include "ricochet/contact/localize_kernel.hpp"
#include "ricochet/law/derivatives.hpp"
#include "ricochet/law/solution.hpp"

namespace ricochet::testing {

using Wide = long double;

/// The numbers of a contact, to be moved in steps finer than double precision.
struct WideContact {
  Mat3T<Wide> A;  ///< M or W
  Vec3T<Wide> V, n, spin;
  bool mass_given;

  explicit WideContact(const Contact& c)
      : A((c.mass_given ? c.M : c.W).cast<Wide>()),
        V(c.V.cast<Wide>()),
        n(c.n.cast<Wide>()),
        spin(c.spin.cast<Wide>()),
        mass_given(c.mass_given) {}

  [[nodiscard]] Local<Wide> local() const {
    Mat3T<Wide> B;
    EXPECT_TRUE(inverse_spd<Wide>(A, B));
    return mass_given ? localize<Wide>(A, B, V, n, false) : localize<Wide>(B, A, V, n, false);
  }
};

/// P, V⁺ and ΔE of a contact.
using Rows = Eigen::Matrix<Wide, 7, 1>;

/// `solution(law, local)` or `solution(law, local, spin)` in extended precision, as rows in input coordinates.
template <class L, class Solve>
Rows rows_of(const L& law, const WideContact& contact, const Solve& solution) {
  const Local<Wide> c = contact.local();
  Vec3T<Wide> p;
  if constexpr (std::is_invocable_v<Solve, L, Local<Wide>, Vec3T<Wide>>) {
    p = solution(law, c, Vec3T<Wide>(c.R.transpose() * contact.spin));
  } else {
    p = solution(law, c);
  }
  Rows out;
  out.head<3>() = c.R * p;
  const Vec3T<Wide> V_local = c.R.transpose() * contact.V;  // V_3 is zero to rounding only
  out.segment<3>(3) = c.R * (V_local + c.W * p);
  out(6) = p.dot(V_local + c.W * p / Wide(2));
  return out;
}

/// Richardson's extrapolation of central differences: error of order h⁸.
template <class F>
Rows richardson(const F& f, Wide h) {
  std::array<Rows, 4> d;
  for (std::size_t i = 0; i < d.size(); ++i) {
    d[i] = (f(h) - f(-h)) / (2 * h);
    h /= 2;
  }
  Wide four = 4;
  for (std::size_t level = 1; level < d.size(); ++level, four *= 4)
    for (std::size_t i = 0; i + level < d.size(); ++i) d[i] = (four * d[i + 1] - d[i]) / (four - 1);
  return d[0];
}

/// The same for a solution that knows its events. Where their order changes within the steps, P may have no second
/// derivative there although it has a first one, and differences across it converge slowly: the steps are shortened by
/// eight until the events at both ends of the longest one are those of the contact itself. This looks at the
/// differences alone, not at the derivatives that they are compared with. Not a number where no step is short enough.
template <class F, class Solve>
Rows differences(const F& f, const Solve& solution, Wide h) {
  if constexpr (requires { solution.events(); }) {
    f(0);
    const auto order = solution.events();
    for (int i = 0; i < 4; ++i, h /= 8) {
      f(h);
      if (solution.events() != order) continue;
      f(-h);
      if (solution.events() == order) return richardson(f, h);
    }
    return Rows::Constant(std::numeric_limits<Wide>::quiet_NaN());
  } else {
    return richardson(f, h);
  }
}

/// The column j of an input, 0 ≤ j < count, by differences; h is relative to the size of the input.
template <class L, class Solve>
Rows by_contact(std::string_view input, int j, const L& law, const Contact& contact, const Solve& solution, Wide h) {
  return differences(
             [&](Wide x) {
               WideContact moved(contact);
               if (input == "V") {
                 moved.V(j) += x * Wide(contact.V.norm());
               } else if (input == "n") {
                 moved.n(j) += x;
               } else if (input == "spin") {
                 moved.spin(j) += x * Wide(contact.spin.norm());
               } else {
                 static constexpr std::array<std::pair<int, int>, 6> entry{
                     {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}};
                 const auto [a, b] = entry[static_cast<std::size_t>(j)];
                 const Wide least = Wide(1) / (contact.mass_given ? contact.W : contact.M).norm();
                 moved.A(a, b) += x * least;
                 if (a != b) moved.A(b, a) += x * least;
               }
               return rows_of(law, moved, solution);
             },
             solution, h) /
         (input == "V"      ? Wide(contact.V.norm())
          : input == "n"    ? Wide(1)
          : input == "spin" ? Wide(contact.spin.norm())
                            : Wide(1) / Wide((contact.mass_given ? contact.W : contact.M).norm()));
}

/// A number of the law, moved in steps that are exact in double precision.
template <class L>
struct MovableParameter {
  std::string_view name;
  std::function<void(L& law, double by)> move;

  MovableParameter(std::string_view what, double L::*member)
      : name(what), move([member](L& law, double by) { law.*member += by; }) {}
  /// A number that several parts of the law share.
  MovableParameter(std::string_view what, std::function<void(L&, double)> way) : name(what), move(std::move(way)) {}
};

template <class L, class Solve>
Rows by_parameter(const MovableParameter<L>& parameter, const L& law, const Contact& contact, const Solve& solution,
                  Wide h) {
  const WideContact wide(contact);
  // Exact steps: the number is rounded to a multiple of the smallest one first.
  return differences(
      [&](Wide x) {
        L moved = law;
        parameter.move(moved, static_cast<double>(x));
        return rows_of(moved, wide, solution);
      },
      solution, h);
}

/// A number with few binary digits, so that steps of powers of two leave it exact.
inline double short_number(double x) { return std::ldexp(std::round(std::ldexp(x, 20)), -20); }

struct DifferenceChecks {
  int contacts = 60;
  double tolerance = 1e-9;
  double away = 0.02;         ///< least distance to a change of mode
  Wide step = 0x1p-9L;        ///< largest of the four
  Wide rough_step = 0x1p-8L;  ///< of differences in double precision
  double least_slip = 0;      ///< after the impact, over ‖V‖: less counts as near a change
  double least_share = 0.4;   ///< of the contacts that must be away from changes
};

/// What was compared.
struct DifferenceCount {
  int contacts = 0, kinks = 0, refused = 0;
  int events = 0;    ///< columns left out: the order of events changes within the shortest steps
  int repeated = 0;  ///< contacts for which differences in double precision were too rough
  double worst = 0;  ///< relative deviation
  std::string where;
};

/// Slip that stops along a repelling direction: P has a first derivative there and no second, so that differences
/// converge slowly.
inline bool once_differentiable(const Derivatives& d) {
  for (int i = 0; i < d.changes; ++i)
    if (d.change[static_cast<std::size_t>(i)].what.find("turns away") != std::string_view::npos) return true;
  return false;
}

/// Compares every column of every input with differences. The size of a row's derivative by an input is that of its
/// block, but not less than the outcome by the input.
template <class L, class Solve>
DifferenceCount compare_contact(const L& law, const Contact& contact, const DifferentiatedOutcome& answer,
                                const std::vector<MovableParameter<L>>& parameters, const Solve& solution, Wide step) {
  DifferenceCount count;
  const Derivatives& d = answer.derivatives;
  const double P = answer.outcome.P.norm(), V = contact.V.norm();
  const auto check = [&](std::string_view name, const Eigen::Matrix<Wide, 7, Eigen::Dynamic>& by, double unit) {
    const DerivativeInput* input = d.find(name);
    ASSERT_NE(input, nullptr) << name;
    ASSERT_EQ(input->count, by.cols()) << name;
    const auto deviation = [&](int first, int rows, double size) {
      Eigen::MatrixXd exact = d.jacobian.block(first, input->first, rows, input->count);
      Eigen::MatrixXd other = by.middleRows(first, rows).template cast<double>();
      for (int j = 0; j < by.cols(); ++j) {
        if (!by.col(j).array().isNaN().all()) continue;
        exact.col(j).setZero();
        other.col(j).setZero();
        count.events += first == 0;
      }
      const double scale = other.norm() + size / unit;
      const double relative = (exact - other).norm() / scale;
      if (!std::isnan(count.worst) && !(relative <= count.worst)) {
        count.worst = relative;
        count.where = "d" +
                      std::string(first == 0   ? "P"
                                  : first == 3 ? "V"
                                               : "E") +
                      "/d" + std::string(name) + ", nearest change " + std::string(d.nearest()->what) + " at " +
                      std::to_string(d.nearest()->distance);
      }
    };
    deviation(0, 3, P);
    deviation(3, 3, V);
    deviation(6, 1, P * V);
  };
  const auto block = [&](std::string_view name, int columns) {
    Eigen::Matrix<Wide, 7, Eigen::Dynamic> by(7, columns);
    for (int j = 0; j < columns; ++j) by.col(j) = by_contact(name, j, law, contact, solution, step);
    return by;
  };
  check(contact.mass_given ? "M" : "W", block(contact.mass_given ? "M" : "W", 6),
        (contact.mass_given ? contact.M : contact.W).norm());
  check("V", block("V", 3), V);
  check("n", block("n", 3), 1);
  if (d.find("spin") != nullptr) check("spin", block("spin", 3), contact.spin.norm());
  for (const MovableParameter<L>& p : parameters) {
    Eigen::Matrix<Wide, 7, Eigen::Dynamic> by(7, 1);
    by.col(0) = by_parameter(p, law, contact, solution, step);
    check(p.name, by, 1);
  }
  return count;
}

/// No rougher solution than the one in extended precision.
struct NoRoughSolution {};

/// With `rough`, a solution in double precision, contacts are compared with differences of that one first, and with
/// those of `solution` where that leaves more than `rough_tolerance`.
template <class L, class Make, class Draw, class Solve, class Rough = NoRoughSolution>
DifferenceCount compare_derivatives(const Make& make, const Draw& draw,
                                    const std::vector<MovableParameter<L>>& parameters, const Solve& solution,
                                    const DifferenceChecks& checks, unsigned seed = 11, const Rough& rough = {}) {
  constexpr double rough_tolerance = 1e-10;
  Rng rng(seed);
  DifferenceCount count;
  for (int i = 0; i < checks.contacts; ++i) {
    const L law = make(rng);
    const Contact contact = draw(rng);
    const auto answer = collide_with_derivatives(law, contact);
    if (!answer) {
      ++count.refused;
      continue;
    }
    const Derivatives& d = answer->derivatives;
    const Vec3 V_t = answer->outcome.V - contact.n * contact.n.dot(answer->outcome.V);
    if (!answer->kink.empty() || std::abs(d.nearest()->distance) < checks.away || once_differentiable(d) ||
        V_t.norm() < checks.least_slip * contact.V.norm()) {
      ++count.kinks;
      continue;
    }
    ++count.contacts;
    DifferenceCount one;
    bool settled = false;
    if constexpr (!std::is_same_v<Rough, NoRoughSolution>) {
      one = compare_contact(law, contact, *answer, parameters, rough, checks.rough_step);
      settled = one.worst <= rough_tolerance && one.events == 0;
      count.repeated += settled ? 0 : 1;
    }
    if (!settled) one = compare_contact(law, contact, *answer, parameters, solution, checks.step);
    count.events += one.events;
    if (std::isnan(count.worst) || one.worst <= count.worst) continue;
    count.worst = one.worst;
    count.where = ::testing::PrintToString(i) + ": " + one.where;
  }
  return count;
}

/// The solution of the law's kernel.
struct ByKernel {
  template <class L>
  Vec3T<Wide> operator()(const L& law, const Local<Wide>& c) const {
    return solve(law, c).P;
  }
};

/// The same, with the order of the events on the way, in the precision T.
template <class T>
class KernelWithEvents {
 public:
  template <class L>
  Vec3T<Wide> operator()(const L& law, const Local<Wide>& c) const {
    events_.clear();
    Observer observer{events_};
    const Local<T> local{c.M.template cast<T>(), c.W.template cast<T>(), c.V.template cast<T>(),
                         c.R.template cast<T>()};
    return solve(law, local, observer).P.template cast<Wide>();
  }
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }

 private:
  struct Observer {
    static constexpr bool enabled = true;
    std::vector<Event>& events;
    void operator()(const PathPoint<T>& point) const { events.push_back(point.event); }
  };
  mutable std::vector<Event> events_;
};
using ByKernelWithEvents = KernelWithEvents<Wide>;

template <class L, class Make, class Draw, class Solve = ByKernel, class Rough = NoRoughSolution>
void expect_exact_derivatives(const Make& make, const Draw& draw, const std::vector<MovableParameter<L>>& parameters,
                              const DifferenceChecks& checks = {}, const Solve& solution = {},
                              const Rough& rough = {}) {
  // RICOCHET_CONTACTS=10000 runs more of them, RICOCHET_SEED=2 others.
  DifferenceChecks wanted = checks;
  if (const char* more = std::getenv("RICOCHET_CONTACTS")) wanted.contacts = std::atoi(more);
  const char* other = std::getenv("RICOCHET_SEED");
  const unsigned seed = other != nullptr ? static_cast<unsigned>(std::atoi(other)) : 11;
  const DifferenceCount count = compare_derivatives<L>(make, draw, parameters, solution, wanted, seed, rough);
  EXPECT_LE(count.worst, checks.tolerance) << "contact " << count.where;
  EXPECT_EQ(count.refused, 0);
  EXPECT_GE(count.contacts, wanted.least_share * wanted.contacts)
      << count.kinks << " at kinks, " << count.refused << " refused";
  ::testing::Test::RecordProperty("contacts", count.contacts);
  ::testing::Test::RecordProperty("worst", std::to_string(count.worst));
  EXPECT_LE(count.events, 0.1 * count.contacts) << "columns in which the order of events changes";
  if (wanted.contacts != checks.contacts)
    std::printf(
        "%d contacts, %d near kinks, %d refused, %d repeated, %d columns with another order of events, worst %.2g at "
        "%s\n",
        count.contacts, count.kinks, count.refused, count.repeated, count.events, count.worst, count.where.c_str());
}

/// Slipping, approaching at 0.2 to 1.2 rad, cond ≤ 10, half of them by M and half by W.
inline Contact smooth_contact(Rng& rng) {
  const Mat3 A = random_mass(rng, 1);
  const Vec3 n = random_unit(rng);
  Vec3 t = n.cross(random_unit(rng));
  while (t.norm() < 1e-2) t = n.cross(random_unit(rng));
  const double angle = uniform(rng, 0.2, 1.2), speed = log_uniform(rng, -1, 1);
  const Vec3 V = speed * (std::cos(angle) * t.normalized() - std::sin(angle) * n);
  return chance(rng, 0.5) ? *contact_from_mass(A, V, n) : *contact_from_mobility(A, V, n);
}

/// The same, planar, in random axes.
inline Contact smooth_planar_contact(Rng& rng) {
  const Contact flat = random_planar_contact(rng, 1);
  const double angle = uniform(rng, 0.2, 1.2);
  const Vec3 V(-std::sin(angle), (chance(rng, 0.5) ? 1 : -1) * std::cos(angle), 0);
  const Mat3 Q = random_rotation(rng);
  const Mat3 A = Q * flat.M * Q.transpose();
  const Mat3 S = 0.5 * (A + A.transpose());
  return chance(rng, 0.5) ? *contact_from_mass(S, Q * V, Q.col(0)) : *contact_from_mobility(S, Q * V, Q.col(0));
}

/// Spheres and disks: diagonal, the two tangential masses equal.
inline Contact smooth_round_contact(Rng& rng) {
  const double m = log_uniform(rng, -1, 1), t = m * uniform(rng, 0.2, 1);
  const Mat3 Q = random_rotation(rng);
  const Mat3 A = Q * Vec3(m, t, t).asDiagonal() * Q.transpose();
  const Mat3 S = 0.5 * (A + A.transpose());
  const double angle = uniform(rng, 0.2, 1.2);
  const Vec3 V = Q * Vec3(-std::sin(angle), -std::cos(angle), 0);
  return chance(rng, 0.5) ? *contact_from_mass(S, V, Q.col(0)) : *contact_from_mobility(S, V, Q.col(0));
}

inline double short_uniform(Rng& rng, double low, double high) { return short_number(uniform(rng, low, high)); }

}  // namespace ricochet::testing
