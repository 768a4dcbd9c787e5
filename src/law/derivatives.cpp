#include "ricochet/law/derivatives.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <tuple>

#include "law_rows.hpp"
#include "local_derivatives.hpp"
#include "ricochet/law/law_table.hpp"

namespace ricochet {
namespace {

using derivatives::By;
using derivatives::LocalDerivatives;
using derivatives::of_parameters;
using derivatives::of_V;

/// Entries 11, 12, 13, 22, 23, 33 of a symmetric matrix.
Eigen::Matrix<double, 6, 1> entries(const Mat3& A) {
  Eigen::Matrix<double, 6, 1> out;
  out << A(0, 0), A(0, 1), A(0, 2), A(1, 1), A(1, 2), A(2, 2);
  return out;
}

using Column = Vec3;

/// Of M, by the norms of M and W, from which a turn of n is differentiated by itself.
constexpr double ill_conditioned = 1e3;

/// From derivatives by the local W (six entries) and V to those by the inputs of the contact: M or W, V and n.
class ContactColumns {
 public:
  /// `by`: what the local columns are, W or M.
  ContactColumns(const Contact& contact, const Local<double>& c, By by)
      : c_(c),
        A_(by == By::M ? c.M : c.W),
        left_(contact.mass_given && by == By::W ? Mat3(contact.W * c.R) : c.R),
        sign_(contact.mass_given && by == By::W ? -1 : 1) {}

  /// `from` are the nine local columns, `out` the twelve by the inputs; a column is a number for each row. By n, what
  /// is turned back (`turned`: P, as columns by a turn about the local axes 2 and 3) is added. `by_turn` are the local
  /// derivatives along these turns; null: they follow from the nine.
  template <class C>
  void apply(const std::array<C, 9>& from, const std::array<C, 2>* by_turn, const std::array<C, 2>& turned,
             std::array<C, 12>& out) const {
    // tr(G RᵀdA R) = tr(R G Rᵀ dA), with half of an off-diagonal entry in each place of G. Where M is given and G is by
    // W, dW = −W dM W (DV2).
    const C g12 = from[1] * 0.5, g13 = from[2] * 0.5, g23 = from[4] * 0.5;
    std::array<std::array<C, 3>, 3> LG;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto l = [&](int a) { return sign_ * left_(static_cast<Eigen::Index>(i), a); };
      LG[i][0] = from[0] * l(0) + g12 * l(1) + g13 * l(2);
      LG[i][1] = g12 * l(0) + from[3] * l(1) + g23 * l(2);
      LG[i][2] = g13 * l(0) + g23 * l(1) + from[5] * l(2);
    }
    std::size_t k = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = i; j < 3; ++j, ++k) {
        const double f = i == j ? 1 : 2;
        const auto l = [&](int b) { return f * left_(static_cast<Eigen::Index>(j), b); };
        out[k] = LG[i][0] * l(0) + LG[i][1] * l(1) + LG[i][2] * l(2);
      }
    }
    for (int j = 0; j < 3; ++j) out[k++] = from[6] * c_.R(j, 0) + from[7] * c_.R(j, 1) + from[8] * c_.R(j, 2);
    // n turns by ω = n × dn, and W (or M) and V turn back in its axes (DV3).
    const Mat3& A = A_;
    const Vec3& V = c_.V;
    C about_2 = turned[0], about_3 = turned[1];
    if (by_turn != nullptr) {
      about_2 += (*by_turn)[0];
      about_3 += (*by_turn)[1];
    } else {
      about_2 += from[0] * (-2 * A(0, 2)) + from[1] * -A(1, 2) + from[2] * (A(0, 0) - A(2, 2)) + from[4] * A(0, 1) +
                 from[5] * (2 * A(0, 2)) + from[6] * -V(2) + from[8] * V(0);
      about_3 += from[0] * (2 * A(0, 1)) + from[1] * (A(1, 1) - A(0, 0)) + from[2] * A(1, 2) +
                 from[3] * (-2 * A(0, 1)) + from[4] * -A(0, 2) + from[6] * V(1) + from[7] * -V(0);
    }
    for (int j = 0; j < 3; ++j) out[k++] = about_2 * -c_.R(j, 2) + about_3 * c_.R(j, 1);  // ω = e_1 × the row of R
  }

 private:
  const Local<double>& c_;
  const Mat3& A_;
  Mat3 left_;
  double sign_;
};

