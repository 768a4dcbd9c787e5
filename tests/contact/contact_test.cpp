#include "ricochet/contact/contact.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <string>

#include "numbers.hpp"
#include "random_contact.hpp"

namespace ricochet {
namespace {

using namespace testing;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using testing::infinity;
const Vec3 down(0, 0, -1);
const Vec3 up = Vec3::UnitZ();

::testing::AssertionResult refused(const Expected<Contact>& result, const std::string& field, const std::string& word) {
  if (result) return ::testing::AssertionFailure() << "accepted";
  if (result.error().path == field && result.error().allowed.find(word) != std::string::npos)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << result.error().message();
}

TEST(Contact, MassAndMobilityAreInverse_WhicheverIsGiven) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Rng rng(seed);
    const Mat3 A = random_mass(rng, 6);
    const Contact by_mass = contact_from_mass(A, down, up).value();
    const Contact by_mobility = contact_from_mobility(A, down, up).value();
    RC_ASSERT(by_mass.M == A);
    RC_ASSERT(by_mobility.W == A);
    RC_ASSERT((by_mass.W - by_mobility.M).norm() <= 1e-14 * by_mass.W.norm());
    // The inverse of a matrix of condition κ is good to about κ ε, and the product with it likewise.
    RC_ASSERT((by_mass.M * by_mass.W - Mat3::Identity()).norm() <= 1e-15 * by_mass.M.norm() * by_mass.W.norm() * 10);
  }));
}

TEST(Contact, LocalAxesKeepSpeedEnergyAndTheSignOfSlip) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Rng rng(seed);
    const Contact contact = random_contact(rng, 4);
    const auto local = localize<double>(contact);
    RC_ASSERT((local.R.transpose() * local.R - Mat3::Identity()).norm() <= 1e-14);
    RC_ASSERT(std::abs(local.R.determinant() - 1) <= 1e-14);
    RC_ASSERT((local.R.col(0) - contact.n).norm() <= 1e-15);
    RC_ASSERT(local.V(1) <= 0);
    RC_ASSERT((local.R * local.V - contact.V).norm() <= 1e-14 * contact.V.norm());
    const double energy = contact.V.dot(contact.M * contact.V);
    const double scale = contact.M.norm() * contact.V.squaredNorm();
    RC_ASSERT(std::abs(local.V.dot(local.M * local.V) - energy) <= 1e-13 * scale);
  }));
}

TEST(Contact, NormalIsMadeUnitLength) {
  const auto contact = contact_from_mass(Mat3::Identity(), down, Vec3(0, 0, 1e-200));
  ASSERT_TRUE(contact);
  EXPECT_EQ(contact->n, up);
}

TEST(Contact, RefusesWhatIsNotANumber) {
  Mat3 A = Mat3::Identity();
  for (const double x : {nan, infinity, -infinity}) {
    A(2, 1) = x;
    EXPECT_TRUE(refused(contact_from_mass(A, down, up), "M", "finite"));
    EXPECT_TRUE(refused(contact_from_mobility(A, down, up), "W", "finite"));
    EXPECT_TRUE(refused(contact_from_mass(Mat3::Identity(), Vec3(0, x, 0), up), "V", "finite"));
    EXPECT_TRUE(refused(contact_from_mass(Mat3::Identity(), down, Vec3(0, x, 0)), "n", "finite"));
  }
  EXPECT_TRUE(refused(contact_from_mass(Mat3::Identity(), down, Vec3::Zero()), "n", "zero"));
}

TEST(Contact, RefusesAMatrixThatIsNotSymmetric) {
  Mat3 A = 2 * Mat3::Identity();
  A(0, 1) = 1e-6;
  EXPECT_TRUE(refused(contact_from_mass(A, down, up), "M", "symmetric"));
  EXPECT_TRUE(refused(contact_from_mobility(A, down, up), "W", "symmetric"));
}

TEST(Contact, RefusesNegativeMass) {
  const Mat3 A = Vec3(1, -1e-3, 1).asDiagonal();
  EXPECT_TRUE(refused(contact_from_mass(A, down, up), "M", "positive definite"));
  EXPECT_TRUE(refused(contact_from_mobility(A, down, up), "W", "positive semidefinite"));
}

TEST(Contact, MasslessDirectionIsRefusedButImmovableOneIsNot) {
  // diag(0, ...) as M: any impulse along x gives unbounded speed. As W: a hinge lets nothing move along x.
  const Mat3 A = Vec3(0, 2, 3).asDiagonal();
  EXPECT_TRUE(refused(contact_from_mass(A, down, up), "M", "line"));
  const auto hinge = contact_from_mobility(A, down, up);
  ASSERT_TRUE(hinge) << hinge.error().message();
  EXPECT_TRUE(hinge->immovable);
  EXPECT_LE((hinge->M - Mat3(Vec3(0, 0.5, 1.0 / 3).asDiagonal())).norm(), 1e-15);
}

TEST(Contact, HingeThatIsAlreadyBrokenIsRefused) {
  const Mat3 W = Vec3(0, 2, 3).asDiagonal();
  EXPECT_TRUE(refused(contact_from_mobility(W, Vec3(1, 0, -1), up), "V", "immovable"));
}

TEST(Contact, PlaneOfALinkageIsKeptExactly_HoweverItLiesInSpace) {
  Rng rng(7);
  for (int i = 0; i < 200; ++i) {
    const Mat3 R = random_rotation(rng);  // columns: normal, along, across
    const double a = uniform(rng, 0.1, 2), b = uniform(rng, 0.1, 2), c = uniform(rng, -0.9, 0.9) * std::sqrt(a * b);
    Mat3 W;
    W << a, c, 0, c, b, 0, 0, 0, 0;
    const double slip = chance(rng, 0.2) ? 0 : chance(rng, 0.2) ? 1e-11 : uniform(rng, -1, 1);
    const Mat3 turned = R * W * R.transpose();
    const auto contact = contact_from_mobility(0.5 * (turned + turned.transpose()), R * Vec3(-1, slip, 0), R.col(0));
    ASSERT_TRUE(contact) << contact.error().message();
    const Local<double> local = localize<double>(*contact);
    EXPECT_EQ(local.W.row(2).norm() + local.W.col(2).norm() + local.V(2), 0);
    EXPECT_NEAR(std::abs(local.R.col(2).dot(R.col(2))), 1, 1e-14);
    EXPECT_NEAR(local.V(1), -std::abs(slip), 1e-15);
    EXPECT_LT((local.R * local.W * local.R.transpose() - contact->W).norm(), 1e-14);
    EXPECT_LT((local.R.transpose() * local.R - Mat3::Identity()).norm(), 1e-14);
  }
}

TEST(Contact, NothingCanMove) { EXPECT_TRUE(refused(contact_from_mobility(Mat3::Zero(), down, up), "W", "can move")); }

TEST(Contact, MassSingularToWorkingPrecisionIsReferredToW) {
  const Mat3 M = Vec3(1, 1, 1e-15).asDiagonal();
  EXPECT_TRUE(refused(contact_from_mass(M, down, up), "M", "give W"));
}

}  // namespace
}  // namespace ricochet
