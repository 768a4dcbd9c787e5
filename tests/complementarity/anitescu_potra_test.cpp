#include "ricochet/complementarity/anitescu_potra.hpp"

#include "joint_arrangements.hpp"
#include "ricochet/complementarity/coulomb.hpp"
#include "ricochet/complementarity/pfeiffer_glocker.hpp"
#include "ricochet/complementarity/plastic.hpp"

namespace ricochet {
namespace {

using namespace testing;

Assembled made(const BodyScene& a) {
  auto assembled = assemble(a);
  EXPECT_TRUE(assembled) << assembled.error().message();
  return *std::move(assembled);
}

BodyScene rough_graph(Rng& rng, std::size_t bodies, std::size_t contacts, std::size_t walls, double most_mu) {
  BodyScene a = random_graph(rng, bodies, contacts, walls);
  for (ContactSpec& t : a.contacts) t.law = AnitescuPotra{.e_k = uniform(rng, 0, 1), .mu = uniform(rng, 0, most_mu)};
  return a;
}

TEST(SpatialTwoPhase, OneContact_IsItsLaw) {
  Rng rng(41);
  int collided = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const BodyScene a = rough_graph(rng, 2, 1, rng() % 2, 1.2);
    const Assembled assembled = made(a);
    const Contact& contact = assembled.problem.contacts()[0].contact;
    const auto out = resolve_anitescu_potra(assembled.problem);
    ASSERT_TRUE(out) << trial << ' ' << out.error().message();
    const auto law = collide(a.contacts[0].law, contact);
    ASSERT_TRUE(law) << law.error().message();
    collided += law->P.norm() > 0;
    EXPECT_LT((out->G[0] - law->P).norm(), 1e-7 * (1 + law->P.norm())) << trial;
    EXPECT_FALSE(out->gains_energy());
  }
  EXPECT_GT(collided, 800);
}

/// Projection of each contact's impulse on its cone against the bipotential's velocity, with short steps: slow, and
/// nothing like Gauss and Seidel.
VecX by_short_steps(const ContactSpace& space, const VecX& mu) {
  double size = 0;
  for (std::size_t i = 0; i < space.size(); ++i) {
    double row = 0;
    for (std::size_t b = space.W.start[i]; b < space.W.start[i + 1]; ++b) row += space.W.block[b].norm();
    size = std::max(size, row);
  }
  VecX G = VecX::Zero(space.U.size());
  for (int step = 0; step < 200000; ++step) {
    const VecX U = space.U + times(space.W, G);
    double moved = 0;
    for (Eigen::Index i = 0; i < mu.size(); ++i) {
      const Vec3 V = U.segment<3>(3 * i);
      Vec3 P = G.segment<3>(3 * i) - (V + Vec3(mu(i) * V.tail<2>().norm(), 0, 0)) / size;
      const double t = P.tail<2>().norm();
      if (mu(i) * t <= -P(0)) {
        P.setZero();
      } else if (t > mu(i) * P(0)) {
        const double n = (P(0) + mu(i) * t) / (1 + mu(i) * mu(i));
        P.tail<2>() *= mu(i) * n / t;
        P(0) = n;
      }
      moved = std::max(moved, (P - G.segment<3>(3 * i)).norm());
      G.segment<3>(3 * i) = P;
    }
    if (moved < 1e-14) break;
  }
  return G;
}

TEST(Coulomb, RandomGraphs_AgreeWithShortSteps) {
  Rng rng(42);
  int compared = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const BodyScene a = rough_graph(rng, 2 + rng() % 4, 1 + rng() % 4, 1, 0.4);
    const Assembled assembled = made(a);
    const auto space = contact_space(assembled.problem);
    ASSERT_TRUE(space);
    const auto given = parameters(assembled.problem, *space);
    VecX mu(static_cast<Eigen::Index>(given->size()));
    for (std::size_t i = 0; i < given->size(); ++i) mu(static_cast<Eigen::Index>(i)) = (*given)[i].mu;
    const auto found = solve_coulomb(space->W, space->U, mu);
    ASSERT_TRUE(found) << trial << ' ' << found.error().message();
    const VecX G = by_short_steps(*space, mu);
    const VecX U = space->U + times(space->W, G);
    if (coulomb_residual(space->W, G, U, mu, VecX::Zero(mu.size())) > 1e-9) continue;
    ++compared;
    EXPECT_LT((U - found->U).cwiseAbs().maxCoeff(), 1e-6) << trial;
  }
  EXPECT_GT(compared, 100);
}

