#include "ricochet/simultaneous/ties.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "ricochet/simultaneous/plane.hpp"

namespace ricochet {

std::vector<std::uint64_t> ranks_along_direction(const Problem& problem) {
  // √2 − 1, √3 − 1, √5 − 2: unlikely to be perpendicular to a plane or axis of symmetry of a scene.
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
  for (const ProblemContact& place : problem.contacts()) {
    for (int s = 0; s < place.side_count; ++s) {
      const ContactSide& side = place.sides[static_cast<std::size_t>(s)];
      const DynamicSystem& system = problem.systems()[side.system];
      const auto first = static_cast<Eigen::Index>(system.first);
      if (system.body >= 0) {
        // Not |e_i × r| axis by axis: an arm of rounding size would make any spin about that axis negligible. tr J is 2
        // Σ m r², so that the second length is the root mean square distance of the mass from its centre.
        const RigidBody& body = problem.bodies()[static_cast<std::size_t>(system.body)];
        const double radius =
            std::max((place.point - body.position).norm(), std::sqrt(body.inertia.trace() / (2 * body.mass)));
        reach.segment<3>(first).setOnes();
        reach.segment<3>(first + 3) = reach.segment<3>(first + 3).cwiseMax(radius);
        continue;
      }
      const double* J = problem.J(side);
      for (int c = 0; c < system.dof; ++c)
        reach(first + c) = std::max(reach(first + c), std::hypot(J[c], J[system.dof + c], J[2 * system.dof + c]));
    }
  }
  return reach;
}

namespace {

using MapJ = Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>>;
using MapL = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>>;

/// A mechanism is moved by impulses at its contacts: 𝓜⁻¹Jᵀ gives only possible motions, whereas independent
/// perturbations of the speeds would open its hinges. With w_c = tr J_c L_c, ‖J_j L_c q‖ ≤ √(w_j w_c) ‖q‖
/// (Cauchy–Schwarz), which bounds the effect of the impulse at c on any contact (Q9).
void move_mechanism(const Problem& problem, std::size_t index, double size, const std::optional<Vec3>& across,
                    Random& random, VecX& u) {
  const DynamicSystem& system = problem.systems()[index];
  const auto side_of = [&](std::uint32_t c) -> const ContactSide& {
    const ProblemContact& place = problem.contacts()[c];
    return place.sides[place.sides[0].system == index ? 0 : 1];
  };
  const auto mobility_of = [&](const ContactSide& side) {
    return MapJ(problem.J(side), 3, system.dof).lazyProduct(MapL(problem.L(side), system.dof, 3)).trace();
  };
  const std::vector<std::uint32_t>& contacts = problem.on(index);
  double largest = 0;
  for (const std::uint32_t c : contacts) largest = std::max(largest, mobility_of(side_of(c)));
  for (const std::uint32_t c : contacts) {
    const double x = random.symmetric();
    const double y = random.symmetric();
    const double z = random.symmetric();
    const ContactSide& side = side_of(c);
    const double own = mobility_of(side);
    if (!(own > 1e-12 * largest)) continue;  // immovable up to rounding
    const double scale = size / std::sqrt(3 * largest * own * static_cast<double>(contacts.size()));
    u.segment(static_cast<Eigen::Index>(system.first), system.dof) +=
        MapL(problem.L(side), system.dof, 3).lazyProduct(scale * in_plane({x, y, z}, across));
  }
}

}  // namespace

VecX perturbed(const Problem& problem, double uncertainty, Random& random) {
  VecX u = problem.u();
  const VecX reach = contact_reach(problem);
  const double size = uncertainty * problem.speed();
  const std::optional<Vec3> across = across_plane(problem);
  for (std::size_t m = 0; m < problem.systems().size(); ++m) {
    const DynamicSystem& system = problem.systems()[m];
    if (system.body < 0) {
      move_mechanism(problem, m, size, across, random, u);
      continue;
    }
    if (system.dof == 0) continue;
    Eigen::Matrix<double, 6, 1> by;
    for (int k = 0; k < 6; ++k) {
      const double draw = random.symmetric();
      const double r = reach(static_cast<Eigen::Index>(system.first) + k);
      by(k) = r > 0 ? size / r * draw : 0;
    }
    const auto first = static_cast<Eigen::Index>(system.first);
    const Vec3 turn = by.tail<3>();
    u.segment<3>(first) += in_plane(by.head<3>(), across);
    u.segment<3>(first + 3) += across ? Vec3(across->dot(turn) * *across) : turn;
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
