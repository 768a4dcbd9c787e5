#include "ricochet/complementarity/pfeiffer_glocker.hpp"

#include <Eigen/LU>

#include "joint_arrangements.hpp"
#include "ricochet/base/error_path.hpp"

namespace ricochet {
namespace {

using namespace testing;

Assembled made(const BodyScene& a) {
  auto assembled = assemble(a);
  EXPECT_TRUE(assembled) << assembled.error().message();
  return *std::move(assembled);
}

TEST(PlanarTwoPhase, OneContact_IsItsLaw) {
  Rng rng(31);
  int collided = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const BodyScene a = random_planar_graph(rng, 2, 1, rng() % 2);
    const Assembled assembled = made(a);
    const auto out = resolve_pfeiffer_glocker(assembled.problem);
    ASSERT_TRUE(out) << trial << ' ' << out.error().message();
    const auto law = collide(a.contacts[0].law, assembled.problem.contacts()[0].contact);
    ASSERT_TRUE(law) << law.error().message();
    collided += law->P.norm() > 0;
    EXPECT_LT((out->G[0] - law->P).norm(), 1e-9 * (1 + law->P.norm())) << trial;
    EXPECT_NEAR(out->energy_change, law->energy_change, 1e-9);
  }
  EXPECT_GT(collided, 800);
}

TEST(PlanarTwoPhase, NothingApproaches_NothingHappens_AndNoEnergyIsGained) {
  Rng rng(32);
  for (int trial = 0; trial < 500; ++trial) {
    BodyScene a = random_planar_graph(rng, 2 + rng() % 4, 1 + rng() % 4, rng() % 2);
    const Assembled before = made(a);
    for (std::size_t i = 0; i < a.contacts.size(); ++i)
      if (a.contacts[i].n.dot(before.problem.contacts()[i].contact.V) < 0) a.contacts[i].n = -a.contacts[i].n;
    const auto out = resolve_pfeiffer_glocker(made(a).problem);
    ASSERT_TRUE(out) << trial << ' ' << out.error().message();
    for (const Vec3& P : out->G) EXPECT_LT(P.norm(), 1e-12) << trial;
    EXPECT_FALSE(out->gains_energy()) << trial << ' ' << out->energy_change;
  }
}

/// All answers of two phases in the plane, by trying every state of every contact. (P_n, P_t) of each contact in turn.
class EveryState {
 public:
  EveryState(MatX W, VecX U, std::vector<PfeifferGlocker> laws)
      : W_(std::move(W)), U_(std::move(U)), laws_(std::move(laws)), k_(laws_.size()) {}

  [[nodiscard]] std::vector<VecX> answers() const {
    std::vector<VecX> out;
    const std::vector<VecX> compressions = phase(U_, nullptr);
    for (const VecX& c : compressions)
      for (const VecX& e : phase(U_ + W_ * c, &c)) out.push_back(c + e);
    return out;
  }

