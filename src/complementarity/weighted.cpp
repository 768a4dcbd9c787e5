#include "ricochet/complementarity/weighted.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/complementarity/lcp.hpp"

namespace ricochet {
namespace {

using Index = Eigen::Index;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double rounding = 1e-13;

/// x of least norm with A x = b, to working precision.
VecX least_solution(const MatX& A, const VecX& b) {
  Eigen::CompleteOrthogonalDecomposition<MatX> factor(A);
  factor.setThreshold(1e-11);
  VecX x = factor.solve(b);
  x += factor.solve(b - A * x);
  return x;
}

/// In units in which the largest speed and the largest mobility are 1.
class Weighted {
 public:
  Weighted(MatX W, VecX U, const std::vector<ContactParameters>& given)
      : W_(std::move(W)), U_(std::move(U)), given_(given), k_(U_.size() / 3) {}

  Expected<VecX> run() {
    if (const auto fine = restore(); !fine) return tl::unexpected(fine.error());
    if (pressed_.empty()) return G_;
    if (const auto fine = stick(); !fine) return tl::unexpected(fine.error());
    fill();
    return G_;
  }

  [[nodiscard]] const VecX& kappa() const { return kappa_; }
  [[nodiscard]] std::string_view solver() const { return solver_; }
  [[nodiscard]] double residual() const { return residual_; }
  [[nodiscard]] bool least() const { return least_; }

 private:
  static auto normals() { return Eigen::seq(0, Eigen::last, 3); }
  [[nodiscard]] const ContactParameters& at(Index i) const { return given_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] double energy(const VecX& G) const { return G.dot(U_) + 0.5 * G.dot(W_ * G); }

  /// Largest s in [0, most] at which the energy along G + s d does not exceed zero. It is convex and not above zero at
  /// s = 0.
  [[nodiscard]] double within_energy(const VecX& G, const VecX& d, double most) const {
    const VecX end = G + most * d;
    const double slack = 1e-14 * end.cwiseAbs().dot(U_.cwiseAbs() + (W_ * end).cwiseAbs());
    const double c = std::min(energy(G), 0.0) - slack;
    const double b = d.dot(U_ + W_ * G);
    const double a = 0.5 * d.dot(W_ * d);
    if (c + most * (b + most * a) <= 0) return most;
    const double root = std::sqrt(b * b - 4 * a * c);
    return std::clamp(b > 0 ? -2 * c / (b + root) : (root - b) / (2 * a), 0.0, most);
  }

  /// (LC9), (LC10): G_I, then its restitution with what else it takes that no contact approaches.
  Expected<void> restore() {
    const MatX A = W_(normals(), normals());
    const VecX U_n = U_(normals());
    G_ = VecX::Zero(3 * k_);
    kappa_ = VecX::Zero(k_);
    const auto plastic = solve_least_lcp(A, U_n);
    if (!plastic) return tl::unexpected(plastic.error());
    solver_ = plastic->answer.solver;
    residual_ = plastic->answer.residual;
    least_ = plastic->least;
    const VecX& lambda = plastic->answer.z;
    const double size = lambda.size() > 0 ? lambda.maxCoeff() : 0;
    if (!(size > 0)) return {};
    VecX back(k_);
    for (Index i = 0; i < k_; ++i) back(i) = (1 + at(i).e) * lambda(i);
    VecX after = U_n + A * back;
    for (Index i = 0; i < k_; ++i)
      if (std::abs(after(i)) <= rounding * (1 + back.norm())) after(i) = 0;
    const auto extra = solve_least_lcp(A, after);
    if (!extra) return tl::unexpected(extra.error());
    residual_ = std::max(residual_, extra->answer.residual);
    least_ = least_ && extra->least;
    back += extra->answer.z;
    G_(normals()) = back;
    for (Index i = 0; i < k_; ++i) {
      if (lambda(i) > rounding * size) stuck_.push_back(i);
      if (back(i) > rounding * size) pressed_.push_back(i);
    }
    return {};
  }

  /// (LC11): tangential parts of G_II. Contacts that G_I does not press are not held.
  Expected<void> stick() {
    std::vector<Index> rows;
    rows.reserve(3 * stuck_.size());
    for (const Index i : stuck_) rows.push_back(3 * i);
    for (const Index i : stuck_)
      if (at(i).mu > 0) {
        rows.push_back(3 * i + 1);
        rows.push_back(3 * i + 2);
      }
    const VecX U = U_(rows);
    const MatX W = W_(rows, rows);
    const VecX G_II = least_solution(W, -U);
    if (const double miss = (W * G_II + U).cwiseAbs().maxCoeff(); miss > 1e-9)
      return fail(ErrorCode::no_solution, "contacts", fmt::format("{:.3g} of the largest speed is left", miss),
                  "must be able to stick simultaneously: moving fixed bodies, or fixed bodies on both sides of a body, "
                  "prevent it");
    tangential_ = MatX::Zero(3 * k_, k_);
    auto row = static_cast<Index>(stuck_.size());
    for (const Index i : stuck_)
      if (at(i).mu > 0) {
        tangential_.block<2, 1>(3 * i + 1, i) = G_II.segment<2>(row);
        row += 2;
      }
    return {};
  }

