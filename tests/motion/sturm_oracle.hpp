#pragma once
/// Judges the answer of `first_crossing` in exact arithmetic by another method: the square-free parts of odd and of
/// even multiplicity (Yun 1976) and the number of their zeros in an interval by Sturm's theorem, with Collins' reduced
/// remainders over the integers.

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/motion/crossing.hpp"

namespace ricochet::motion::testing {

using Integer = boost::multiprecision::cpp_int;
using Rational = boost::multiprecision::cpp_rational;

/// Coefficients in ascending order; the last one is not zero. Empty: the polynomial 0.
template <class N>
using Poly = std::vector<N>;

template <class N>
void trim(Poly<N>& p) {
  while (!p.empty() && p.back() == 0) p.pop_back();
}

template <class N>
Poly<N> derivative(const Poly<N>& p) {
  Poly<N> d;
  for (std::size_t i = 1; i < p.size(); ++i) d.push_back(p[i] * static_cast<int>(i));
  return d;
}

/// Quotient and remainder over the rationals.
inline std::pair<Poly<Rational>, Poly<Rational>> divide(Poly<Rational> a, const Poly<Rational>& b) {
  Poly<Rational> q(a.size() >= b.size() ? a.size() - b.size() + 1 : 0);
  while (a.size() >= b.size()) {
    const std::size_t shift = a.size() - b.size();
    const Rational f = a.back() / b.back();
    q[shift] = f;
    for (std::size_t i = 0; i < b.size(); ++i) a[i + shift] -= f * b[i];
    a.back() = 0;
    trim(a);
  }
  return {q, a};
}

inline Poly<Rational> common_divisor(Poly<Rational> a, Poly<Rational> b) {
  while (!b.empty()) {
    Poly<Rational> r = divide(a, b).second;
    a = std::move(b);
    b = std::move(r);
  }
  const Rational lead = a.back();
  for (Rational& x : a) x /= lead;
  return a;
}

inline Poly<Rational> times(const Poly<Rational>& a, const Poly<Rational>& b) {
  Poly<Rational> c(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) c[i + j] += a[i] * b[j];
  return c;
}

inline Poly<Integer> integers(const Poly<Rational>& p) {
  Integer scale = 1;
  for (const Rational& x : p) scale = boost::multiprecision::lcm(scale, Integer(denominator(x)));
  Poly<Integer> out;
  for (const Rational& x : p) out.push_back(numerator(x) * (scale / denominator(x)));
  return out;
}

/// Sturm's sequence, each member up to a positive factor; the last one is the greatest common divisor of p and p'.
inline std::vector<Poly<Integer>> sturm(const Poly<Integer>& p) {
  std::vector<Poly<Integer>> chain = {p, derivative(p)};
  Integer divisor = 1;
  if (chain[1].empty()) chain.pop_back();
  while (chain.size() >= 2 && chain.back().size() > 1) {
    const Poly<Integer>& a = chain[chain.size() - 2];
    const Poly<Integer>& b = chain.back();
    const std::size_t steps = a.size() - b.size() + 1;
    const Integer lead = b.back();
    Poly<Integer> r = a;
    for (std::size_t k = steps; k-- > 0;) {
      const Integer f = r.size() == b.size() + k ? r.back() : Integer(0);
      for (Integer& x : r) x *= lead;
      for (std::size_t i = 0; i < b.size() && f != 0; ++i) r[i + k] -= f * b[i];
      if (r.size() == b.size() + k) r.pop_back();
    }
    trim(r);
    if (r.empty()) break;
    const bool keep = lead < 0 && steps % 2 == 1;
    for (Integer& x : r) x = keep ? Integer(x / divisor) : Integer(-x / divisor);
    divisor = boost::multiprecision::pow(Integer(abs(lead)), static_cast<unsigned>(steps));
    chain.push_back(std::move(r));
  }
  return chain;
}

inline int sign_at(const Poly<Integer>& p, double t) {
  int e = 0;
  const double f = std::frexp(t, &e);
  Integer m = static_cast<long long>(std::ldexp(f, 53));
  e -= 53;
  if (e > 0) m <<= static_cast<unsigned>(e);
  Integer v = 0;
  for (std::size_t i = p.size(); i-- > 0;) {
    v *= m;
    v += e < 0 ? p[i] << (static_cast<std::size_t>(-e) * (p.size() - 1 - i)) : p[i];
  }
  return v.sign();
}

/// Distinct zeros of a square-free polynomial with p(0) ≠ 0.
class ZeroCounter {
 public:
  explicit ZeroCounter(const Poly<Integer>& p) : chain_(sturm(p)) {
    for (const Poly<Integer>& q : chain_) {
      std::size_t i = 0;
      while (q[i] == 0) ++i;
      start_.push_back(q[i].sign());  // just after 0
    }
  }
  /// In (0, t).
  [[nodiscard]] int before(double t) const {
    if (t == 0) return 0;
    std::vector<int> s;
    for (const Poly<Integer>& q : chain_) s.push_back(sign_at(q, t));
    return variations(start_) - variations(s) - (s[0] == 0 ? 1 : 0);
  }
  [[nodiscard]] const Poly<Integer>& last() const { return chain_.back(); }

