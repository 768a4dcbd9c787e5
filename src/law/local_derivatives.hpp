#pragma once
/// A law's impulse in local axes with its derivatives: what derivatives.cpp turns into input coordinates.

#include <array>
#include <string_view>

#include "ricochet/base/dual.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::derivatives {

/// Columns in local axes: W or M (11, 12, 13, 22, 23, 33), V, then the parameters.
inline constexpr int of_W = 0, of_V = 6, of_parameters = 9;
inline constexpr int most_parameters = 23;  ///< with the spin, which comes last
inline constexpr int most_columns = of_parameters + most_parameters;

/// Adds f (x·dA y) by the six entries of a symmetric A.
template <int N>
void add_form(double f, const Vec3& x, const Vec3& y, Dual<N>& to) {
  std::size_t k = of_W;
  for (int a = 0; a < 3; ++a)
    for (int b = a; b < 3; ++b) to.d[k++] += f * (a == b ? x(a) * y(a) : x(a) * y(b) + x(b) * y(a));
}

/// Adds f (x·dW y) by the entries of the matrix that is given: W, or M with dW = −W dM W (DV2).
template <int N>
void add_by_W(double f, const Vec3& x, const Vec3& y, const Local<double>& c, bool by_mass, Dual<N>& to) {
  if (by_mass) {
    add_form<N>(-f, c.W * x, c.W * y, to);
  } else {
    add_form<N>(f, x, y, to);
  }
}

/// Where the entry ij of a symmetric matrix is among 11, 12, 13, 22, 23, 33.
[[nodiscard]] constexpr int entry_column(int i, int j) {
  const int low = i < j ? i : j, high = i < j ? j : i;
  return low == 0 ? high : low + high + 1;
}

/// An entry of W or of M, by the entries of the matrix that is given.
template <int N>
[[nodiscard]] Dual<N> matrix_entry(const Mat3& A, int i, int j, bool given) {
  Dual<N> out(A(i, j));
  if (given) {
    out.d[static_cast<std::size_t>(of_W) + static_cast<std::size_t>(entry_column(i, j))] = 1;
  } else {
    add_form<N>(-1, A.col(i), A.col(j), out);
  }
  return out;
}

/// A contact whose V and given matrix (M or W) are variables in their own local axes, which stay where they are.
template <int N>
struct DualContact {
  using D = Dual<N>;
  Mat3T<D> W, M;
  Vec3T<D> V;

  /// M only where it is asked for.
  explicit DualContact(const Local<double>& c, bool by_mass, bool with_mass = true) {
    for (int i = 0; i < 3; ++i) {
      V(i) = D::variable(c.V(i), of_V + i);
      for (int j = i; j < 3; ++j) W(i, j) = W(j, i) = matrix_entry<N>(c.W, i, j, !by_mass);
    }
    if (!with_mass) return;
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j) M(i, j) = M(j, i) = matrix_entry<N>(c.M, i, j, by_mass);
  }
};

/// The parameter at place k of the law's list.
template <int N>
[[nodiscard]] Dual<N> parameter(double value, int k) {
  return Dual<N>::variable(value, of_parameters + k);
}

struct LocalChange {
  const char* what = "";
  double distance = 0;
  Eigen::Matrix<double, 1, most_columns> gradient;
};

struct LocalDerivatives {
  static constexpr int most_changes = 10;
  Eigen::Matrix<double, 3, most_columns> J;
  Vec3 P;
  int columns = of_parameters;
  /// The first six columns are by M. Set to what is given; a law that knows derivatives by W only clears it.
  bool by_mass = false;
  std::array<LocalChange, most_changes> change;
  int changes = 0;
  const char* kink = nullptr;
  unsigned unset = 0;  ///< bits of parameters by which the law does not tell the derivative

  LocalDerivatives() {}  // NOLINT(modernize-use-equals-default): would clear all of it

  template <int N>
  void take(const Vec3T<Dual<N>>& p) {
    columns = N;
    for (int i = 0; i < 3; ++i) {
      P(i) = p(i).v;
      for (int j = 0; j < N; ++j) J(i, j) = p(i).d[static_cast<std::size_t>(j)];
    }
  }
  template <int N>
  void add(const char* what, const Dual<N>& margin) {
    if (changes == most_changes) return;
    LocalChange& c = change[static_cast<std::size_t>(changes++)];
    c.what = what;
    c.distance = margin.v;
    for (int j = 0; j < N; ++j) c.gradient(j) = margin.d[static_cast<std::size_t>(j)];
  }
};

