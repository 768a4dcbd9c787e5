#include "ricochet/law/derivatives.hpp"

#include <fmt/format.h>

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
using derivatives::of_W;

using Columns = Eigen::Matrix<double, 6, 6>;

/// Entries 11, 12, 13, 22, 23, 33 of a symmetric matrix.
Eigen::Matrix<double, 6, 1> entries(const Mat3& A) {
  Eigen::Matrix<double, 6, 1> out;
  out << A(0, 0), A(0, 1), A(0, 2), A(1, 1), A(1, 2), A(2, 2);
  return out;
}

/// How the local W changes with the entries of the M or W that was given: dW = −W dM W, then R (DV2).
Columns matrix_columns(const Contact& contact, const Mat3& R) {
  const Mat3 left = contact.mass_given ? Mat3(contact.W * R) : R;
  const double sign = contact.mass_given ? -1 : 1;
  Columns out;
  int k = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      const Vec3 a = left.row(i), b = left.row(j);
      Mat3 change = a * b.transpose();
      if (i != j) change += b * a.transpose();
      out.col(k++) = sign * entries(change);
    }
  }
  return out;
}

/// The impulse in input coordinates, with its derivatives and changes of mode, before V⁺ and ΔE.
struct ImpulseDerivatives {
  Derivatives d;
  std::string_view kink;
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

/// One row or three of local derivatives `G` (rows × local columns) as rows by the inputs. `turned` adds what a turn ω
/// of the axes does to the rows themselves.
template <class Rows, class Out>
void to_inputs(const Rows& G, const Columns& by_matrix, const Local<double>& c, const Vec3& target, int target_at,
               int columns, Out out) {
  const auto rows = G.rows();
  out.leftCols(6).noalias() = G.middleCols(of_W, 6) * by_matrix;
  out.middleCols(6, 3).noalias() = G.middleCols(of_V, 3) * c.R.transpose();
  // n turns by ω = n × dn, and W and V turn back in its axes: dW = Wω× − ω×W, dV = −ω × V (DV3).
  const Vec3 n = Vec3::UnitX();
  Eigen::Matrix<double, 9, 3> turn;
  Mat3 target_turn = Mat3::Zero();
  for (int j = 0; j < 3; ++j) {
    const Vec3 omega = n.cross(Vec3(c.R.row(j)));
    const Mat3 S = cross_matrix<double>(omega);
    turn.col(j).head<6>() = entries(Mat3(c.W * S - S * c.W));
    turn.col(j).tail<3>() = -omega.cross(c.V);
    target_turn.col(j) = -omega.cross(target);
  }
  out.middleCols(9, 3).noalias() = G.middleCols(0, 9) * turn;
  if (target_at >= 0) out.middleCols(9, 3).noalias() += G.middleCols(target_at, 3) * target_turn;
  for (int k = of_parameters; k < columns; ++k) out.col(12 + k - of_parameters) = G.col(k);
  if (target_at >= 0) {
    const Eigen::Matrix<double, Eigen::Dynamic, 3, 0, 3, 3> local = G.middleCols(target_at, 3);
    out.middleCols(12 + target_at - of_parameters, 3).noalias() = local * c.R.transpose();
  }
  (void)rows;
}

template <class L>
void add_parameter_inputs(Derivatives& d) {
  std::apply(
      [&](const auto&... info) {
        ((info.kind != ParameterKind::word ? add_input(d, info.name, info.kind == ParameterKind::vector ? 3 : 1)
                                           : void()),
         ...);
      },
      LawRow<L>::parameters);
}

template <class L>
Expected<void> impulse_derivatives(const L& law, const Contact& contact, const Local<double>& local,
                                   const Outcome& outcome, ImpulseDerivatives& out) {
  LocalDerivatives here;
  if (const Expected<void> fine = derivatives::differentiate(law, local, outcome, here); !fine) return fine;
  Derivatives& d = out.d;
  add_contact_inputs(contact, d);
  add_parameter_inputs<L>(d);
  out.kink = here.kink != nullptr ? std::string_view(here.kink) : std::string_view();
  // P in double as the law gave it, perhaps in extended precision: both must agree.
  const Vec3 P = local.R.transpose() * outcome.P;
  if (out.kink.empty() && !((here.P - P).norm() <= 1e-9 * P.norm()))
    return fail(ErrorCode::not_converged, "", "", "rounding leaves no accuracy for the derivatives of this answer");
  const Columns by_matrix = matrix_columns(contact, local.R);
  Vec3 target = Vec3::Zero();
  if constexpr (std::is_same_v<L, Projected>) target = local.R.transpose() * law.target;
  auto top = d.jacobian.topRows<3>();
  to_inputs(here.J, by_matrix, local, target, here.target, here.columns, top);
  for (int j = 0; j < 3; ++j)  // P itself turns with n
    d.jacobian.block<3, 1>(0, 9 + j) += Vec3::UnitX().cross(Vec3(local.R.row(j))).cross(P);
  d.jacobian.topLeftCorner(3, d.width) = local.R * d.jacobian.topLeftCorner(3, d.width).eval();
  for (int k = 0; k < here.columns - of_parameters; ++k)
    if ((here.unset >> k & 1U) != 0) d.jacobian.col(12 + k).head<3>().setConstant(std::nan(""));
  for (int i = 0; i < here.changes; ++i) {
    const auto& from = here.change[static_cast<std::size_t>(i)];
    ModeChange& change = d.change[static_cast<std::size_t>(d.changes++)];
    change.what = from.what;
    change.distance = from.distance;
    change.gradient.setZero();
    to_inputs(from.gradient, by_matrix, local, target, here.target, here.columns, change.gradient.leftCols(d.width));
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
    ImpulseDerivatives one;
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
  J.block(3, 0, 3, d.width).noalias() = contact.W * J.topLeftCorner(3, d.width);
  J.block(6, 0, 1, d.width).noalias() = V_plus.transpose() * J.topLeftCorner(3, d.width);
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

/// P is homogeneous in V (together with a target impulse) and in W: derivatives that do not show it are not right
/// (DV9).
bool homogeneous(const Law& law, const Contact& contact, const Outcome& outcome, const Derivatives& d) {
  const double size = outcome.P.norm();
  Vec3 by_V = d.jacobian.block<3, 3>(0, 6) * contact.V;
  Eigen::Matrix<double, 6, 1> A = entries(contact.mass_given ? contact.M : contact.W);
  Vec3 by_W = d.jacobian.block<3, 6>(0, 0) * A;
  const double sign = contact.mass_given ? 1 : -1;
  const auto add_target = [&](const Projected& l, double weight) {
    const DerivativeInput* target = d.find("target");
    const Vec3 share = d.P(*target) * l.target;
    by_V += weight * share;
    by_W += sign * weight * share;
  };
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
  return (by_V - outcome.P).norm() <= 1e-9 * (size + terms_V) &&
         (by_W - sign * outcome.P).norm() <= 1e-9 * (size + terms_W);
}

}  // namespace

namespace derivatives {

Expected<void> differentiate(const SpringSledge&, const Local<double>&, const Outcome&, LocalDerivatives&) {
  return fail(ErrorCode::invalid, "law", "spring-sledge",
              "has no derivatives yet; routh is its limit for a rigid surface, and has");
}

}  // namespace derivatives

const ModeChange* Derivatives::nearest() const {
  const ModeChange* best = nullptr;
  for (int i = 0; i < changes; ++i) {
    const ModeChange& one = change[static_cast<std::size_t>(i)];
    if (best == nullptr || std::abs(one.distance) < std::abs(best->distance)) best = &one;
  }
  return best;
}

Expected<DifferentiatedOutcome> collide_with_derivatives(const Law& law, const Contact& contact) {
  Expected<DifferentiatedOutcome> result(tl::in_place);
  Expected<Outcome> outcome = collide(law, contact);
  if (!outcome) return tl::unexpected(outcome.error());
  if (contact.immovable)
    return fail(ErrorCode::invalid, "W", "",
                "must be regular for derivatives: any change of a singular W frees or overstrains a direction in which "
                "the contact cannot move");
  DifferentiatedOutcome& out = *result;
  out.outcome = *std::move(outcome);
  const Local<double> local = localize<double>(contact);
  const double speed = contact.V.norm();
  ImpulseDerivatives impulse;
  Derivatives& d = out.derivatives;
  if (local.V(0) < 0) {
    const Expected<void> fine =
        std::visit([&](const auto& l) { return impulse_derivatives(l, contact, local, out.outcome, impulse); }, law);
    if (!fine) return tl::unexpected(fine.error());
    d = impulse.d;
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
  if (!out.kink.empty()) return result;
  finish_rows(contact, out.outcome, d);
  if (!d.jacobian.topLeftCorner(7, 12).allFinite()) {
    out.kink = "a derivative without bound";
    return result;
  }
  if (!homogeneous(law, contact, out.outcome, d))
    return fail(ErrorCode::not_converged, "", "", "rounding leaves no accuracy for the derivatives of this answer");
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