/// The impulse in input coordinates, with its derivatives and changes of mode, before V⁺ and ΔE.
struct ImpulseDerivatives {
  Derivatives& d;
  std::string_view kink = {};
  Vec3 change_of_V = {};  ///< V⁺ − V
};

void add_input(Derivatives& d, std::string_view name, int count) {
  d.input[static_cast<std::size_t>(d.inputs++)] = {name, d.width, count};
  d.width += count;
}

/// M or W, V, n.
void add_contact_inputs(const Contact& contact, Derivatives& d) {
  d.inputs = d.width = d.changes = 0;
  add_input(d, contact.mass_given ? "M" : "W", 6);
  add_input(d, "V", 3);
  add_input(d, "n", 3);
}

template <class L>
inline constexpr bool depends_on_spin = std::is_same_v<L, GradedRegion>;

/// The spin, where the law depends on it, comes last.
template <class L>
void add_parameter_inputs(Derivatives& d) {
  std::apply(
      [&](const auto&... info) {
        ((info.kind != ParameterKind::word ? add_input(d, info.name, info.kind == ParameterKind::vector ? 3 : 1)
                                           : void()),
         ...);
      },
      LawRow<L>::parameters);
  if constexpr (depends_on_spin<L>) add_input(d, "spin", 3);
}