 private:
  /// Normal: impulse at its bound, or speed zero. Tangential: at the upper bound, at the lower, or speed zero.
  [[nodiscard]] std::vector<VecX> phase(const VecX& U, const VecX* c) const {
    std::vector<VecX> out;
    std::size_t states = 1;
    for (std::size_t i = 0; i < k_; ++i) states *= 6;
    const auto n = static_cast<Eigen::Index>(2 * k_);
    for (std::size_t state = 0; state < states; ++state) {
      MatX A = MatX::Zero(n, n);
      VecX b = VecX::Zero(n);
      std::size_t rest = state;
      for (std::size_t i = 0; i < k_; ++i, rest /= 6) {
        const auto r = static_cast<Eigen::Index>(2 * i);
        const Limits l = limits(i, c);
        if (rest % 6 < 3) {
          A(r, r) = 1;
          b(r) = l.least;
        } else {
          A.row(r) = W_.row(r);
          b(r) = -U(r);
        }
        if (rest % 3 == 2) {
          A.row(r + 1) = W_.row(r + 1);
          b(r + 1) = -U(r + 1);
        } else {
          A(r + 1, r + 1) = 1;
          A(r + 1, r) = -(rest % 3 == 0 ? l.high : l.low);
          b(r + 1) = rest % 3 == 0 ? l.high_0 : l.low_0;
        }
      }
      Eigen::FullPivLU<MatX> lu(A);
      lu.setThreshold(1e-10);
      if (!lu.isInvertible()) continue;
      const VecX P = lu.solve(b);
      const VecX V = U + W_ * P;
      bool fine = true;
      rest = state;
      for (std::size_t i = 0; i < k_; ++i, rest /= 6) {
        const auto r = static_cast<Eigen::Index>(2 * i);
        const Limits l = limits(i, c);
        const double tiny = 1e-9;
        fine = fine && P(r) >= l.least - tiny && V(r) >= -tiny;
        fine = fine && P(r + 1) <= l.high * P(r) + l.high_0 + tiny && P(r + 1) >= l.low * P(r) + l.low_0 - tiny;
        const bool empty = l.high * P(r) + l.high_0 - l.low * P(r) - l.low_0 < tiny;
        if (rest % 3 == 0) fine = fine && (V(r + 1) <= tiny || empty);
        if (rest % 3 == 1) fine = fine && (V(r + 1) >= -tiny || empty);
      }
      if (fine) out.push_back(P);
    }
    return out;
  }

  struct Limits {  ///< low P_n + low_0 ≤ P_t ≤ high P_n + high_0
    double least, low, low_0, high, high_0;
  };
  [[nodiscard]] Limits limits(std::size_t i, const VecX* c) const {
    const PfeifferGlocker& law = laws_[i];
    if (c == nullptr) return {0, -law.mu, 0, law.mu, 0};
    const auto r = static_cast<Eigen::Index>(2 * i);
    const double P_t = (*c)(r + 1);
    const double least = law.e_k * (*c)(r);
    if (std::abs(P_t) < 1e-12) return {least, -law.mu, 0, law.mu, 0};
    const double stored = law.nu * law.e_t * law.e_k * std::abs(P_t);
    if (P_t > 0) return {least, -(1 - law.nu) * law.mu, stored, law.mu, 0};
    return {least, -law.mu, 0, (1 - law.nu) * law.mu, -stored};
  }

  MatX W_;
  VecX U_;
  std::vector<PfeifferGlocker> laws_;
  std::size_t k_;
};

TEST(PlanarTwoPhase, FewContacts_IsOneOfAllAnswers) {
  Rng rng(32);
  int collided = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const BodyScene a = random_planar_graph(rng, 2 + rng() % 3, 1 + rng() % 3, rng() % 2);
    const Assembled assembled = made(a);
    const auto out = resolve_pfeiffer_glocker(assembled.problem);
    ASSERT_TRUE(out) << trial << ' ' << out.error().message();
    expect_consistent(a, assembled, *out, 1e-8);
    const auto space = contact_space(assembled.problem);
    expect_in_cones(a, *out, *parameters(assembled.problem, *space), 1e-8);

    const auto k = static_cast<Eigen::Index>(a.contacts.size());
    const BlockMatrix blocks = mobility(assembled.problem);
    MatX W = MatX::Zero(2 * k, 2 * k);
    VecX U(2 * k);
    VecX G(2 * k);
    std::vector<PfeifferGlocker> laws;
    std::vector<Eigen::Matrix<double, 3, 2>> axes;
    for (const ContactSpec& t : a.contacts) {
      Eigen::Matrix<double, 3, 2> frame;
      frame << t.n.normalized(), Vec3::UnitY().cross(t.n).normalized();
      axes.push_back(frame);
      laws.push_back(std::get<PfeifferGlocker>(t.law));
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const auto r = static_cast<Eigen::Index>(2 * i);
      U.segment<2>(r) = axes[i].transpose() * assembled.problem.contacts()[i].contact.V;
      G.segment<2>(r) = axes[i].transpose() * out->G[i];
      for (std::size_t b = blocks.start[i]; b < blocks.start[i + 1]; ++b)
        W.block<2, 2>(r, static_cast<Eigen::Index>(2 * blocks.column[b])) =
            axes[i].transpose() * blocks.block[b] * axes[blocks.column[b]];
    }
    Eigen::FullPivLU<MatX> lu(W);
    lu.setThreshold(1e-8);
    if (!lu.isInvertible()) continue;  // a continuum of answers
    const auto all = EveryState(W, U, laws).answers();
    ASSERT_FALSE(all.empty()) << trial;
    double nearest = 1e300;
    for (const VecX& one : all) nearest = std::min(nearest, (one - G).norm());
    EXPECT_LT(nearest, 1e-7 * (1 + G.norm())) << trial;
    collided += G.norm() > 1e-9;
  }
  EXPECT_GT(collided, 150);
}

