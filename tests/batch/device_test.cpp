/// The CUDA device against the processor, bit for bit.

#include <gtest/gtest.h>

#include <cstring>

#include "batch/columns_of.hpp"
#include "ricochet/batch/answer_kernel.hpp"
#include "ricochet/batch/collide.hpp"
#include "ricochet/batch/contract.hpp"

namespace ricochet::testing {
namespace {

#define SKIP_WITHOUT_DEVICE() \
  if (const auto there = cuda_device(); !there) GTEST_SKIP() << there.error().message()

template <class T>
void expect_same(const ColumnsOf<T>& device, const ColumnsOf<T>& processor, std::string_view law) {
  EXPECT_EQ(device.bytes(), processor.bytes()) << law;
  for (std::size_t k = 0; k < processor.numbers().size(); ++k) {
    const std::vector<T>&x = device.numbers()[k], &y = processor.numbers()[k];
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_TRUE(std::memcmp(&x[i], &y[i], sizeof(T)) == 0 || (std::isnan(x[i]) && std::isnan(y[i])))
          << law << ", column " << k << ", collision " << i << ": " << x[i] << " and " << y[i];
  }
}

/// Of the functions of the C library only `pow` is called, where `smooth` is not 0.
template <class T>
void without_smooth(Batch<T>& batch) {
  for (auto& number : batch.law.numbers)
    if (number.name == "smooth")
      for (std::size_t i = 0; i < batch.contacts.count; ++i) const_cast<T&>(number.values[i]) = 0;
}

TEST(CollideOnDevice, HasTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  for (const LawInfo& info : laws()) {
    if (info.domain != LawDomain::contact || !runs_in_packs(info.name)) continue;
    for (const bool mass_given : {true, false}) {
      const std::size_t count = 200'003;
      Batch<double> batch(info, 5, count, mass_given);
      without_smooth(batch);
      spoil(batch);
      ColumnsOf<double> device(count), processor(count);
      const auto one = collide_batch(batch.law, batch.contacts, processor.outcomes());
      const auto other = collide_batch(batch.law, batch.contacts, device.outcomes(), {.device = true});
      ASSERT_TRUE(one && other) << other.error().message();
      EXPECT_EQ(other->refused, one->refused);
      EXPECT_EQ(other->first_refused, one->first_refused);
      expect_same(device, processor, info.name);
    }
  }
}

TEST(CollideOnDevice, FloatsHaveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  for (const LawInfo& info : laws()) {
    if (info.domain != LawDomain::contact || !runs_in_packs(info.name)) continue;
    const std::size_t count = 50'021;
    Batch<float> batch(info, 6, count, true);
    without_smooth(batch);
    ColumnsOf<float> device(count), processor(count);
    const auto one = collide_batch(batch.law, batch.contacts, processor.outcomes());
    const auto other = collide_batch(batch.law, batch.contacts, device.outcomes(), {.device = true});
    ASSERT_TRUE(one && other) << other.error().message();
    EXPECT_EQ(other->refused, one->refused);
    expect_same(device, processor, info.name);
  }
}

TEST(CollideOnDevice, GapsUnwantedColumnsAndSixEntries) {
  SKIP_WITHOUT_DEVICE();
  const std::size_t count = 1'037;
  Batch<double> batch(*find_law("brach"), 7, count, true, 3);
  const auto& m = batch.contacts.matrix;
  batch.contacts.by_six_entries({m[0], m[1], m[2], m[4], m[5], m[8]});
  batch.contacts.n[2] = {batch.contacts.n[2].data, 0};  // one number for all
  ColumnsOf<double> device(count, 2), processor(count, 2);
  for (auto* room : {&device, &processor}) {
    OutcomeColumns<double> outcomes = room->outcomes();
    outcomes.P[1] = outcomes.margins[3] = {};
    outcomes.status = outcomes.mode = {};
    ASSERT_TRUE(collide_batch(batch.law, batch.contacts, outcomes, {.device = room == &device}));
  }
  expect_same(device, processor, "brach");
}

/// `pow` of the device is within two units in the last place, which the answer amplifies little.
TEST(CollideOnDevice, SmoothFrictionAgreesToRounding) {
  SKIP_WITHOUT_DEVICE();
  const std::size_t count = 20'011;
  Batch<double> batch(*find_law("chatterjee-ruina"), 8, count, true);
  ColumnsOf<double> device(count), processor(count);
  const OutcomeColumns<double> x = device.outcomes(), y = processor.outcomes();
  ASSERT_TRUE(collide_batch(batch.law, batch.contacts, y));
  ASSERT_TRUE(collide_batch(batch.law, batch.contacts, x, {.device = true}));
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(x.status[i], y.status[i]);
    if (x.status[i] != 0) continue;
    double size = 0, off = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      size = std::max(size, std::abs(y.P[k][i]));
      off = std::max(off, std::abs(x.P[k][i] - y.P[k][i]));
    }
    ASSERT_LE(off, 16 * std::numeric_limits<double>::epsilon() * size) << i;
  }
}

/// Collisions are drawn there to rounding of sin, cos and pow, so that single ones near a limit may fall on the other
/// side.
TEST(ContractOnDevice, FindsWhatTheProcessorFinds) {
  SKIP_WITHOUT_DEVICE();
  for (const LawInfo& info : laws()) {
    if (info.domain != LawDomain::contact || !runs_in_packs(info.name)) continue;
    const std::uint64_t count = 300'007;
    ContractSpec spec{.law = std::string(info.name), .seed = 12, .first = 5, .count = count};
    const ContractReport processor = check_contract(spec).value();
    spec.device = true;
    const ContractReport device = check_contract(spec).value();
    EXPECT_EQ(device.drawn, count);
    EXPECT_NEAR(double(device.answered), double(processor.answered), 10) << info.name;
    EXPECT_EQ(device.violations(), processor.violations()) << info.name;
    for (std::size_t k = 0; k < promises; ++k)
      EXPECT_NEAR(double(device.promise[k].checked), double(processor.promise[k].checked), 10) << info.name << k;
  }
}

TEST(CollideOnDevice, ALawThatDoesNotRunInPacksIsRefused) {
  Batch<double> batch(*find_law("routh"), 9, 8, true);
  ColumnsOf<double> room(8);
  const auto done = collide_batch(batch.law, batch.contacts, room.outcomes(), {.device = true});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace ricochet::testing