template <class L>
Expected<void> impulse_derivatives(const L& law, const Contact& contact, const Local<double>& local,
                                   const Outcome& outcome, ImpulseDerivatives& out) {
  LocalDerivatives here;
  here.by = contact.mass_given ? By::M : By::W;
  if constexpr (depends_on_spin<L>) {
    const Vec3 spin = local.R.transpose() * contact.spin;
    if (const Expected<void> fine = derivatives::differentiate(law, local, spin, here); !fine) return fine;
  } else {
    if (const Expected<void> fine = derivatives::differentiate(law, local, outcome, here); !fine) return fine;
  }
  Derivatives& d = out.d;
  add_contact_inputs(contact, d);
  add_parameter_inputs<L>(d);
  out.kink = here.kink != nullptr ? std::string_view(here.kink) : std::string_view();
  // P in double as the law gave it, perhaps in extended precision: both must agree.
  const Vec3 P = local.R.transpose() * outcome.P;
  if (out.kink.empty() && !((here.P - P).norm() <= 1e-9 * P.norm()))
    return fail(ErrorCode::not_converged, "", "", "rounding leaves no accuracy for the derivatives of this answer");
  if (!std::isnan(here.change_of_V(0))) out.change_of_V = local.R * here.change_of_V;
  const ContactColumns columns(contact, local, here.by);
  const int count = here.columns - of_parameters;
  // A target impulse and the spin turn back as V does, and are stated in input axes.
  int at_vector = -1;
  Vec3 vector = Vec3::Zero();
  if constexpr (std::is_same_v<L, Projected>) {
    at_vector = 0;
    vector = local.R.transpose() * law.target;
  }
  if constexpr (depends_on_spin<L>) {
    at_vector = count - 3;
    vector = local.R.transpose() * contact.spin;
  }
  // By the turn of an axis 2 or 3, the derivatives by the vector being given.
  const auto turned_back = [&](const auto& by_vector) {
    using C = std::decay_t<decltype(by_vector(0))>;
    return std::array<C, 2>{C(by_vector(0) * -vector(2) + by_vector(2) * vector(0)),
                            C(by_vector(0) * vector(1) + by_vector(1) * -vector(0))};
  };
  const auto local_column = [&](int k) { return Column(here.J(0, k), here.J(1, k), here.J(2, k)); };
  std::array<Column, 9> from;
  for (int k = 0; k < of_parameters; ++k) from[static_cast<std::size_t>(k)] = local_column(k);
  // P itself turns with n: that of the columns, so that what the turn leaves unchanged cancels.
  std::array<Column, 2> turned{Column(here.P(2), 0, -here.P(0)), Column(-here.P(1), here.P(0), 0)};
  if (at_vector >= 0) {
    const auto back = turned_back([&](int i) -> Column { return local_column(of_parameters + at_vector + i); });
    for (std::size_t i = 0; i < 2; ++i) turned[i] += back[i];
  }
  // A turn moves M and W together. Where one is hard to tell from the other, columns by one of them lose what depends
  // on the other, and the law is differentiated along the turn itself.
  LocalDerivatives along_turn;
  bool ask_turn = false;
  if constexpr (derivatives::turns<L>) {
    ask_turn = contact.M.squaredNorm() * contact.W.squaredNorm() > ill_conditioned * ill_conditioned;
    if (ask_turn) {
      along_turn.by = By::turn;
      if (const Expected<void> fine = derivatives::differentiate(law, local, outcome, along_turn); !fine) return fine;
    }
  }
  std::array<Column, 2> by_turn;
  for (int k = 0; ask_turn && k < 2; ++k) by_turn[static_cast<std::size_t>(k)] = along_turn.J.col(k);
  std::array<Column, 12> to;
  columns.apply(from, ask_turn ? &by_turn : nullptr, turned, to);
  const auto write = [&](int k, const Column& column) {
    for (int i = 0; i < 3; ++i)
      d.jacobian(i, k) = local.R(i, 0) * column(0) + local.R(i, 1) * column(1) + local.R(i, 2) * column(2);
  };
  for (int k = 0; k < 12; ++k) write(k, to[static_cast<std::size_t>(k)]);
  for (int k = 0; k < count; ++k) {
    if ((here.unset >> k & 1U) != 0) {
      d.jacobian.col(12 + k).head<3>().setConstant(std::nan(""));
    } else if (at_vector >= 0 && k >= at_vector && k < at_vector + 3) {
      Column sum = Column::Zero();
      for (int i = 0; i < 3; ++i) sum += local_column(of_parameters + at_vector + i) * local.R(k - at_vector, i);
      write(12 + k, sum);
    } else {
      write(12 + k, local_column(of_parameters + k));
    }
  }
  for (int i = 0; i < here.changes; ++i) {
    const auto& change_here = here.change[static_cast<std::size_t>(i)];
    const auto& gradient = change_here.gradient;
    ModeChange& change = d.change[static_cast<std::size_t>(d.changes++)];
    change.what = change_here.what;
    change.distance = change_here.distance;
    std::array<double, 9> by;
    for (int k = 0; k < of_parameters; ++k) by[static_cast<std::size_t>(k)] = gradient(k);
    std::array<double, 2> back{0, 0};
    if (at_vector >= 0) back = turned_back([&](int j) -> double { return gradient(of_parameters + at_vector + j); });
    std::array<double, 12> by_input;
    std::array<double, 2> along{0, 0};
    for (int k = 0; ask_turn && k < 2; ++k)
      along[static_cast<std::size_t>(k)] = along_turn.change[static_cast<std::size_t>(i)].gradient(k);
    columns.apply(by, ask_turn ? &along : nullptr, back, by_input);
    for (int k = 0; k < 12; ++k) change.gradient(k) = by_input[static_cast<std::size_t>(k)];
    for (int k = 0; k < count; ++k) change.gradient(12 + k) = gradient(of_parameters + k);
    if (at_vector >= 0) {
      const Eigen::RowVector3d by_vector = gradient.template segment<3>(of_parameters + at_vector);
      change.gradient.segment<3>(12 + at_vector) = by_vector * local.R.transpose();
    }
  }
  return {};
}

/// P = −(1 + e) (n·V)/(n·Wn) n, in input axes throughout.
Expected<void> impulse_derivatives(const Frictionless& law, const Contact& contact, const Local<double>&,
                                   const Outcome& outcome, ImpulseDerivatives& out) {
  Derivatives& d = out.d;
  add_contact_inputs(contact, d);
  add_parameter_inputs<Frictionless>(d);
  const Vec3 &n = contact.n, &V = contact.V;
  const Vec3 Wn = contact.W * n;
  const double v = n.dot(V), w = n.dot(Wn), p = n.dot(outcome.P), by_v = -(1 + law.e) / w, by_w = -p / w;
  const auto write = [&](int k, double along, double x = 0, double y = 0, double z = 0) {
    d.jacobian(0, k) = along * n(0) + x;
    d.jacobian(1, k) = along * n(1) + y;
    d.jacobian(2, k) = along * n(2) + z;
  };
  // dw = n·dW n, with dW = −W dM W where M is given.
  const Vec3 a = contact.mass_given ? Wn : n;
  const double of_a = contact.mass_given ? -by_w : by_w;
  int k = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) write(k++, (i == j ? of_a : 2 * of_a) * a(i) * a(j));
  for (int j = 0; j < 3; ++j) write(k++, by_v * n(j));
  // n changes by the tangential part of dn, and P turns with it.
  for (int j = 0; j < 3; ++j)
    write(k++, by_v * (V(j) - v * n(j)) + 2 * by_w * (Wn(j) - w * n(j)) - p * n(j), j == 0 ? p : 0, j == 1 ? p : 0,
          j == 2 ? p : 0);
  write(k, -v / w);
  return {};
}

