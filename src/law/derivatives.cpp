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

using derivatives::LocalDerivatives;
using derivatives::of_parameters;
using derivatives::of_V;

/// Entries 11, 12, 13, 22, 23, 33 of a symmetric matrix.
Eigen::Matrix<double, 6, 1> entries(const Mat3& A) {
  Eigen::Matrix<double, 6, 1> out;
  out << A(0, 0), A(0, 1), A(0, 2), A(1, 1), A(1, 2), A(2, 2);
  return out;
}

/// How the local W (six entries) and V change with the inputs of the contact.
struct ContactColumns {
  Eigen::Matrix<double, 6, 6> W_by_matrix;  ///< by the M or W that was given: dW = −W dM W (DV2)
  Eigen::Matrix<double, 6, 3> W_by_n;       ///< n turns by ω = n × dn, and W and V turn back in its axes (DV3)
  Mat3 V_by_n;
  Mat3 omega;  ///< columns

  ContactColumns(const Contact& contact, const Local<double>& c) {
    const Mat3 left = contact.mass_given ? Mat3(contact.W * c.R) : c.R;
    const double sign = contact.mass_given ? -1 : 1;
    int k = 0;
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j, ++k) {
        const double f = i == j ? sign / 2 : sign;
        int row = 0;
        for (int a = 0; a < 3; ++a)
          for (int b = a; b < 3; ++b) W_by_matrix(row++, k) = f * (left(i, a) * left(j, b) + left(j, a) * left(i, b));
      }
    }
    for (int j = 0; j < 3; ++j) {
      const Vec3 turn(0, -c.R(j, 2), c.R(j, 1));  // e_1 × the row of R
      omega.col(j) = turn;
      const Mat3 S = cross_matrix<double>(turn);
      const Mat3 WS = c.W * S;
      W_by_n.col(j) = entries(Mat3(WS + WS.transpose()));
      V_by_n.col(j) = -turn.cross(c.V);
    }
  }

  /// Rows of local derivatives as rows by M or W, V and n.
  template <int rows, class Local_, class Out>
  void apply(const Local_& G, const Mat3& R, Out out) const {
    const Eigen::Matrix<double, rows, 6> by_W = G.template leftCols<6>();
    const Eigen::Matrix<double, rows, 3> by_V = G.template middleCols<3>(of_V);
    out.template leftCols<6>().noalias() = by_W * W_by_matrix;
    out.template middleCols<3>(6).noalias() = by_V * R.transpose();
    out.template middleCols<3>(9).noalias() = by_W * W_by_n + by_V * V_by_n;
  }
};

