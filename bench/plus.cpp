#include "plus.hpp"

#include <Simbody.h>

#include <chrono>
#include <exception>
#include <vector>

namespace ricochet::bench {
namespace {

using SimTK::ImpulseSolver;
using SimTK::MultiplierIndex;

/// Slips below which Simbody takes a contact as rolling, and approaches below which it leaves it alone: those of its
/// time stepper unless told otherwise [m/s].
constexpr double rolling = 2e-3, resting = 1e-4;

MultiplierIndex row(int contact, int axis) { return MultiplierIndex(3 * contact + axis); }

/// Multipliers are minus impulses here.
class Rounds {
 public:
  SimTK::Vector V;      ///< velocities of the contacts
  SimTK::Vector total;  ///< multipliers so far

  Rounds(const Eigen::MatrixXd& W, const Eigen::VectorXd& V_before, double mu)
      : count_(static_cast<int>(V_before.size() / 3)) {
    const int rows = 3 * count_;
    A_.resize(rows, rows);
    none_.resize(rows);
    none_.setToZero();
    V = total = none_;
    for (int c = 0; c < rows; ++c) {
      for (int r = 0; r < rows; ++r) A_(r, c) = W(r, c);
      V[c] = V_before(c);
    }
    for (int i = 0; i < count_; ++i) {
      ImpulseSolver::UniContactRT touch;
      touch.m_ucx = SimTK::UnilateralContactIndex(i);
      touch.m_Nk = row(i, 0);
      if (mu > 0) {
        touch.m_Fk.push_back(row(i, 1));
        touch.m_Fk.push_back(row(i, 2));
      }
      touch.m_effMu = mu;
      touch.m_effCOR = 0;
      touches_.push_back(touch);
    }
  }

  [[nodiscard]] std::vector<int> approaching() const {
    std::vector<int> out;
    for (int i = 0; i < count_; ++i)
      if (V[row(i, 0)] < -resting) out.push_back(i);
    return out;
  }

  [[nodiscard]] const SimTK::Vector& none() const { return none_; }

  /// Impulses in reaction to V and to `expansion`, which is zero but for the normals of `expanding`.
  SimTK::Vector react(int phase, const std::vector<int>& expanding, const SimTK::Vector& expansion) {
    SimTK::Array_<MultiplierIndex> participating, known;
    for (ImpulseSolver::UniContactRT& touch : touches_) touch.m_type = ImpulseSolver::Participating;
    for (const int i : expanding) {
      touches_[i].m_type = ImpulseSolver::Known;
      known.push_back(row(i, 0));
    }
    for (const ImpulseSolver::UniContactRT& touch : touches_) {
      if (touch.m_type == ImpulseSolver::Participating) participating.push_back(touch.m_Nk);
      for (const MultiplierIndex friction : touch.m_Fk) participating.push_back(friction);
    }
    SimTK::Vector left = expansion, applied = none_, reaction = none_;
    SimTK::Array_<ImpulseSolver::UncondRT> joints;
    SimTK::Array_<ImpulseSolver::UniSpeedRT> ratchets;
    SimTK::Array_<ImpulseSolver::BoundedRT> motors;
    SimTK::Array_<ImpulseSolver::ConstraintLtdFrictionRT> bearings;
    SimTK::Array_<ImpulseSolver::StateLtdFrictionRT> soft_contacts;
    // What it returns is false whatever happens (3.7).
    static_cast<void>(solver_.solve(phase, participating, A_, none_, known, left, V, applied, reaction, joints,
                                    touches_, ratchets, motors, bearings, soft_contacts));
    total += reaction;
    total += expansion;
    return reaction;
  }

 private:
  int count_;
  SimTK::PLUSImpulseSolver solver_{rolling};
  SimTK::Matrix A_;
  SimTK::Vector none_;
  SimTK::Array_<ImpulseSolver::UniContactRT> touches_;
};

}  // namespace

PlusAnswer by_plus(const Eigen::MatrixXd& W, const Eigen::VectorXd& V, double e, double mu) {
  PlusAnswer out;
  Rounds rounds(W, V, mu);
  const auto begin = std::chrono::steady_clock::now();
  try {
    const std::vector<int> struck = rounds.approaching();
    const SimTK::Vector compression = rounds.react(0, {}, rounds.none());
    SimTK::Vector expansion = rounds.none();
    std::vector<int> expanding;
    for (const int i : struck) {
      expansion[row(i, 0)] = e * compression[row(i, 0)];
      if (expansion[row(i, 0)] != 0) expanding.push_back(i);
    }
    if (!expanding.empty()) {
      rounds.react(1, expanding, expansion);
      if (!rounds.approaching().empty()) rounds.react(2, {}, rounds.none());
    }
  } catch (const std::exception& fault) {
    out.fault = fault.what();
  }
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  out.G.resize(V.size());
  for (Eigen::Index i = 0; i < V.size(); ++i) out.G(i) = -rounds.total[static_cast<int>(i)];
  return out;
}

}  // namespace ricochet::bench
