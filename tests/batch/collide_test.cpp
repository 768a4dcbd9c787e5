#include "ricochet/batch/collide.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <cstring>
#include <limits>

#include "batch/columns_of.hpp"
#include "ricochet/batch/answer_kernel.hpp"

namespace ricochet::testing {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<PackWidth> widths() {
  std::vector<PackWidth> out;
  for (const PackWidth width : {PackWidth::sse2, PackWidth::avx2, PackWidth::avx512})
    if (width <= widest_packs()) out.push_back(width);
  return out;
}

bool same_bits(double x, double y) { return std::memcmp(&x, &y, sizeof x) == 0 || (std::isnan(x) && std::isnan(y)); }

/// Compares answer i of a batch with what `collide` says of the same numbers.
void expect_single(const OutcomeColumns<double>& batch, std::size_t i, const Expected<Outcome>& single) {
  if (!single) {
    ASSERT_EQ(batch.status[i], static_cast<std::uint8_t>(status_of(single.error().code))) << i;
    ASSERT_EQ(batch.mode[i], no_answer);
    ASSERT_EQ(batch.termination[i], no_answer);
    ASSERT_EQ(batch.permissible[i], 0);
    for (const auto& column : {batch.P[0], batch.V[2], batch.energy_change, batch.margins[1], batch.friction_work})
      ASSERT_TRUE(std::isnan(column[i]));
    return;
  }
  ASSERT_EQ(batch.status[i], 0) << i;
  const Margins& m = single->certificate.margins;
  const std::vector<std::pair<double, double>> numbers{{batch.P[0][i], single->P(0)},
                                                       {batch.P[1][i], single->P(1)},
                                                       {batch.P[2][i], single->P(2)},
                                                       {batch.V[0][i], single->V(0)},
                                                       {batch.V[1][i], single->V(1)},
                                                       {batch.V[2][i], single->V(2)},
                                                       {batch.energy_change[i], single->energy_change},
                                                       {batch.normal_work[i], single->normal_work},
                                                       {batch.friction_work[i], single->friction_work},
                                                       {batch.margins[0][i], m.energy},
                                                       {batch.margins[1][i], m.separation},
                                                       {batch.margins[2][i], m.compression},
                                                       {batch.margins[3][i], m.friction}};
  for (std::size_t k = 0; k < numbers.size(); ++k)
    ASSERT_TRUE(same_bits(numbers[k].first, numbers[k].second))
        << "collision " << i << ", number " << k << ": " << numbers[k].first << " and " << numbers[k].second;
  ASSERT_EQ(batch.mode[i], static_cast<std::uint8_t>(single->mode)) << i;
  ASSERT_EQ(batch.termination[i], static_cast<std::uint8_t>(single->termination)) << i;
  ASSERT_EQ(batch.permissible[i], single->certificate.permissible ? 1 : 0) << i;
  for (const Condition c : conditions)
    ASSERT_EQ(batch.violated[i] >> static_cast<unsigned>(c) & 1, single->certificate.violated.contains(c) ? 1 : 0) << i;
}

/// What `collide` says of the numbers of collision i, by way of the table of laws.
Expected<Outcome> single(const Batch<double>& batch, std::size_t i) {
  LawParameters parameters = batch.law.parameters;
  for (const auto& number : batch.law.numbers) (void)set(parameters, number.name, Value(number.values[i]));
  const Expected<Law> law = make_law(batch.law.law, parameters);
  if (!law) return tl::unexpected(law.error());
  Mat3 A;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) A(r, c) = batch.matrix[static_cast<std::size_t>(3 * r + c)][i];
  const Vec3 V(batch.V[0][i], batch.V[1][i], batch.V[2][i]), n(batch.n[0][i], batch.n[1][i], batch.n[2][i]);
  const auto contact = batch.contacts.mass_given ? contact_from_mass(A, V, n) : contact_from_mobility(A, V, n);
  if (!contact) return tl::unexpected(contact.error());
  return collide(*law, *contact);
}

void expect_bits_of_collide(const LawInfo& info, std::size_t count) {
  for (const bool mass_given : {true, false}) {
    Batch<double> batch(info, 5, count, mass_given);
    spoil(batch);
    std::vector<Expected<Outcome>> expected;
    std::size_t refused = 0;
    for (std::size_t i = 0; i < count; ++i) {
      expected.push_back(single(batch, i));
      refused += expected.back() ? 0 : 1;
    }
    for (const PackWidth width : widths()) {
      ColumnsOf<double> room(count);
      const OutcomeColumns<double> outcomes = room.outcomes();
      const auto done = collide_batch(batch.law, batch.contacts, outcomes, {.threads = 1, .width = width});
      ASSERT_TRUE(done) << done.error().message();
      EXPECT_EQ(done->refused, refused);
      for (std::size_t i = 0; i < count; ++i) {
        expect_single(outcomes, i, expected[i]);
        if (::testing::Test::HasFatalFailure()) FAIL() << info.name << ", " << name(width);
      }
      if (!runs_in_packs(info.name)) break;
    }
  }
}

