#pragma once
/// Simbody's impulse solver behind plain vectors: its headers need an older C++ than ours.

#include <Eigen/Core>
#include <string>

namespace ricochet::bench {

struct PlusAnswer {
  double seconds = 0;
  Eigen::VectorXd G;  ///< impulses, ordered as V
  std::string fault;  ///< what it threw; empty if nothing
};

/// PLUS (Uchida, Sherman and Delp 2015) as Simbody's time stepper drives it with Poisson's e: compression of all
/// contacts, expansion of those that approached at first, and a plastic correction if some still approach. Contact i
/// has rows 3i (normal), 3i + 1 and 3i + 2 (tangents) of W and V.
[[nodiscard]] PlusAnswer by_plus(const Eigen::MatrixXd& W, const Eigen::VectorXd& V, double e, double mu);

}  // namespace ricochet::bench