/// Both parts, and P = σ P_1 + (1 − σ) P_2. A parameter that both have is one input.
Expected<void> impulse_derivatives(const Composite& law, const Contact& contact, const Local<double>& local,
                                   const Outcome&, ImpulseDerivatives& out) {
  Derivatives& d = out.d;
  add_contact_inputs(contact, d);
  add_input(d, "sigma", 1);
  add_input(d, "mu", 1);
  d.jacobian.topRows<3>().setZero();
  Vec3 P[2];
  int i = 0;
  for (const BaseLaw* part : {&law.first, &law.second}) {
    const double weight = i == 0 ? law.sigma : 1 - law.sigma;
    Derivatives own;
    ImpulseDerivatives one{own};
    const Expected<void> fine = std::visit(
        [&](const auto& l) -> Expected<void> {
          const Expected<Outcome> outcome = collide(l, contact);
          if (!outcome) return tl::unexpected(outcome.error());
          P[i] = outcome->P;
          return impulse_derivatives(l, contact, local, *outcome, one);
        },
        *part);
    if (!fine) {
      Error error = fine.error();
      error.path = fmt::format("{} ({}): {}", i == 0 ? "first" : "second", info_of(*part).name, error.path);
      return tl::unexpected(error);
    }
    if (weight > 0 && out.kink.empty()) out.kink = one.kink;
    for (int k = 0; k < one.d.inputs; ++k) {
      const DerivativeInput& from = one.d.input[static_cast<std::size_t>(k)];
      const DerivativeInput* to = d.find(from.name);
      if (to == nullptr) {
        add_input(d, from.name, from.count);
        to = d.find(from.name);
      }
      d.jacobian.block(0, to->first, 3, to->count) += weight * one.d.P(from);
    }
    for (int k = 0; weight > 0 && k < one.d.changes && d.changes < Derivatives::most_changes - 1; ++k) {
      ModeChange& change = d.change[static_cast<std::size_t>(d.changes++)];
      const ModeChange& from = one.d.change[static_cast<std::size_t>(k)];
      change.what = from.what;
      change.distance = from.distance;
      change.gradient.setZero();
      for (int m = 0; m < one.d.inputs; ++m) {
        const DerivativeInput& by = one.d.input[static_cast<std::size_t>(m)];
        const DerivativeInput* to = d.find(by.name);
        change.gradient.segment(to->first, to->count) += from.gradient.segment(by.first, by.count);
      }
    }
    ++i;
  }
  const DerivativeInput* sigma = d.find("sigma");
  d.jacobian.block<3, 1>(0, sigma->first) = P[0] - P[1];
  return {};
}

/// V⁺ = V + W P and ΔE = P·V + ½ P·WP follow from P (DV5). Where M is given, dV⁺ = W (dP − dM ΔV) with ΔV = V⁺ − V:
/// what cancels does so before W makes it large.
void finish_rows(const Contact& contact, const Outcome& outcome, const Vec3& change_of_V, Derivatives& d) {
  auto& J = d.jacobian;
  const Vec3& P = outcome.P;
  const Mat3& W = contact.W;
  const Vec3 V_plus = contact.V + change_of_V;
  // The last four rows of a column: dV⁺ = W dP and dΔE = V⁺·dP, and what the input adds.
  const auto write = [&](int k, double a, double b, double c) {
    J(3, k) = W(0, 0) * a + W(0, 1) * b + W(0, 2) * c;
    J(4, k) = W(1, 0) * a + W(1, 1) * b + W(1, 2) * c;
    J(5, k) = W(2, 0) * a + W(2, 1) * b + W(2, 2) * c;
    J(6, k) = V_plus(0) * J(0, k) + V_plus(1) * J(1, k) + V_plus(2) * J(2, k);
  };
  // By a matrix, with x = E ΔV or x = E P.
  const auto write_matrix = [&](int k, double energy, double x, double y, double z) {
    if (contact.mass_given) {
      write(k, J(0, k) - x, J(1, k) - y, J(2, k) - z);
      J(6, k) -= energy;
    } else {
      write(k, J(0, k), J(1, k), J(2, k));
      J(3, k) += x;
      J(4, k) += y;
      J(5, k) += z;
      J(6, k) += energy;
    }
  };
  const Vec3& a = contact.mass_given ? change_of_V : P;
  write_matrix(0, a(0) * a(0) / 2, a(0), 0, 0);
  write_matrix(1, a(0) * a(1), a(1), a(0), 0);
  write_matrix(2, a(0) * a(2), a(2), 0, a(0));
  write_matrix(3, a(1) * a(1) / 2, 0, a(1), 0);
  write_matrix(4, a(1) * a(2), 0, a(2), a(1));
  write_matrix(5, a(2) * a(2) / 2, 0, 0, a(2));
  for (int k = 6; k < d.width; ++k) write(k, J(0, k), J(1, k), J(2, k));
  for (int i = 0; i < 3; ++i) {
    J(3 + i, 6 + i) += 1;
    J(6, 6 + i) += P(i);
  }
}

