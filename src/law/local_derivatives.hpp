#pragma once
/// A law's impulse in local axes with its derivatives: what derivatives.cpp turns into input coordinates.

#include <array>
#include <limits>
#include <string_view>

#include "ricochet/base/dual.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::derivatives {

/// Columns in local axes: W or M (11, 12, 13, 22, 23, 33), V, then the parameters.
inline constexpr int of_W = 0, of_V = 6, of_parameters = 9;
inline constexpr int most_parameters = 23;  ///< with the spin, which comes last
inline constexpr int most_columns = of_parameters + most_parameters;

/// What the first nine columns are.
enum class By {
  W,    ///< by W and V
  M,    ///< by M = W⁻¹ and V, with dW = −W dM W (DV2)
  turn  ///< 0 and 1: as M, W and V turn back about the local axes 2 and 3, (DV3); the others are zero
};

/// The changes of M, W and V along the first nine columns.
class Seeds {
 public:
  Seeds(const Local<double>& contact, By by) : c(contact), by_(by) {}
  const Local<double>& c;

  /// Adds f (x·dW y).
  template <int N>
  void add_W(double f, const Vec3& x, const Vec3& y, Dual<N>& to) const {
    if (by_ == By::W) return add_form(f, x, y, to);
    const Vec3 Wx = c.W * x, Wy = c.W * y;
    by_ == By::M ? add_form(-f, Wx, Wy, to) : add_turned(f, x, y, Wx, Wy, to);
  }
  /// Adds f (x·dM y).
  template <int N>
  void add_M(double f, const Vec3& x, const Vec3& y, Dual<N>& to) const {
    if (by_ == By::M) return add_form(f, x, y, to);
    const Vec3 Mx = c.M * x, My = c.M * y;
    by_ == By::W ? add_form(-f, Mx, My, to) : add_turned(f, x, y, Mx, My, to);
  }
  /// Adds f (x·dV).
  template <int N>
  void add_V(double f, const Vec3& x, Dual<N>& to) const {
    if (by_ == By::turn) {
      to.d[0] += f * (c.V(0) * x(2) - c.V(2) * x(0));
      to.d[1] += f * (c.V(1) * x(0) - c.V(0) * x(1));
    } else {
      for (int i = 0; i < 3; ++i) to.d[of_V + static_cast<std::size_t>(i)] += f * x(i);
    }
  }
  template <int N>
  [[nodiscard]] Dual<N> V(int i) const {
    Dual<N> out(c.V(i));
    add_V(1, Vec3::Unit(i), out);
    return out;
  }
  template <int N>
  [[nodiscard]] Dual<N> W(int i, int j) const {
    return entry<N>(c.W, i, j, By::W);
  }
  template <int N>
  [[nodiscard]] Dual<N> M(int i, int j) const {
    return entry<N>(c.M, i, j, By::M);
  }

 private:
  template <int N>
  static void add_form(double f, const Vec3& x, const Vec3& y, Dual<N>& to) {
    std::size_t k = of_W;
    for (int a = 0; a < 3; ++a)
      for (int b = a; b < 3; ++b) to.d[k++] += f * (a == b ? x(a) * y(a) : x(a) * y(b) + x(b) * y(a));
  }
  /// x·dA y with dA = A ω× − ω× A, of the unit turns ω about axes 2 and 3.
  template <int N>
  static void add_turned(double f, const Vec3& x, const Vec3& y, const Vec3& Ax, const Vec3& Ay, Dual<N>& to) {
    to.d[0] += f * (Ax(0) * y(2) - Ax(2) * y(0) + x(2) * Ay(0) - x(0) * Ay(2));
    to.d[1] += f * (Ax(1) * y(0) - Ax(0) * y(1) + x(0) * Ay(1) - x(1) * Ay(0));
  }
  template <int N>
  [[nodiscard]] Dual<N> entry(const Mat3& A, int i, int j, By given) const {
    Dual<N> out(A(i, j));
    if (by_ == given) {
      constexpr std::size_t column[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
      out.d[of_W + column[i][j]] = 1;
    } else if (by_ == By::turn) {
      add_turned(1, Vec3::Unit(i), Vec3::Unit(j), A.col(i), A.col(j), out);
    } else {
      add_form(-1, A.col(i), A.col(j), out);
    }
    return out;
  }

  By by_;
};

/// A contact in dual numbers, in its own local axes, which stay where they are.
template <int N>
struct DualContact {
  using D = Dual<N>;
  Mat3T<D> W, M;
  Vec3T<D> V;

  /// M only where it is asked for.
  explicit DualContact(const Seeds& seeds, bool with_mass = true) {
    for (int i = 0; i < 3; ++i) {
      V(i) = seeds.V<N>(i);
      for (int j = i; j < 3; ++j) W(i, j) = W(j, i) = seeds.W<N>(i, j);
    }
    if (!with_mass) return;
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j) M(i, j) = M(j, i) = seeds.M<N>(i, j);
  }
};

/// to += f x, derivatives only.
template <int N>
void add_times(double f, const Dual<N>& x, Dual<N>& to) {
  for (std::size_t i = 0; i < N; ++i) to.d[i] += f * x.d[i];
}

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
  By by = By::W;  ///< set to what is wanted; a law that knows derivatives by W alone sets it to that
  /// ΔV = V⁺ − V, where the law has it more accurately than W P; NaN where it has not.
  Vec3 change_of_V = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
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
[[nodiscard]] double by_stretching(const Row& g, const Local<double>& c, By by = By::W) {
  const Mat3& A = by == By::M ? c.M : c.W;
  const double by_A = g(1) * A(0, 1) + g(2) * A(0, 2) + 2 * (g(3) * A(1, 1) + g(4) * A(1, 2) + g(5) * A(2, 2));
  return (by == By::M ? -by_A : by_A) + g(7) * c.V(1) + g(8) * c.V(2);
}

/// The derivative by W_nn (or M_nn) of a quantity of degree −`degree` in W, where the other entries are known (DV9).
template <class Row>
void complete_matrix(Row&& row, double degree_times_value, const Local<double>& c, By by = By::W) {
  const Mat3& A = by == By::M ? c.M : c.W;
  row(0) = ((by == By::M ? degree_times_value : -degree_times_value) - row(1) * A(0, 1) - row(2) * A(0, 2) -
            row(3) * A(1, 1) - row(4) * A(1, 2) - row(5) * A(2, 2)) /
           A(0, 0);
}

/// The same, and by V_n of a quantity that is of degree `degree` in V as well (DV8).
template <class Row>
void complete(Row&& row, double degree_times_value, const Local<double>& c, By by = By::W) {
  complete_matrix(row, degree_times_value, c, by);
  row(of_V) = (degree_times_value - row(of_V + 1) * c.V(1) - row(of_V + 2) * c.V(2)) / c.V(0);
}

/// (a − b)/(a + b) of numbers that are not negative; 1 where both are zero.
template <int N>
[[nodiscard]] Dual<N> contrast(const Dual<N>& a, const Dual<N>& b) {
  const Dual<N> sum = a + b;
  return sum.v > 0 ? (a - b) / sum : Dual<N>(1);
}

/// Whether a law has its derivatives along a turn, `By::turn`.
template <class L>
inline constexpr bool turns = std::is_same_v<L, ChatterjeeRuina> || std::is_same_v<L, Whittaker> ||
                              std::is_same_v<L, Smith> || std::is_same_v<L, AnitescuPotra>;

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
