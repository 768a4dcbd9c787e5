#include "ricochet/simultaneous/block_mobility.hpp"

#include <algorithm>

namespace ricochet {

std::vector<Vec3> BlockMatrix::times(const std::vector<Vec3>& G) const {
  std::vector<Vec3> out(start.size() - 1, Vec3::Zero());
  for (std::size_t i = 0; i + 1 < start.size(); ++i)
    for (std::size_t b = start[i]; b < start[i + 1]; ++b) out[i] += block[b] * G[column[b]];
  return out;
}

BlockMatrix mobility(const Problem& problem) {
  using Map = Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>>;
  using MapL = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>>;
  BlockMatrix W;
  const auto& contacts = problem.contacts();
  W.start.push_back(0);
  std::vector<std::uint32_t> row;
  for (const ProblemContact& place : contacts) {
    row.clear();
    for (int s = 0; s < place.side_count; ++s) {
      const auto& there = problem.on(place.sides[static_cast<std::size_t>(s)].system);
      row.insert(row.end(), there.begin(), there.end());
    }
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (const std::uint32_t j : row) {
      Mat3 block = Mat3::Zero();
      const ProblemContact& other = contacts[j];
      for (int s = 0; s < place.side_count; ++s)
        for (int t = 0; t < other.side_count; ++t) {
          const ContactSide& a = place.sides[static_cast<std::size_t>(s)];
          const ContactSide& b = other.sides[static_cast<std::size_t>(t)];
          if (a.system != b.system) continue;
          const int dof = problem.systems()[a.system].dof;
          block += Map(problem.J(a), 3, dof).lazyProduct(MapL(problem.L(b), dof, 3));
        }
      W.column.push_back(j);
      W.block.push_back(block);
    }
    W.start.push_back(W.column.size());
  }
  return W;
}

}  // namespace ricochet