 private:
  static int variations(const std::vector<int>& s) {
    int count = 0, last = 0;
    for (const int x : s) {
      if (x == 0) continue;
      if (last != 0 && x != last) ++count;
      last = x;
    }
    return count;
  }
  std::vector<Poly<Integer>> chain_;
  std::vector<int> start_;
};

/// The product of the square-free factors of odd and of even multiplicity.
inline std::pair<Poly<Integer>, Poly<Integer>> odd_and_even_part(const Poly<Integer>& p) {
  const Poly<Rational> f(p.begin(), p.end());
  Poly<Rational> odd = {Rational(p.back().sign())}, even = {Rational(1)};
  const Poly<Rational> a0 = common_divisor(f, derivative(f));
  Poly<Rational> b = divide(f, a0).first, c = divide(derivative(f), a0).first;
  for (int multiplicity = 1; b.size() > 1; ++multiplicity) {
    Poly<Rational> d = c;
    const Poly<Rational> db = derivative(b);
    d.resize(std::max(d.size(), db.size()));
    for (std::size_t i = 0; i < db.size(); ++i) d[i] -= db[i];
    trim(d);
    const Poly<Rational> a = common_divisor(b, d);
    Poly<Rational>& part = multiplicity % 2 == 1 ? odd : even;
    part = times(part, a);
    b = divide(b, a).first;
    c = divide(d, a).first;
  }
  return {integers(odd), integers(even)};
}

/// What is wrong with an answer that reports touches; empty: nothing.
inline std::string judge(const double* c, int n, double T, const FirstCrossing& answer) {
  using Kind = CrossingKind;
  T = std::min(T, std::numeric_limits<double>::max());
  int least = 0;
  bool any = false;
  for (int i = 0; i <= n; ++i) {
    if (c[i] == 0) continue;
    const int e = std::ilogb(c[i]) - 52;
    least = any ? std::min(least, e) : e;
    any = true;
  }
  Poly<Integer> p;
  for (int i = 0; i <= n; ++i) {
    int e = 0;
    const double f = std::frexp(c[i], &e);
    const auto m = static_cast<long long>(std::ldexp(f, 53));
    p.push_back(m == 0 ? Integer(0) : Integer(m) << static_cast<unsigned>(e - 53 - least));
  }
  trim(p);
  int order = 0;
  while (!p.empty() && p.front() == 0) {
    p.erase(p.begin());
    ++order;
  }
  if (p.empty()) return answer.kind == Kind::none && !answer.touches ? "" : "the gap is 0 throughout";
  if (order != answer.start_order) return "order of the zero at the start";
  if (p.front() < 0) {
    if (order == 0) return answer.kind == Kind::starts_negative ? "" : "starts negative";
    return answer.kind == (T > 0 ? Kind::crosses : Kind::none) && answer.time == 0 ? "" : "crosses at 0";
  }
  const ZeroCounter all(p);
  const bool simple = all.last().size() == 1;
  const auto [odd_part, even_part] = simple ? std::pair{p, Poly<Integer>{1}} : odd_and_even_part(p);
  const ZeroCounter odd = simple ? all : ZeroCounter(odd_part);
  if (answer.kind == Kind::none) {
    if (odd.before(T) != 0) return "missed";
  } else if (answer.kind == Kind::crosses) {
    const double next = std::nextafter(answer.time, INFINITY);
    if (!(answer.time < T) || odd.before(next) == 0) return "invented";
    if (answer.time > 0 && odd.before(answer.time) != 0) return "missed an earlier one";
  } else {
    return "no answer";
  }
  if (simple) return answer.touches ? "touch invented" : "";
  const ZeroCounter even(even_part);
  const int touches = even.before(answer.kind == Kind::crosses ? answer.time : T);
  if (!answer.touches) return touches == 0 ? "" : "touch missed";
  const double next = std::nextafter(answer.touch, INFINITY);
  if (even.before(next) == 0 || even.before(answer.touch) != 0) return "touch at a wrong time";
  return "";
}

}  // namespace ricochet::motion::testing