  /// (LC12): raises the κ of all contacts together and stops each at its 1 + e_t or at a limit.
  void fill() {
    growing_.assign(static_cast<std::size_t>(k_), false);
    for (const Index i : stuck_) growing_[static_cast<std::size_t>(i)] = at(i).mu > 0 && at(i).e_t > -1;
    std::vector<bool> joined(static_cast<std::size_t>(k_), false);
    while (std::find(growing_.begin(), growing_.end(), true) != growing_.end()) {
      const MatX each = responses();
      VecX d = VecX::Zero(3 * k_);
      for (Index j = 0; j < k_; ++j)
        if (grows(j)) d += each.col(j);
      const double least_slope = -rounding * (1 + d.norm());

      double step = infinity;
      for (Index j = 0; j < k_; ++j)
        if (grows(j)) step = std::min(step, 1 + at(j).e_t - kappa_(j));
      for (Index i = 0; i < k_; ++i)
        if (const double slope = limit(i, d, grows(i) ? 1 : 0, VecX::Zero(3 * k_)); slope < least_slope)
          step = std::min(step, std::max(limit(i, G_, kappa_(i), U_), 0.0) / -slope);
      const double allowed = within_energy(G_, d, step);
      G_ += allowed * d;
      for (Index j = 0; j < k_; ++j)
        if (grows(j)) kappa_(j) += allowed;
      if (allowed < step) return;

      for (Index j = 0; j < k_; ++j)
        if (grows(j) && 1 + at(j).e_t - kappa_(j) <= 4 * rounding) growing_[static_cast<std::size_t>(j)] = false;
      for (Index i = 0; i < k_; ++i) {
        if (limit(i, d, grows(i) ? 1 : 0, VecX::Zero(3 * k_)) >= least_slope) continue;
        if (limit(i, G_, kappa_(i), U_) > 4 * rounding * (1 + G_.norm())) continue;
        if (!is_pressed(i) && !joined[static_cast<std::size_t>(i)]) {
          // It joins the pressed contacts and resists from now on.
          joined[static_cast<std::size_t>(i)] = true;
          pressed_.insert(std::lower_bound(pressed_.begin(), pressed_.end(), i), i);
          break;
        }
        for (Index j = 0; j < k_; ++j)
          if (grows(j) && limit(i, each.col(j), i == j ? 1 : 0, VecX::Zero(3 * k_)) < least_slope / (1 + d.norm()))
            growing_[static_cast<std::size_t>(j)] = false;
      }
    }
  }

  [[nodiscard]] bool grows(Index i) const { return growing_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] bool is_pressed(Index i) const { return std::binary_search(pressed_.begin(), pressed_.end(), i); }

  /// Impulses per unit of each growing κ that leave the normal speeds of the pressed contacts unchanged.
  [[nodiscard]] MatX responses() const {
    std::vector<Index> kept;
    kept.reserve(pressed_.size());
    for (const Index i : pressed_) kept.push_back(3 * i);
    Eigen::CompleteOrthogonalDecomposition<MatX> factor(W_(kept, kept));
    factor.setThreshold(1e-11);
    MatX each = MatX::Zero(3 * k_, k_);
    for (Index j = 0; j < k_; ++j) {
      if (!grows(j)) continue;
      each.col(j) = tangential_.col(j);
      for (int pass = 0; pass < 2; ++pass) {
        const VecX driven = (W_ * each.col(j))(kept);
        const VecX answer = factor.solve(driven);
        for (std::size_t r = 0; r < kept.size(); ++r) each(kept[r], j) -= answer(static_cast<Index>(r));
      }
    }
    return each;
  }

  /// What must not become negative, linear in (G, κ, U): at a pressed contact μ P_n − ‖P_t‖, P_t being κ times a fixed
  /// vector, or P_n where there is no friction or any amount of it; elsewhere the normal speed. With U = 0 this is its
  /// derivative.
  [[nodiscard]] double limit(Index i, const VecX& G, double kappa, const VecX& U) const {
    if (!is_pressed(i)) return U(3 * i) + W_.row(3 * i).dot(G);
    const double mu = at(i).mu;
    if (!(mu > 0) || mu == infinity) return G(3 * i);
    return (mu * G(3 * i) - kappa * tangential_.col(i).norm()) / (1 + mu);
  }

  MatX W_;
  VecX U_;
  const std::vector<ContactParameters>& given_;
  Index k_;
  VecX G_, kappa_;
  MatX tangential_;             ///< column j: tangential part of G_II at contact j
  std::vector<Index> stuck_;    ///< contacts that G_I presses
  std::vector<Index> pressed_;  ///< contacts whose normal speed is kept, ascending
  std::vector<bool> growing_;   ///< contacts whose κ still grows
  double residual_ = 0;
  std::string_view solver_;
  bool least_ = true;
};

}  // namespace

Expected<JointOutcome> resolve_weighted(const Problem& problem) {
  const auto space = contact_space(problem);
  if (!space) return tl::unexpected(space.error());
  const auto given = parameters(problem, *space);
  if (!given) return tl::unexpected(given.error());
  const double speed = space->size() == 0 ? 0 : space->U.cwiseAbs().maxCoeff();
  if (!(speed > 0)) return joint_outcome(problem, *space, VecX::Zero(space->U.size()), 0);
  const auto W = dense(*space, 500, "weighted");
  if (!W) return tl::unexpected(W.error());
  const double size = W->diagonal().maxCoeff();
  Weighted weighted(*W / size, space->U / speed, *given);
  const auto G = weighted.run();
  if (!G) return tl::unexpected(G.error());
  JointOutcome out = joint_outcome(problem, *space, *G * (speed / size), weighted.residual());
  out.solver = weighted.solver();
  out.residual = std::max(weighted.residual(), out.remaining / speed);
  out.chosen = out.singular == false ? Chosen::only : weighted.least() ? Chosen::minimal_norm : Chosen::vertex;
  out.kappa.assign(problem.contacts().size(), 0);
  for (std::size_t k = 0; k < space->size(); ++k)
    out.kappa[space->contacts[k]] = weighted.kappa()(static_cast<Eigen::Index>(k));
  return out;
}

}  // namespace ricochet
