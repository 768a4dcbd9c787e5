#include "ricochet/simultaneous/ties.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace ricochet {

std::vector<std::uint64_t> ranks_along_direction(const Problem& problem) {
  // √2 − 1, √3 − 1, √5 − 2: no plane or axis of symmetry of a scene is likely to be across it.
  const Vec3 direction(0.4142135623730951, 0.7320508075688772, 0.2360679774997898);
  const auto& contacts = problem.contacts();
  std::vector<double> along(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) along[i] = direction.dot(contacts[i].point);
  std::vector<std::size_t> order(contacts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return along[a] > along[b]; });
  std::vector<std::uint64_t> ranks(contacts.size());
  for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = order.size() - i;
  return ranks;
}

VecX contact_reach(const Problem& problem) {
  VecX reach = VecX::Zero(problem.u().size());
  for (const ContactPlace& place : problem.contacts()) {
    for (int s = 0; s < place.side_count; ++s) {
      const ContactSide& side = place.sides[static_cast<std::size_t>(s)];
      const Mover& mover = problem.movers()[side.mover];
      const double* J = problem.J(side);
      for (int c = 0; c < mover.dof; ++c) {
        double& r = reach(static_cast<Eigen::Index>(mover.first) + c);
        r = std::max(r, std::hypot(J[c], J[mover.dof + c], J[2 * mover.dof + c]));
      }
    }
  }
  return reach;
}

VecX perturbed(const Problem& problem, double uncertainty, Random& random) {
  VecX u = problem.u();
  const VecX reach = contact_reach(problem);
  const double size = uncertainty * problem.speed();
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    const double draw = random.symmetric();
    if (reach(i) > 0) u(i) += size / reach(i) * draw;
  }
  return u;
}

TieGrid::TieGrid(double speed) : shift_(speed > 0 ? std::ldexp(1.5, std::ilogb(speed) + 1 - 44 + 52) : 0) {}

double TieGrid::operator()(double approach) const {
  if (!(approach > 0)) return 0;
  // x + 1.5·2⁵² q is a multiple of q; then the mantissa to 33 bits.
  const double coarse = approach < shift_ ? (approach + shift_) - shift_ : approach;
  const auto bits = std::bit_cast<std::uint64_t>(coarse);
  constexpr std::uint64_t step = std::uint64_t{1} << 19U;
  return std::bit_cast<double>((bits + step / 2) & ~(step - 1));
}

}  // namespace ricochet