TEST(CollideBatch, EveryLaw_HasTheBitsOfASingleCall) {
  for (const LawInfo& info : laws()) {
    if (info.domain != LawDomain::contact) continue;
    SCOPED_TRACE(info.name);
    expect_bits_of_collide(info, runs_in_packs(info.name) ? 6007 : 110);
  }
}

TEST(CollideBatch, AnyNumberOfThreadsAndLanesGivesTheSameBytes) {
  for (const std::string_view law : {"chatterjee-ruina", "pfeiffer-glocker", "routh"}) {
    const std::size_t count = runs_in_packs(law) ? 40013 : 300;
    Batch<double> batch(*find_law(law), 6, count, true);
    spoil(batch);
    ColumnsOf<double> first(count);
    const auto base =
        collide_batch(batch.law, batch.contacts, first.outcomes(), {.threads = 1, .width = PackWidth::sse2});
    ASSERT_TRUE(base);
    for (const unsigned threads : {1U, 2U, 3U, 7U}) {
      for (const PackWidth width : widths()) {
        ColumnsOf<double> other(count);
        const auto done =
            collide_batch(batch.law, batch.contacts, other.outcomes(), {.threads = threads, .width = width});
        ASSERT_TRUE(done);
        EXPECT_EQ(done->refused, base->refused);
        EXPECT_EQ(done->first_refused, base->first_refused);
        EXPECT_EQ(other.bytes(), first.bytes());
        for (std::size_t k = 0; k < first.numbers().size(); ++k)
          ASSERT_EQ(0, std::memcmp(other.numbers()[k].data(), first.numbers()[k].data(), count * sizeof(double)))
              << law << ", column " << k << ", " << threads << " threads, " << name(width);
      }
    }
  }
}

TEST(CollideBatch, GapsBetweenNumbersAreLeftAsTheyAre) {
  const std::size_t count = 37, stride = 3;
  const LawInfo& info = *find_law("brach");
  Batch<double> near(info, 7, count, true), far(info, 7, count, true, stride);
  ColumnsOf<double> near_room(count), far_room(count, stride);
  ASSERT_TRUE(collide_batch(near.law, near.contacts, near_room.outcomes()));
  ASSERT_TRUE(collide_batch(far.law, far.contacts, far_room.outcomes()));
  for (std::size_t k = 0; k < near_room.numbers().size(); ++k)
    for (std::size_t i = 0; i < count * stride; ++i)
      ASSERT_TRUE(same_bits(far_room.numbers()[k][i], i % stride == 0 ? near_room.numbers()[k][i / stride] : -7.0));
  for (std::size_t k = 0; k < near_room.bytes().size(); ++k)
    for (std::size_t i = 0; i < count * stride; ++i)
      ASSERT_EQ(far_room.bytes()[k][i], i % stride == 0 ? near_room.bytes()[k][i / stride] : 77);
}

TEST(CollideBatch, SixEntriesAreASymmetricMatrix_AndUnwantedColumnsAreNotWritten) {
  const std::size_t count = 530;
  Batch<double> batch(*find_law("chatterjee-ruina"), 8, count, true);
  ColumnsOf<double> nine(count), six(count);
  ASSERT_TRUE(collide_batch(batch.law, batch.contacts, nine.outcomes()));
  const auto& m = batch.contacts.matrix;
  batch.contacts.by_six_entries({m[0], m[1], m[2], m[4], m[5], m[8]});
  EXPECT_TRUE(batch.contacts.symmetric());
  ASSERT_TRUE(collide_batch(batch.law, batch.contacts, six.outcomes()));
  EXPECT_EQ(six.numbers(), nine.numbers());
  OutcomeColumns<double> only_speed;
  ColumnsOf<double> room(count);
  only_speed.V[1] = room.number();
  ASSERT_TRUE(collide_batch(batch.law, batch.contacts, only_speed));
  EXPECT_EQ(room.numbers()[0], nine.numbers()[4]);
}

/// The check makes n a unit vector and M symmetric; columns that are one number for all keep what was given.
TEST(CollideBatch, OneMatrixAndNormalForAllThatTheCheckChanges) {
  const std::size_t count = 150;
  for (const std::string_view law : {"frictionless", "chatterjee-ruina"}) {
    Batch<double> batch(*find_law(law), 12, count, true);
    const std::array<double, 9> M{2, 0.3, 0.1, 0.3 + 1e-13, 1.5, -0.2 + 2e-13, 0.1 - 1e-13, -0.2, 1};
    const std::array<double, 3> n{0, 0.6, 1.7};
    for (std::size_t k = 0; k < 9; ++k) batch.contacts.matrix[k] = {&M[k], 0};
    for (std::size_t k = 0; k < 3; ++k) batch.contacts.n[k] = {&n[k], 0};
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < 9; ++k) batch.matrix[k][i] = M[k];
      for (std::size_t k = 0; k < 3; ++k) batch.n[k][i] = n[k];
    }
    // Only some of the normals of the second half are of another length.
    auto mixed = batch.contacts;
    for (std::size_t k = 0; k < 3; ++k) mixed.n[k] = {batch.n[k].data, 1};
    for (std::size_t i = count / 2; i < count; ++i) {
      const Vec3 unit = (i % 5 == 0 ? 3.0 : 1.0) * Vec3(n[0], n[1], n[2]).normalized();
      for (std::size_t k = 0; k < 3; ++k) batch.n[k][i] = unit(int(k));
    }
    for (const PackWidth width : widths()) {
      ColumnsOf<double> room(count);
      const OutcomeColumns<double> outcomes = room.outcomes();
      ASSERT_TRUE(collide_batch(batch.law, mixed, outcomes, {.width = width}));
      for (std::size_t i = 0; i < count; ++i) expect_single(outcomes, i, single(batch, i));
    }
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < 3; ++k) batch.n[k][i] = n[k];
    for (const PackWidth width : widths()) {
      ColumnsOf<double> room(count);
      const OutcomeColumns<double> outcomes = room.outcomes();
      ASSERT_TRUE(collide_batch(batch.law, batch.contacts, outcomes, {.width = width}));
      for (std::size_t i = 0; i < count; ++i) expect_single(outcomes, i, single(batch, i));
    }
  }
}