/// By μ, where everything else is known (DV11): stretching the tangential directions by r = μ'/μ turns μ into μ', so
/// that with E = diag(0, 1, 1) a scalar has μ dg/dμ = g_W[EW + WE] + g_V[EV]; an impulse gains EP. M shrinks instead.
template <class Row>
[[nodiscard]] double by_stretching(const Row& g, const Local<double>& c, bool by_mass = false) {
  const Mat3& A = by_mass ? c.M : c.W;
  const double by_A = g(1) * A(0, 1) + g(2) * A(0, 2) + 2 * (g(3) * A(1, 1) + g(4) * A(1, 2) + g(5) * A(2, 2));
  return (by_mass ? -by_A : by_A) + g(7) * c.V(1) + g(8) * c.V(2);
}

/// The derivative by W_nn (or M_nn) of a quantity of degree −`degree` in W, where the other entries are known (DV9).
template <class Row>
void complete_matrix(Row&& row, double degree_times_value, const Local<double>& c, bool by_mass = false) {
  const Mat3& A = by_mass ? c.M : c.W;
  row(0) = ((by_mass ? degree_times_value : -degree_times_value) - row(1) * A(0, 1) - row(2) * A(0, 2) -
            row(3) * A(1, 1) - row(4) * A(1, 2) - row(5) * A(2, 2)) /
           A(0, 0);
}

/// The same, and by V_n of a quantity that is of degree `degree` in V as well (DV8).
template <class Row>
void complete(Row&& row, double degree_times_value, const Local<double>& c, bool by_mass = false) {
  complete_matrix(row, degree_times_value, c, by_mass);
  row(of_V) = (degree_times_value - row(of_V + 1) * c.V(1) - row(of_V + 2) * c.V(2)) / c.V(0);
}

/// (a − b)/(a + b) of numbers that are not negative; 1 where both are zero.
template <int N>
[[nodiscard]] Dual<N> contrast(const Dual<N>& a, const Dual<N>& b) {
  const Dual<N> sum = a + b;
  return sum.v > 0 ? (a - b) / sum : Dual<N>(1);
}

// One for each law; c approaches, `outcome` is its answer. Parameters in the order of the table of laws, words left
// out.
[[nodiscard]] Expected<void> differentiate(const ChatterjeeRuina&, const Local<double>&, const Outcome&,
                                           LocalDerivatives&);
[[nodiscard]] Expected<void> differentiate(const Bilinear&, const Local<double>&, const Outcome&, LocalDerivatives&);
[[nodiscard]] Expected<void> differentiate(const Routh&, const Local<double>&, const Outcome&, LocalDerivatives&);
[[nodiscard]] Expected<void> differentiate(const Whittaker&, const Local<double>&, const Outcome&, LocalDerivatives&);
[[nodiscard]] Expected<void> differentiate(const Smith&, const Local<double>&, const Outcome&, LocalDerivatives&);
[[nodiscard]] Expected<void> differentiate(const Brach&, const Local<double>&, const Outcome&, LocalDerivatives&);
[[nodiscard]] Expected<void> differentiate(const PfeifferGlocker&, const Local<double>&, const Outcome&,
                                           LocalDerivatives&);
[[nodiscard]] Expected<void> differentiate(const AnitescuPotra&, const Local<double>&, const Outcome&,
                                           LocalDerivatives&);
[[nodiscard]] Expected<void> differentiate(const PermissiblePoint&, const Local<double>&, const Outcome&,
                                           LocalDerivatives&);
[[nodiscard]] Expected<void> differentiate(const Projected&, const Local<double>&, const Outcome&, LocalDerivatives&);
[[nodiscard]] Expected<void> differentiate(const SpringSledge&, const Local<double>&, const Outcome&,
                                           LocalDerivatives&);
[[nodiscard]] Expected<void> differentiate(const GradedSledge&, const Local<double>&, const Outcome&,
                                           LocalDerivatives&);
/// In the axes of the contact; its last three columns are by the spin.
[[nodiscard]] Expected<void> differentiate(const GradedRegion&, const Local<double>&, const Vec3& spin,
                                           LocalDerivatives&);

}  // namespace ricochet::derivatives
