#include "ricochet/mechanism/impact_derivatives.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "ricochet/law/derivatives.hpp"
#include "ricochet/law/law_table.hpp"
#include "ricochet/law/make_law.hpp"

namespace ricochet {
namespace {

Eigen::Matrix<double, 6, 1> six_entries(const Mat3& A) {
  Eigen::Matrix<double, 6, 1> out;
  out << A(0, 0), A(0, 1), A(0, 2), A(1, 1), A(1, 2), A(2, 2);
  return out;
}

/// The null directions of W, as the projector onto them.
Mat3 immovable_part(const Mat3& W) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(W);
  Mat3 out = Mat3::Zero();
  for (int k = 0; k < 3; ++k)
    if (!(eigen.eigenvalues()(k) > 1e-12 * eigen.eigenvalues()(2))) {
      const Vec3 axis = eigen.eigenvectors().col(k);
      out += axis * axis.transpose();
    }
  return out;
}

/// A difference with its error: of Richardson's extrapolation of central differences.
struct Slope {
  ContactLeverage by;
  bool smooth = false;
};

Slope slope_of(const LeverageNearby& nearby, int k, const ContactLeverage& here) {
  constexpr double step = 1e-3;
  // Three steps: the second extrapolation removes the error of the first, and tells how large it was.
  std::vector<ContactLeverage> central;
  for (const double h : {step, step / 2, step / 4}) {
    const auto low = nearby(k, -h), high = nearby(k, h);
    if (!low || !high) return {};
    central.push_back({(high->J - low->J) / (2 * h), (high->L - low->L) / (2 * h), Vec3((high->n - low->n) / (2 * h))});
  }
  const auto extrapolate = [](const ContactLeverage& coarse, const ContactLeverage& fine, double power) {
    const auto one = [&](const auto& a, const auto& b) { return (power * b - a) / (power - 1); };
    return ContactLeverage{one(coarse.J, fine.J), one(coarse.L, fine.L), one(coarse.n, fine.n)};
  };
  const ContactLeverage first = extrapolate(central[0], central[1], 4), second = extrapolate(central[1], central[2], 4);
  Slope out{extrapolate(first, second, 16), false};
  const double off = (second.J - first.J).norm() / (1e-300 + here.J.norm()) +
                     (second.L - first.L).norm() / (1e-300 + here.L.norm()) + (second.n - first.n).norm();
  out.smooth = off <= 1e-6;
  return out;
}

/// u⁺ as a function of a step; nothing where there is no answer.
using SpeedsAfter = std::function<std::optional<VecX>(double step)>;

/// Its slope at zero by Richardson's extrapolation from steps up to this one. Both sides must have it: NaN at a kink,
/// and where differences do not settle. Where the function ends at zero, that of the one side.
VecX slope_from(const SpeedsAfter& f, const VecX& now, double step) {
  const VecX none = VecX::Constant(now.size(), std::numeric_limits<double>::quiet_NaN());
  // One side: errors of first, second and third order in the step.
  const auto side = [&](double sign) -> std::optional<std::pair<VecX, double>> {
    std::array<VecX, 4> d;
    double h = sign * step;
    for (VecX& one : d) {
      const auto there = f(h);
      if (!there) return std::nullopt;
      one = (*there - now) / h;
      h /= 2;
    }
    VecX before;
    for (std::size_t level = 1, factor = 2; level < d.size(); ++level, factor *= 2) {
      before = d[d.size() - level];
      for (std::size_t i = 0; i + level < d.size(); ++i)
        d[i] = (static_cast<double>(factor) * d[i + 1] - d[i]) / (static_cast<double>(factor) - 1);
    }
    return std::pair{d[0], (d[0] - before).norm()};
  };
  const auto above = side(1), below = side(-1);
  if (!above && !below) return none;
  constexpr double settled = 1e-6;
  const double scale = (above ? above->first : below->first).norm() + 1e-3 * now.norm();
  for (const auto& one : {above, below})
    if (one && !(one->second <= settled * scale)) return none;
  if (!above || !below) return (above ? above : below)->first;
  if (!((above->first - below->first).norm() <= settled * scale)) return none;
  std::array<VecX, 3> d;
  double h = step;
  for (VecX& one : d) {
    one = (*f(h) - *f(-h)) / (2 * h);
    h /= 2;
  }
  const VecX first = (4 * d[1] - d[0]) / 3, second = (4 * d[2] - d[1]) / 3;
  return (16 * second - first) / 15;
}

/// The same, with shorter steps beside a kink.
VecX slope_of(const SpeedsAfter& f, const VecX& now, double step) {
  VecX out;
  for (int i = 0; i < 3; ++i, step /= 8) {
    out = slope_from(f, now, step);
    if (!out.hasNaN()) break;
  }
  return out;
}

/// A W that is singular in a direction that is not tangential, as of a pendulum of one speed: any change that frees
/// this direction changes the impulse at once, so that a law has no derivative by W there. But u, q and the parameters
/// never free it. The answers are differentiated along these by differences.
Expected<ImpactDerivatives> by_differences(const Law& law, const ContactPoint& at, const Response& response,
                                           int positions, const LeverageNearby& nearby) {
  const auto answer = collide(law, response.contact);
  if (!answer) return tl::unexpected(answer.error());
  ImpactDerivatives out;
  out.by_differences = true;
  out.u = response.after(answer->P);
  const VecX& u = response.u;
  const auto after = [](const Law& one, const ContactLeverage& c, const VecX& speeds) -> std::optional<VecX> {
    const Mat3 W = c.J * c.L;
    const auto contact = contact_from_mobility(0.5 * (W + W.transpose()), c.J * speeds, c.n);
    if (!contact) return std::nullopt;
    const auto hit = collide(one, *contact);
    if (!hit) return std::nullopt;
    return VecX(speeds + c.L * hit->P);
  };
  const ContactLeverage here{at.J, response.L, at.n};
  constexpr double step = 1e-3;
  const auto dof = u.size();
  out.by_u.resize(dof, dof);
  for (Eigen::Index k = 0; k < dof; ++k)
    out.by_u.col(k) =
        slope_of([&](double h) { return after(law, here, u + h * VecX::Unit(dof, k)); }, out.u, step * u.norm());
  // The inputs that a law has are those that it lists for any contact.
  const auto separating = contact_from_mobility(Mat3::Identity(), Vec3::UnitZ(), Vec3::UnitZ());
  const auto listed = collide_with_derivatives(law, *separating);
  if (!listed) return tl::unexpected(listed.error());
  const auto parameters = parameters_of(law);
  for (int i = 3; i < listed->derivatives.inputs; ++i) {
    const std::string_view name = listed->derivatives.input[static_cast<std::size_t>(i)].name;
    const auto own = std::find_if(parameters.begin(), parameters.end(), [&](const auto& p) { return p.first == name; });
    if (own == parameters.end() || !std::holds_alternative<double>(own->second)) continue;
    const double value = std::get<double>(own->second);
    if (!std::isfinite(value)) {
      out.parameters.push_back({std::string(name), VecX::Zero(dof)});
      continue;
    }
    const auto moved = [&](double h) -> std::optional<VecX> {
      LawParameters settings;
      for (const auto& [key, x] : parameters)
        if (!set(settings, key, key == name ? Value(value + h) : x)) return std::nullopt;
      const auto made = make_law(info_of(law).name, settings);
      return made ? after(*made, here, u) : std::nullopt;
    };
    out.parameters.push_back({std::string(name), slope_of(moved, out.u, step * std::max(1.0, std::abs(value)))});
  }
  if (!nearby) return out;
  out.by_q.resize(dof, positions);
  for (int k = 0; k < positions; ++k)
    out.by_q.col(k) = slope_of(
        [&](double h) -> std::optional<VecX> {
          const auto there = nearby(k, h);
          return there ? after(law, *there, u) : std::nullopt;
        },
        out.u, step);
  return out;
}

}  // namespace