TEST(CollideBatch, AParameterOutOfRangeIsThatCollisionsAlone_AndOneForAllFails) {
  const std::size_t count = 64;
  Batch<double> batch(*find_law("chatterjee-ruina"), 9, count, true);
  auto* mu = const_cast<double*>(batch.law.numbers[1].values.data);
  ASSERT_EQ(batch.law.numbers[1].name, "mu");
  mu[13] = -0.1;
  mu[14] = nan;
  ColumnsOf<double> room(count);
  const OutcomeColumns<double> outcomes = room.outcomes();
  const auto done = collide_batch(batch.law, batch.contacts, outcomes);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->refused, 2U);
  EXPECT_EQ(done->first_refused, 13U);
  EXPECT_EQ(outcomes.status[13], static_cast<std::uint8_t>(status_of(ErrorCode::out_of_range)));
  EXPECT_EQ(collide_at(batch.law, batch.contacts, 13).error().path, "mu");
  EXPECT_TRUE(collide_at(batch.law, batch.contacts, 12));

  batch.law.numbers.clear();
  batch.law.parameters.e = 2;
  const auto bad = collide_batch(batch.law, batch.contacts, outcomes);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().path, "e");
  batch.law.parameters.e = 0.5;
  batch.law.law = "chatterjee";
  EXPECT_EQ(collide_batch(batch.law, batch.contacts, outcomes).error().code, ErrorCode::unknown_name);
  batch.law.law = "chatterjee-ruina";
  batch.law.numbers.push_back({"nu_x", batch.contacts.V[0]});
  EXPECT_EQ(collide_batch(batch.law, batch.contacts, outcomes).error().code, ErrorCode::unknown_name);
}

/// Where the numbers determine the answer: M well conditioned, no grazing, of which floats know no V_n, friction that
/// does not amplify it, and for brach a slip whose direction floats know.
TEST(CollideBatch, FloatsAgreeWithDoublesToTheirRounding) {
  for (const std::string_view law : {"frictionless", "chatterjee-ruina", "bilinear", "brach"}) {
    const std::size_t count = 4000;
    Batch<float> batch(*find_law(law), 10, count, true);
    Batch<double> wide(*find_law(law), 10, count, true);
    ColumnsOf<float> room(count);
    ColumnsOf<double> wide_room(count);
    const OutcomeColumns<float> outcomes = room.outcomes();
    const OutcomeColumns<double> expected = wide_room.outcomes();
    ASSERT_TRUE(collide_batch(wide.law, wide.contacts, expected));
    for (const PackWidth width : widths()) {
      ASSERT_TRUE(collide_batch(batch.law, batch.contacts, outcomes, {.threads = 1, .width = width}));
      int compared = 0;
      for (std::size_t i = 0; i < count; ++i) {
        Mat3 M;
        for (int k = 0; k < 9; ++k) M(k / 3, k % 3) = wide.matrix[static_cast<std::size_t>(k)][i];
        const double cond = M.norm() * M.inverse().norm();
        const Vec3 V(wide.V[0][i], wide.V[1][i], wide.V[2][i]), n(wide.n[0][i], wide.n[1][i], wide.n[2][i]);
        const double sine = -n.dot(V) / V.norm();
        const double mu = law == "frictionless" ? 0 : wide.law.numbers[law == "brach" ? 3 : 1].values[i];
        if (expected.status[i] != 0 || cond > 100 || mu > 3 || sine < 0.01 || sine > 0.9999) continue;
        ASSERT_EQ(outcomes.status[i], 0);
        const Vec3 P(outcomes.P[0][i], outcomes.P[1][i], outcomes.P[2][i]);
        const Vec3 right(expected.P[0][i], expected.P[1][i], expected.P[2][i]);
        EXPECT_LE((P - right).norm(), 1e-6 * cond * (right.norm() + M.norm() * V.norm()) / sine) << law << " " << i;
        ++compared;
      }
      EXPECT_GT(compared, 500) << law;
    }
  }
}

}  // namespace
}  // namespace ricochet::testing