/// The impulse in input coordinates, with its derivatives and changes of mode, before V⁺ and ΔE.
struct ImpulseDerivatives {
  Derivatives& d;
  std::string_view kink = {};
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
  const ContactColumns columns(contact, local);
  const int count = here.columns - of_parameters;
  Eigen::Matrix<double, 3, Derivatives::columns> top;
  columns.apply<3>(here.J, local.R, top.leftCols<12>());
  for (int j = 0; j < 3; ++j) top.col(9 + j) += columns.omega.col(j).cross(P);  // P itself turns with n
  for (int k = 0; k < count; ++k) top.col(12 + k) = here.J.col(of_parameters + k);
  // A target impulse and the spin turn back as V does, and are stated in input axes.
  Mat3 vector_by_n = Mat3::Zero();
  int at_vector = -1;
  const auto turn_back = [&](const Vec3& given, int at) {
    at_vector = at;
    const Vec3 vector = local.R.transpose() * given;
    for (int j = 0; j < 3; ++j) vector_by_n.col(j) = -columns.omega.col(j).cross(vector);
    const Mat3 by_vector = top.middleCols<3>(at);
    top.middleCols<3>(9) += by_vector * vector_by_n;
    top.middleCols<3>(at) = by_vector * local.R.transpose();
  };
  if constexpr (std::is_same_v<L, Projected>) turn_back(law.target, 12);
  if constexpr (depends_on_spin<L>) turn_back(contact.spin, 12 + count - 3);
  for (int k = 0; k < d.width; ++k) d.jacobian.col(k).head<3>().noalias() = local.R * top.col(k);
  for (int k = 0; k < here.columns - of_parameters; ++k)
    if ((here.unset >> k & 1U) != 0) d.jacobian.col(12 + k).head<3>().setConstant(std::nan(""));
  for (int i = 0; i < here.changes; ++i) {
    const auto& from = here.change[static_cast<std::size_t>(i)];
    ModeChange& change = d.change[static_cast<std::size_t>(d.changes++)];
    change.what = from.what;
    change.distance = from.distance;
    columns.apply<1>(from.gradient, local.R, change.gradient.leftCols<12>());
    for (int k = 0; k < count; ++k) change.gradient(12 + k) = from.gradient(of_parameters + k);
    if (at_vector >= 0) {
      const Eigen::RowVector3d by_vector = change.gradient.segment<3>(at_vector);
      change.gradient.segment<3>(9) += by_vector * vector_by_n;
      change.gradient.segment<3>(at_vector) = by_vector * local.R.transpose();
    }
  }
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

/// V⁺ = V + W P and ΔE = P·V + ½ P·WP follow from P (DV5).
void finish_rows(const Contact& contact, const Outcome& outcome, Derivatives& d) {
  auto& J = d.jacobian;
  const Vec3& P = outcome.P;
  const Vec3 V_plus = contact.V + contact.W * P;
  for (int j = 0; j < d.width; ++j) {
    const Vec3 dP = J.col(j).head<3>();
    J.col(j).segment<3>(3).noalias() = contact.W * dP;
    J(6, j) = V_plus.dot(dP);
  }
  const Mat3& A = contact.mass_given ? contact.W : Mat3(Mat3::Identity());
  const Vec3 AP = contact.mass_given ? Vec3(contact.W * P) : P;
  const double sign = contact.mass_given ? -1 : 1;
  int k = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      // dW P = ∓ A E A P.
      Vec3 change = A.col(i) * AP(j);
      if (i != j) change += A.col(j) * AP(i);
      change *= sign;
      J.block<3, 1>(3, k) += change;
      J(6, k) += P.dot(change) / 2;
      ++k;
    }
  }
  J.block<3, 3>(3, 6) += Mat3::Identity();
  J.block<1, 3>(6, 6) += P.transpose();
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
  Vec3 by_V = d.jacobian.block<3, 3>(0, 6) * contact.V;
  Eigen::Matrix<double, 6, 1> A = entries(contact.mass_given ? contact.M : contact.W);
  Vec3 by_W = d.jacobian.block<3, 6>(0, 0) * A;
  const double sign = contact.mass_given ? 1 : -1;
  const Mat3& given = contact.mass_given ? contact.M : contact.W;
  const Mat3 SA = cross_matrix<double>(contact.n) * given;
  Vec3 by_turn = d.jacobian.block<3, 6>(0, 0) * entries(Mat3(SA + SA.transpose())) +
                 d.jacobian.block<3, 3>(0, 6) * contact.n.cross(contact.V);
  const auto add_target = [&](const Projected& l, double weight) {
    const DerivativeInput* target = d.find("target");
    const Vec3 share = d.P(*target) * l.target;
    by_V += weight * share;
    by_W += sign * weight * share;
    by_turn += weight * (d.P(*target) * contact.n.cross(l.target));
  };
  if (const DerivativeInput* spin = d.find("spin")) by_turn += d.P(*spin) * contact.n.cross(contact.spin);
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
  const double terms_V = d.jacobian.block<3, 3>(0, 6).norm() * contact.V.norm();
  const double terms_W = d.jacobian.block<3, 6>(0, 0).norm() * A.norm();
  return (!scales_with_speed(law) || (by_V - outcome.P).norm() <= 1e-9 * (size + terms_V)) &&
         (by_W - sign * outcome.P).norm() <= 1e-9 * (size + terms_W) &&
         (by_turn - contact.n.cross(outcome.P)).norm() <= 1e-9 * (size + terms_V + terms_W);
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
  ImpulseDerivatives impulse{d};
  if (local.V(0) < 0) {
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
  finish_rows(contact, out.outcome, d);
  if (!d.jacobian.topLeftCorner(7, 12).allFinite()) {
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
  const Vec3 gradient = nearest->gradient.segment<3>(6).transpose();
  // Across V itself: along it nothing changes.
  const double square = gradient.squaredNorm();
  if (!(square * contact.V.squaredNorm() > 1e-12))
    return fail(ErrorCode::invalid, "V", "",
                fmt::format("does not move the contact across the change of mode ({})", nearest->what));
  const auto beside = [&](double distance) -> Expected<DifferentiatedOutcome> {
    Contact other = contact;
    other.V += (distance - nearest->distance) / square * gradient;
    return collide_with_derivatives(law, other);
  };
  constexpr double step = 1e-9;
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
