#include "ricochet/mechanism/loops.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <utility>

#include "ricochet/base/symmetric_eigen.hpp"

namespace ricochet {
namespace {

// Each expression of dynamic matrices instantiates a product of its own, at two seconds each; these two serve all.
MatX times(const MatX& A, const MatX& B) { return A * B; }
MatX transposed_times(const MatX& A, const MatX& B) { return A.transpose() * B; }

}  // namespace

Expected<ClosedLoops> ClosedLoops::of(MassSolver open, const MatX& G) {
  if (!G.allFinite()) return fail(ErrorCode::out_of_range, "G", "", "every entry must be finite");
  ClosedLoops c;
  c.open_ = std::move(open);
  c.G_ = G;
  c.Y_ = c.open_(G.transpose());
  c.B_.resize(G.rows(), 0);
  if (G.rows() == 0) return c;
  MatX A = times(G, c.Y_);
  A = MatX(0.5 * (A + A.transpose()));
  const SymmetricEigen eigen = symmetric_eigen(A);
  const VecX& lambda = eigen.values;
  const double floor = 1e-12 * lambda(lambda.size() - 1);
  Eigen::Index spanned = 0;
  for (const double x : lambda)
    if (x > floor && x > 0) ++spanned;
  c.B_.resize(G.rows(), spanned);
  for (Eigen::Index i = 0; i < spanned; ++i) {
    const Eigen::Index k = lambda.size() - 1 - i;
    c.B_.col(i) = eigen.vectors.col(k) / std::sqrt(lambda(k));
  }
  return c;
}

MassSolver ClosedLoops::solver() const {
  return [self = std::make_shared<const ClosedLoops>(*this)](const MatX& X) -> MatX {
    // Loads that the loops carry are taken out before and motions that break them after. Either alone is (G8) on paper;
    // each leaves rounding of the size of the open 𝓜⁻¹, which near a hinge is far larger than what remains of it.
    const MatX free =
        X - transposed_times(self->G_, times(self->B_, transposed_times(self->B_, transposed_times(self->Y_, X))));
    const MatX Z = self->open_(free);
    return Z - times(self->Y_, times(self->B_, transposed_times(self->B_, times(self->G_, Z))));
  };
}

VecX ClosedLoops::admissible(const VecX& u) const { return u - Y_ * (B_ * (B_.transpose() * (G_ * u))); }

VecX ClosedLoops::loads(const VecX& f) const { return -(B_ * (B_.transpose() * (Y_.transpose() * f))); }

bool ClosedLoops::unique(Eigen::Index first, Eigen::Index count) const {
  // The columns of B are orthogonal; scaled to length 1 they span what λ is determined in.
  for (Eigen::Index row = first; row < first + count; ++row) {
    double inside = 0;
    for (Eigen::Index k = 0; k < B_.cols(); ++k) inside += B_(row, k) * B_(row, k) / B_.col(k).squaredNorm();
    if (inside < 1 - 1e-9) return false;
  }
  return true;
}

}  // namespace ricochet