/// The coefficients of the graded laws have a speed of their own; all other laws are homogeneous in V.
bool scales_with_speed(const Law& law) {
  const auto graded = [](const auto& one) {
    return std::holds_alternative<GradedSledge>(one) || std::holds_alternative<GradedRegion>(one);
  };
  if (const auto* composite = std::get_if<Composite>(&law))
    return !graded(composite->first) && !graded(composite->second);
  return !graded(law);
}

/// P is homogeneous in V (together with a target impulse) and in W (DV9), and turns with them about n (DV12):
/// derivatives that do not show it are not right.
bool consistent(const Law& law, const Contact& contact, const Outcome& outcome, const Derivatives& d) {
  const double size = outcome.P.norm();
  const double sign = contact.mass_given ? 1 : -1;
  const Mat3& given = contact.mass_given ? contact.M : contact.W;
  const Vec3& n = contact.n;
  const Eigen::Matrix<double, 6, 1> A = entries(given);
  // SA − AS of the symmetric A is SA with its transpose added.
  const Mat3 SA = cross_matrix<double>(n) * given;
  const std::array<double, 6> turned_A{2 * SA(0, 0), SA(0, 1) + SA(1, 0), SA(0, 2) + SA(2, 0),
                                       2 * SA(1, 1), SA(1, 2) + SA(2, 1), 2 * SA(2, 2)};
  const Vec3 turned_V = n.cross(contact.V);
  Column sum_W = Column::Zero(), sum_V = sum_W, sum_turn = sum_W, squares_W = sum_W, squares_V = sum_W;
  for (int k = 0; k < 9; ++k) {
    const Column column(d.jacobian(0, k), d.jacobian(1, k), d.jacobian(2, k));
    if (k < 6) {
      sum_W += column * A(k);
      sum_turn += column * turned_A[static_cast<std::size_t>(k)];
      squares_W += column.cwiseProduct(column);
    } else {
      sum_V += column * contact.V(k - 6);
      sum_turn += column * turned_V(k - 6);
      squares_V += column.cwiseProduct(column);
    }
  }
  Vec3 by_V = sum_V, by_W = sum_W, by_turn = sum_turn;
  const auto add_target = [&](const Projected& l, double weight) {
    const DerivativeInput* target = d.find("target");
    const Vec3 share = d.P(*target) * l.target;
    by_V += weight * share;
    by_W += sign * weight * share;
    by_turn += weight * (d.P(*target) * n.cross(l.target));
  };
  if (!contact.spin.isZero(0))
    if (const DerivativeInput* spin = d.find("spin")) by_turn += d.P(*spin) * n.cross(contact.spin);
  if (const auto* projected = std::get_if<Projected>(&law)) add_target(*projected, 1);
  if (const auto* composite = std::get_if<Composite>(&law)) {
    for (const BaseLaw* part : {&composite->first, &composite->second}) {
      if (const auto* projected = std::get_if<Projected>(part)) {
        add_target(*projected, 1);
        break;
      }
    }
  }
  // Derivatives that are large against P/V are known to as many digits less.
  const double terms_V = std::sqrt(squares_V.sum() * contact.V.squaredNorm());
  const double terms_W = std::sqrt(squares_W.sum() * A.squaredNorm());
  return (!scales_with_speed(law) || (by_V - outcome.P).norm() <= 1e-9 * (size + terms_V)) &&
         (by_W - sign * outcome.P).norm() <= 1e-9 * (size + terms_W) &&
         (by_turn - n.cross(outcome.P)).norm() <= 1e-9 * (size + terms_V + terms_W);
}

}  // namespace

