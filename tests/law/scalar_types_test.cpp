/// Algebraic laws and laws by root finding in float, double, long double and dual numbers.
#include "scalar_types.hpp"

#include "ricochet/law/anitescu_potra_kernel.hpp"
#include "ricochet/law/bilinear_kernel.hpp"
#include "ricochet/law/brach_kernel.hpp"
#include "ricochet/law/chatterjee_ruina_kernel.hpp"
#include "ricochet/law/frictionless_kernel.hpp"
#include "ricochet/law/pfeiffer_glocker_kernel.hpp"
#include "ricochet/law/smith_kernel.hpp"
#include "ricochet/law/whittaker_kernel.hpp"

namespace ricochet::testing {
namespace {

double some_e(Rng& rng) { return uniform(rng, 0.1, 0.9); }
double some_mu(Rng& rng) { return uniform(rng, 0.1, 0.8); }

TEST(EveryScalar, Frictionless) {
  expect_every_scalar([](Rng& rng) { return Frictionless{.e = some_e(rng)}; }, random_line);
}
TEST(EveryScalar, ChatterjeeRuina) {
  expect_every_scalar(
      [](Rng& rng) { return ChatterjeeRuina{.e = some_e(rng), .e_t = uniform(rng, -0.9, 0.9), .mu = some_mu(rng)}; },
      random_line);
}
TEST(EveryScalar, ChatterjeeRuina_SmoothTransition) {
  expect_every_scalar(
      [](Rng& rng) {
        return ChatterjeeRuina{
            .e = some_e(rng), .e_t = uniform(rng, -0.9, 0.9), .mu = some_mu(rng), .smooth = uniform(rng, 0.1, 1)};
      },
      random_line);
}
TEST(EveryScalar, Bilinear) {
  expect_every_scalar(
      [](Rng& rng) {
        return Bilinear{.e = some_e(rng), .e_t = uniform(rng, -0.9, 0.9), .mu = some_mu(rng), .tolerance = 1e-5};
      },
      [](Rng& rng) {
        ContactLine line = random_planar_line(rng);
        for (Mat3* A : {&line.M, &line.dM}) *A = Mat3(A->diagonal().asDiagonal());
        return line;
      });
}
TEST(EveryScalar, Brach) {
  expect_every_scalar(
      [](Rng& rng) {
        return Brach{.e = some_e(rng), .mu_2 = uniform(rng, 0, 0.2), .mu_3 = uniform(rng, -0.1, 0.1), .mu = 0.5};
      },
      random_line);
}
TEST(EveryScalar, Whittaker) {
  expect_every_scalar([](Rng& rng) { return Whittaker{.e = some_e(rng), .mu = some_mu(rng)}; }, random_line);
}
TEST(EveryScalar, Smith) {
  expect_every_scalar([](Rng& rng) { return Smith{.e = some_e(rng), .mu = some_mu(rng)}; }, random_line);
}
TEST(EveryScalar, PfeifferGlocker) {
  expect_every_scalar(
      [](Rng& rng) {
        return PfeifferGlocker{
            .e_k = some_e(rng), .nu = uniform(rng, 0.1, 0.9), .e_t = uniform(rng, 0.1, 0.9), .mu = some_mu(rng)};
      },
      random_planar_line);
}
TEST(EveryScalar, AnitescuPotra) {
  expect_every_scalar([](Rng& rng) { return AnitescuPotra{.e_k = some_e(rng), .mu = some_mu(rng)}; }, random_line);
}

}  // namespace
}  // namespace ricochet::testing