Expected<ImpactDerivatives> impact_derivatives(const Law& law, const ContactPoint& at, const Response& response,
                                               int positions, const LeverageNearby& nearby) {
  Contact contact = response.contact;
  Mat3 held = Mat3::Zero();
  if (contact.immovable) {
    held = immovable_part(contact.W);
    if ((held * contact.n).norm() > 1e-9) return by_differences(law, at, response, positions, nearby);
    const auto free = contact_from_mobility(contact.W + contact.W.trace() / 2 * held, contact.V, contact.n);
    if (!free) return tl::unexpected(free.error());
    contact = *free;
    const auto constrained = collide(law, response.contact), loose = collide(law, contact);
    if (!constrained) return tl::unexpected(constrained.error());
    if (!loose) return tl::unexpected(loose.error());
    if (!((constrained->P - loose->P).norm() <= 1e-9 * constrained->P.norm()))
      return fail(ErrorCode::invalid, "W", "",
                  "is singular, and the impulse of this law depends on the direction in which the contact cannot move");
  }
  const auto hit = collide_with_derivatives(law, contact);
  if (!hit) return tl::unexpected(hit.error());
  ImpactDerivatives out;
  const Vec3 P = hit->outcome.P;
  out.u = response.after(P);
  if (!hit->kink.empty()) {
    out.kink = hit->kink;
    return out;
  }
  const Derivatives& d = hit->derivatives;
  const Mat3 by_V = d.jacobian.block<3, 3>(0, 6), by_n = d.jacobian.block<3, 3>(0, 9);
  // By W whichever of both was the input: dM = −M dW M.
  const auto by_W = [&](const Mat3& dW) -> Vec3 {
    const Mat3 given = contact.mass_given ? Mat3(-contact.M * dW * contact.M) : dW;
    return d.jacobian.block<3, 6>(0, 0) * six_entries(given);
  };
  const MatX& L = response.L;
  const auto dof = response.u.size();
  out.by_u = MatX::Identity(dof, dof) + L * (by_V * at.J);
  for (int i = 3; i < d.inputs; ++i) {
    const DerivativeInput& input = d.input[static_cast<std::size_t>(i)];
    out.parameters.push_back({std::string(input.name), L * MatX(d.P(input))});
  }
  if (!nearby) return out;
  out.by_q.resize(dof, positions);
  const ContactLeverage here{at.J, L, at.n};
  for (int k = 0; k < positions; ++k) {
    const Slope slope = slope_of(nearby, k, here);
    out.by_q.col(k).setConstant(std::numeric_limits<double>::quiet_NaN());
    if (!slope.smooth) continue;
    const ContactLeverage& by = slope.by;
    const Mat3 dW = by.J * L + at.J * by.L;
    const Vec3 dV = by.J * response.u;
    // A contact that leaves its plane has no response there.
    const bool stays = (held * dW).norm() <= 1e-7 * (dW.norm() + contact.W.norm()) &&
                       (held * dV).norm() <= 1e-7 * (dV.norm() + contact.V.norm());
    if (!stays) continue;
    const Vec3 dP = by_W(0.5 * (dW + dW.transpose())) + by_V * dV + by_n * by.n;
    out.by_q.col(k) = by.L * P + L * dP;
  }
  return out;
}

Expected<ImpactDerivatives> impact_derivatives(const Lagrangian& system, std::string_view contact, const Law& law,
                                               const VecX& q, const VecX& u) {
  const auto at = contact_at(system, contact, q);
  if (!at) return tl::unexpected(at.error());
  const auto response = respond(system, contact, q, u);
  if (!response) return tl::unexpected(response.error());
  const LeverageNearby nearby = [&](int k, double step) -> Expected<ContactLeverage> {
    VecX moved = q;
    moved(k) += step;
    const auto there = contact_at(system, contact, moved);
    if (!there) return tl::unexpected(there.error());
    const auto mass = mass_matrix(system, moved);
    if (!mass) return tl::unexpected(mass.error());
    const auto solve = dense_solver(*mass);
    if (!solve) return tl::unexpected(solve.error());
    return ContactLeverage{there->J, (*solve)(there->J.transpose()), there->n};
  };
  return impact_derivatives(law, *at, *response, static_cast<int>(q.size()), nearby);
}

}  // namespace ricochet