const ModeChange* Derivatives::nearest() const {
  const ModeChange* best = nullptr;
  for (int i = 0; i < changes; ++i) {
    const ModeChange& one = change[static_cast<std::size_t>(i)];
    if (best == nullptr || std::abs(one.distance) < std::abs(best->distance)) best = &one;
  }
  return best;
}

namespace {

/// The part of a change that keeps the directions in which the contact cannot move.
void project(const Mat3& kept, Derivatives& d) {
  Eigen::Matrix<double, 12, 12> T = Eigen::Matrix<double, 12, 12>::Zero();
  int k = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j, ++k) {
      Mat3 E = Mat3::Zero();
      E(i, j) = E(j, i) = 1;
      T.col(k).head<6>() = entries(Mat3(kept * E * kept));
    }
  }
  T.block<3, 3>(6, 6) = kept;
  T.block<3, 3>(9, 9) = kept;
  d.jacobian.leftCols<12>() *= T;
  for (int i = 0; i < d.changes; ++i) d.change[static_cast<std::size_t>(i)].gradient.leftCols<12>() *= T;
}

Expected<void> differentiate_collision(const Law& law, const Contact& contact, DifferentiatedOutcome& out);

/// A singular W with immovable directions across n: a mobility there is used by no impulse (DV21), and what keeps those
/// directions changes P as that of W does (DV26).
Expected<void> differentiate_immovable(const Law& law, const Contact& contact, const Outcome& outcome,
                                       DifferentiatedOutcome& out) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(contact.W);
  Mat3 held = Mat3::Zero();
  for (int k = 0; k < 3; ++k)
    if (!(eigen.eigenvalues()(k) > 1e-12 * eigen.eigenvalues()(2))) {
      const Vec3 axis = eigen.eigenvectors().col(k);
      held += axis * axis.transpose();
    }
  if ((held * contact.n).norm() > 1e-9)
    return fail(
        ErrorCode::invalid, "W", "",
        "must not be singular in a direction that is not tangential, for derivatives: any change of it frees or "
        "overstrains the approach");
  auto loose = contact_from_mobility(contact.W + contact.W.trace() / 2 * held, contact.V, contact.n);
  if (!loose) return tl::unexpected(loose.error());
  loose->spin = contact.spin;
  if (const Expected<void> fine = differentiate_collision(law, *loose, out); !fine) return fine;
  if (!((out.outcome.P - outcome.P).norm() <= 1e-9 * outcome.P.norm()))
    return fail(ErrorCode::invalid, "W", "",
                "is singular, and the impulse of this law depends on the direction in which the contact cannot move");
  out.outcome = outcome;
  out.projected = true;
  project(Mat3(Mat3::Identity() - held), out.derivatives);
  return {};
}