TEST(SpatialTwoPhase, RandomGraphs_AreInTheirConesAndPart) {
  Rng rng(43);
  int gains = 0;
  int refused = 0;
  for (int trial = 0; trial < 120; ++trial) {
    BodyScene a = rough_graph(rng, 3 + rng() % 5, 2 + rng() % 8, 1, 0.8);
    const bool equal = trial % 2 == 0;
    for (ContactSpec& t : a.contacts)
      if (equal) std::get<AnitescuPotra>(t.law).e_k = std::get<AnitescuPotra>(a.contacts[0].law).e_k;
    const Assembled assembled = made(a);
    const auto out = resolve_anitescu_potra(assembled.problem);
    if (!out) {
      EXPECT_EQ(out.error().path, "solver");
      ++refused;
      continue;
    }
    expect_consistent(a, assembled, *out, 1e-6);
    expect_in_cones(a, *out, *parameters(assembled.problem, *contact_space(assembled.problem)), 1e-7);
    EXPECT_LE(out->residual, 1e-8);
    if (equal) {
      EXPECT_FALSE(out->gains_energy()) << trial;  // (LC13)
    }
    gains += out->gains_energy();
  }
  EXPECT_LT(refused, 12);
  RecordProperty("gains", gains);
  RecordProperty("refused", refused);
}

TEST(SpatialTwoPhase, WithoutFrictionAndRestitution_IsPlastic) {
  Rng rng(44);
  for (int trial = 0; trial < 200; ++trial) {
    BodyScene a = random_graph(rng, 4, 1 + rng() % 6, 1);
    for (ContactSpec& t : a.contacts) t.law = Frictionless{0};
    const Assembled assembled = made(a);
    const auto out = resolve_anitescu_potra(assembled.problem);
    const auto plastic = resolve_plastic(assembled.problem);
    ASSERT_TRUE(out) << trial << ' ' << out.error().message();
    ASSERT_TRUE(plastic);
    for (std::size_t i = 0; i < a.contacts.size(); ++i) EXPECT_LT((out->V[i] - plastic->V[i]).norm(), 1e-6) << trial;
  }
}

TEST(SpatialTwoPhase, InThePlane_AgreesWithPivots) {
  Rng rng(45);
  int compared = 0;
  int refused = 0;
  for (int trial = 0; trial < 200; ++trial) {
    BodyScene a = random_planar_graph(rng, 3, 1 + rng() % 3, 1);
    for (ContactSpec& t : a.contacts) {
      auto& law = std::get<PfeifferGlocker>(t.law);
      law.nu = 0;
      law.mu *= 0.4;
    }
    const Assembled assembled = made(a);
    const auto flat = resolve_pfeiffer_glocker(assembled.problem);
    const auto out = resolve_anitescu_potra(assembled.problem);
    ASSERT_TRUE(flat) << flat.error().message();
    if (!out) {
      EXPECT_EQ(out.error().path, "solver");
      ++refused;
      continue;
    }
    if (out->singular != false) continue;
    ++compared;
    for (std::size_t i = 0; i < a.contacts.size(); ++i) EXPECT_LT((out->V[i] - flat->V[i]).norm(), 1e-6) << trial;
  }
  EXPECT_GT(compared, 50);
  EXPECT_LT(refused, 5);
}

}  // namespace
}  // namespace ricochet
