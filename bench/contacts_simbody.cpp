/// Simbody's PLUS on the contacts of a crystal: W is a full matrix there.

#include <fmt/format.h>

#include "contacts.hpp"
#include "plus.hpp"
#include "ricochet/simultaneous/block_mobility.hpp"

namespace ricochet::bench {

Answer by_simbody(const Crystal& crystal) {
  const auto assembled = assemble(crystal.arrangement);
  if (!assembled) return {.seconds = 0, .bodies = {}, .note = assembled.error().message()};
  const Problem& problem = assembled->problem;
  const std::size_t k = problem.contacts().size();
  const auto rows = static_cast<Eigen::Index>(3 * k);
  if (k > 5000)
    return {.seconds = 0,
            .bodies = {},
            .note = fmt::format("W is full there, {:.2g} GB, and held three times",
                                1e-9 * 8 * static_cast<double>(rows) * static_cast<double>(rows))};
  std::vector<Mat3> R;  // normal and two tangents
  for (const ProblemContact& place : problem.contacts()) {
    const Vec3& n = place.contact.n;
    const Vec3 t = n.unitOrthogonal();
    R.emplace_back();
    R.back() << n, t, n.cross(t);
  }
  const BlockMatrix blocks = mobility(problem);
  MatX W = MatX::Zero(rows, rows);
  VecX V(rows);
  for (std::size_t i = 0; i < k; ++i) {
    const auto at = static_cast<Eigen::Index>(3 * i);
    V.segment<3>(at) = R[i].transpose() * problem.contacts()[i].contact.V;
    for (std::size_t b = blocks.start[i]; b < blocks.start[i + 1]; ++b)
      W.block<3, 3>(at, 3 * static_cast<Eigen::Index>(blocks.column[b])) =
          R[i].transpose() * blocks.block[b] * R[blocks.column[b]];
  }
  const PlusAnswer found = by_plus(W, V, crystal.e, crystal.mu);
  if (!found.fault.empty()) return {.seconds = found.seconds, .bodies = {}, .note = found.fault};
  VecX u = problem.u();
  for (std::size_t i = 0; i < k; ++i) problem.apply(i, R[i] * found.G.segment<3>(static_cast<Eigen::Index>(3 * i)), u);
  return {.seconds = found.seconds, .bodies = moved(crystal.arrangement, *assembled, u), .note = {}};
}

}  // namespace ricochet::bench