/// G13 part II. What the bodies have before and after decides, not the sum over impulses.
TEST(PlanarTwoPhase, UnequalRestitution_CanGainEnergy_AndSaysSo) {
  Rng rng(33);
  int gains = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    BodyScene a = random_planar_graph(rng, 2 + rng() % 2, 2 + rng() % 3, 1);
    for (ContactSpec& t : a.contacts) {
      auto& law = std::get<PfeifferGlocker>(t.law);
      law.e_k = rng() % 2 == 0 ? 0 : 1;
      law.mu = uniform(rng, 0, 3);
    }
    const Assembled assembled = made(a);
    const auto out = resolve_pfeiffer_glocker(assembled.problem);
    if (!out) continue;
    const double before = energy(a.bodies);
    const double change = energy(moved(a, assembled, out->u)) - before;
    if (std::abs(change) < 1e-6 * before) continue;
    EXPECT_EQ(out->gains_energy(), change > 0) << trial << ' ' << change;
    gains += change > 0;
  }
  EXPECT_GT(gains, 5);
}

TEST(PlanarTwoPhase, LargerGraphs_EnergyIsToldAsItIs) {
  Rng rng(33);
  int gains = 0;
  for (int trial = 0; trial < 150; ++trial) {
    BodyScene a = random_planar_graph(rng, 4 + rng() % 6, 4 + rng() % 12, 1);
    const bool equal = trial % 2 == 0;
    const double e_k = uniform(rng, 0, 1);
    for (ContactSpec& t : a.contacts)
      if (equal) std::get<PfeifferGlocker>(t.law).e_k = e_k;
    const Assembled assembled = made(a);
    const auto out = resolve_pfeiffer_glocker(assembled.problem);
    ASSERT_TRUE(out) << trial << ' ' << out.error().message();
    expect_consistent(a, assembled, *out, 1e-7);
    const double change = energy(moved(a, assembled, out->u)) - energy(a.bodies);
    if (std::abs(change) > 1e-6) {
      EXPECT_EQ(out->gains_energy(), change > 0) << trial;
    }
    if (equal) {
      EXPECT_FALSE(out->gains_energy()) << trial;  // (LC13)
    }
    gains += out->gains_energy();
  }
  RecordProperty("gains", gains);
}

TEST(PlanarTwoPhase, OutOfThePlane_IsRefusedByName) {
  BodyScene a = flat_rod(PfeifferGlocker{.e_k = 0.5, .mu = 0.3});
  EXPECT_TRUE(resolve_pfeiffer_glocker(made(a).problem));
  a.bodies[1].velocity = {1, 1, -1};
  a.contacts[1].n = Vec3(0.3, 0, 1);
  const auto out = resolve_pfeiffer_glocker(made(a).problem);
  ASSERT_FALSE(out);
  EXPECT_EQ(path_steps(out.error().path).front().name, "contact") << out.error().path;
}

TEST(PlanarTwoPhase, InfiniteFriction_IsRefused) {
  const BodyScene a = flat_rod(PfeifferGlocker{.e_k = 0.5, .mu = std::numeric_limits<double>::infinity()});
  const auto out = resolve_pfeiffer_glocker(made(a).problem);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().path, "contact[1].mu");
}

}  // namespace
}  // namespace ricochet