Expected<void> differentiate_collision(const Law& law, const Contact& contact, DifferentiatedOutcome& out) {
  Expected<Outcome> outcome = collide(law, contact);
  if (!outcome) return tl::unexpected(outcome.error());
  if (contact.immovable) return differentiate_immovable(law, contact, *outcome, out);
  out.outcome = *outcome;
  const Local<double> local = localize<double>(contact);
  const double speed = contact.V.norm();
  Derivatives& d = out.derivatives;
  ImpulseDerivatives impulse{d, {}, out.outcome.V - contact.V};
  if (-local.V(0) > kink_tolerance * speed) {
    const Expected<void> fine =
        std::visit([&](const auto& l) { return impulse_derivatives(l, contact, local, out.outcome, impulse); }, law);
    if (!fine) return tl::unexpected(fine.error());
  } else {
    add_contact_inputs(contact, d);
    std::visit(
        [&]<class L>(const L&) {
          if constexpr (std::is_same_v<L, Composite>) {
            add_input(d, "sigma", 1);
            add_input(d, "mu", 1);
          } else {
            add_parameter_inputs<L>(d);
          }
        },
        law);
    d.jacobian.topRows<3>().setZero();
  }
  // Whether there is a collision at all.
  ModeChange& grazing = d.change[static_cast<std::size_t>(d.changes++)];
  grazing.what = "grazing";
  grazing.gradient.setZero();
  grazing.distance = speed > 0 ? -local.V(0) / speed : 0;
  if (speed > 0) {
    const Vec3 by_V = -contact.n / speed - grazing.distance * contact.V / (speed * speed);
    grazing.gradient.segment<3>(6) = by_V.transpose();
    grazing.gradient.segment<3>(9) = -(contact.V - contact.n * contact.n.dot(contact.V)).transpose() / speed;
  }
  out.kink = impulse.kink;
  const ModeChange* nearest = d.nearest();
  if (out.kink.empty() && std::abs(nearest->distance) <= kink_tolerance) out.kink = nearest->what;
  if (!out.kink.empty()) return {};
  finish_rows(contact, out.outcome, impulse.change_of_V, d);
  Vec3 nothing = Vec3::Zero();
  for (int k = 0; k < 12; ++k)
    for (int i = 0; i < 3; ++i) nothing(i) += 0 * d.jacobian(i, k);
  if (!(nothing(0) == 0 && nothing(1) == 0 && nothing(2) == 0)) {  // 0 · ∞
    out.kink = "a derivative without bound";
    return {};
  }
  if (!consistent(law, contact, out.outcome, d))
    return fail(ErrorCode::not_converged, "", "", "rounding leaves no accuracy for the derivatives of this answer");
  return {};
}

}  // namespace

// One object is returned on every way, so that it is made where the caller wants it.
Expected<DifferentiatedOutcome> collide_with_derivatives(const Law& law, const Contact& contact) {
  Expected<DifferentiatedOutcome> result(tl::in_place);
  if (const Expected<void> fine = differentiate_collision(law, contact, *result); !fine)
    result = tl::unexpected(fine.error());
  return result;
}

Expected<OneSidedDerivatives> one_sided_derivatives(const Law& law, const Contact& contact) {
  const auto here = collide_with_derivatives(law, contact);
  if (!here) return tl::unexpected(here.error());
  const ModeChange* nearest = here->derivatives.nearest();
  constexpr double step = 1e-9;
  Contact close = contact;
  double distance = nearest->distance;
  Vec3 gradient = nearest->gradient.segment<3>(6).transpose();
  // Across V itself: along it nothing changes.
  const auto moved = [&](double wanted) -> Expected<Contact> {
    const double square = gradient.squaredNorm();
    if (!(square * close.V.squaredNorm() > 1e-12))
      return fail(ErrorCode::invalid, "V", "",
                  fmt::format("does not move the contact across the change of mode ({})", nearest->what));
    Contact other = close;
    other.V += (wanted - distance) / square * gradient;
    return other;
  };
  // From afar, Newton's iteration up to the change: one step leads across only where the distance is linear.
  constexpr double linear = 1e-6;
  constexpr int most_steps = 30;
  for (int i = 0; std::abs(distance) > linear; ++i) {
    const auto next = moved(std::copysign(step, distance));
    if (!next) return tl::unexpected(next.error());
    const auto there = collide_with_derivatives(law, *next);
    if (!there) return tl::unexpected(there.error());
    const Derivatives& d = there->derivatives;
    const ModeChange* same = nullptr;
    for (int k = 0; k < d.changes; ++k) {
      const ModeChange& one = d.change[static_cast<std::size_t>(k)];
      if (one.what == nearest->what && (same == nullptr || std::abs(one.distance) < std::abs(same->distance)))
        same = &one;
    }
    if (same == nullptr || i == most_steps)
      return fail(ErrorCode::not_converged, "V", "",
                  fmt::format("the change of mode ({}) is not reached by a change of V", nearest->what));
    close = *next;
    distance = same->distance;
    gradient = same->gradient.segment<3>(6).transpose();
  }
  const auto beside = [&](double wanted) {
    return moved(wanted).and_then([&](const Contact& other) { return collide_with_derivatives(law, other); });
  };
  auto below = beside(-step), above = beside(step);
  if (!below) return tl::unexpected(below.error());
  if (!above) return tl::unexpected(above.error());
  Expected<OneSidedDerivatives> out(tl::in_place);
  out->what = nearest->what;
  out->below = *std::move(below);
  out->above = *std::move(above);
  return out;
}

}  // namespace ricochet
