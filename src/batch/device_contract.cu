// What laws promise, checked on a CUDA device: each thread draws, answers and judges collisions, and keeps a record.

#include <array>
#include <cstddef>
#include <vector>

#include "device.hpp"
#include "device_memory.hpp"
#include "law_of_pack.hpp"
#include "ricochet/batch/answer_kernel.hpp"
#include "ricochet/batch/collide.hpp"
#include "ricochet/batch/draw_kernel.hpp"
#include "ricochet/batch/promise_kernel.hpp"

namespace ricochet::batch_detail {
namespace {

constexpr unsigned block = 128;
constexpr unsigned blocks = 1056;  // eight for each multiprocessor of a large device
constexpr unsigned long long none = ~0ULL;

/// What one thread has seen, a part of a ContractReport.
struct ThreadRecord {
  unsigned answered;
  unsigned checked[promises], violated[promises];
  unsigned long long first_violated[promises], worst_at[promises];
  double worst[promises];
  unsigned refused[16];
};

struct DeviceContract {
  DrawKind kind;
  std::uint64_t seed, first, count;
  ThreadRecord* records;
  unsigned long long *open, *open_count;
};

/// Parameters in the order of the law's row in the table of laws, and what it guarantees with them.
template <PackLaw which>
struct Promised;
template <>
struct Promised<PackLaw::frictionless> {
  RICOCHET_HD static std::array<double, most_parameters> parameters(const DrawnNumbers& d) { return {d.e, 0, 0, 0}; }
  RICOCHET_HD static PromisedConditions conditions(const DrawnNumbers&) { return {true, true, true}; }
};
template <>
struct Promised<PackLaw::chatterjee_ruina> {
  RICOCHET_HD static std::array<double, most_parameters> parameters(const DrawnNumbers& d) {
    return {d.e, d.mu, d.e_t, d.smooth};
  }
  RICOCHET_HD static PromisedConditions conditions(const DrawnNumbers&) { return {true, true, true}; }
};
template <>
struct Promised<PackLaw::bilinear> {
  RICOCHET_HD static std::array<double, most_parameters> parameters(const DrawnNumbers& d) {
    return {d.e, d.mu, d.e_t, 0};
  }
  RICOCHET_HD static PromisedConditions conditions(const DrawnNumbers&) { return {true, true, true}; }
};
template <>
struct Promised<PackLaw::brach> {
  RICOCHET_HD static std::array<double, most_parameters> parameters(const DrawnNumbers& d) {
    return {d.e, d.mu_2, d.mu_3, d.mu};
  }
  RICOCHET_HD static PromisedConditions conditions(const DrawnNumbers& d) {
    return {false, true, std::hypot(d.mu_2, d.mu_3) <= d.mu};
  }
};
template <>
struct Promised<PackLaw::pfeiffer_glocker> {
  RICOCHET_HD static std::array<double, most_parameters> parameters(const DrawnNumbers& d) {
    return {d.e, d.mu, d.nu, d.e_t};
  }
  RICOCHET_HD static PromisedConditions conditions(const DrawnNumbers&) { return {true, true, true}; }
};

template <PackLaw which>
__global__ void __launch_bounds__(block) judge(const DeviceContract job) {
  using Maker = LawOfPack<which, double>;
  const std::uint64_t thread = std::uint64_t(blockIdx.x) * block + threadIdx.x, threads = std::uint64_t(blocks) * block;
  ThreadRecord record{};
  for (std::size_t k = 0; k < promises; ++k) {
    record.first_violated[k] = record.worst_at[k] = none;
    record.worst[k] = std::numeric_limits<double>::infinity();
  }
  for (std::uint64_t i = thread; i < job.count; i += threads) {
    const std::uint64_t index = job.first + i;
    const DrawnNumbers drawn = draw_numbers(job.kind, job.seed, index);
    const auto law = Maker::make(Promised<which>::parameters(drawn));
    const double mu = Maker::cone(law);
    const BatchAnswer<double> answer =
        batch_answer<ProductByHalves>(law, mu, drawn.mass_given, true, drawn.A, drawn.V, drawn.n);
    if (answer.status == BatchStatus::open) {
      job.open[atomicAdd(job.open_count, 1ULL)] = index;
      continue;
    }
    if (answer.status != BatchStatus::answered) {
      ++record.refused[unsigned(answer.status) - 1];
      continue;
    }
    ++record.answered;
    Mat3T<double> A = drawn.A, W = drawn.A;
    Vec3T<double> n = drawn.n;
    if (drawn.mass_given) (void)check_and_invert<ProductByHalves, double>(A, W, drawn.V, n, true);
    const Violations<double>& v = answer.numbers.judged.violated;
    AnswerNumbers numbers;
    numbers.P = answer.numbers.P;
    numbers.V = answer.numbers.V;
    numbers.energy_change = answer.numbers.energy_change;
    numbers.normal_work = answer.numbers.normal_work;
    numbers.friction_work = answer.numbers.friction_work;
    const MarginsT<double>& m = answer.numbers.judged.margins;
    numbers.margins = {m.energy, m.separation, m.compression, m.friction};
    numbers.violated =
        (v.energy ? 1U : 0U) | (v.separation ? 2U : 0U) | (v.compression ? 4U : 0U) | (v.friction ? 8U : 0U);
    const PromiseVerdicts verdicts = judge_promises(W, drawn.V, numbers, Promised<which>::conditions(drawn), mu);
    for (std::size_t k = 0; k < promises; ++k) {
      if (!verdicts.checked[k]) continue;
      ++record.checked[k];
      if (!verdicts.kept[k]) {
        ++record.violated[k];
        if (index < record.first_violated[k]) record.first_violated[k] = index;
      }
      if (verdicts.margin[k] < record.worst[k]) {  // indices grow
        record.worst[k] = verdicts.margin[k];
        record.worst_at[k] = index;
      }
    }
  }
  job.records[thread] = record;
}

using Judge = void (*)(DeviceContract);
Judge judge_of(PackLaw law) {
  switch (law) {
    case PackLaw::frictionless: return &judge<PackLaw::frictionless>;
    case PackLaw::chatterjee_ruina: return &judge<PackLaw::chatterjee_ruina>;
    case PackLaw::bilinear: return &judge<PackLaw::bilinear>;
    case PackLaw::brach: return &judge<PackLaw::brach>;
    case PackLaw::pfeiffer_glocker: break;
  }
  return &judge<PackLaw::pfeiffer_glocker>;
}

void add(ContractReport& report, const ThreadRecord& record) {
  report.drawn += record.answered;
  report.answered += record.answered;
  for (std::size_t k = 0; k < report.refused.size(); ++k) {
    report.drawn += record.refused[k];
    report.refused[k] += record.refused[k];
  }
  for (std::size_t k = 0; k < promises; ++k) {
    PromiseRecord one;
    one.checked = record.checked[k];
    one.violated = record.violated[k];
    if (record.violated[k] > 0) one.first_violated = record.first_violated[k];
    one.worst = record.worst[k];
    one.worst_at = record.checked[k] > 0 ? record.worst_at[k] : 0;
    if (one.checked > 0) report.promise[k].add(one);
  }
}

}  // namespace

Expected<ContractReport> contract_on_device(PackLaw law, DrawKind kind, std::uint64_t seed, std::uint64_t first,
                                            std::uint64_t count, std::vector<std::uint64_t>& open) {
  if (const auto there = cuda_device(); !there) return tl::unexpected(there.error());
  Complaint fine;
  constexpr std::size_t threads = std::size_t{block} * blocks;
  DeviceMemory records, indices, counter;
  const auto room = [&](std::size_t bytes, DeviceMemory& memory) {
    void* p = nullptr;
    if (fine(cudaMalloc(&p, bytes), "memory")) memory.reset(p);
  };
  room(threads * sizeof(ThreadRecord), records);
  room(count * sizeof(unsigned long long), indices);
  room(sizeof(unsigned long long), counter);
  if (fine.error()) return tl::unexpected(*fine.error());
  fine(cudaMemset(counter.get(), 0, sizeof(unsigned long long)), "memory");
  const DeviceContract job{kind,
                           seed,
                           first,
                           count,
                           static_cast<ThreadRecord*>(records.get()),
                           static_cast<unsigned long long*>(indices.get()),
                           static_cast<unsigned long long*>(counter.get())};
  judge_of(law)<<<blocks, block>>>(job);
  fine(cudaGetLastError(), "launch");
  std::vector<ThreadRecord> seen(threads);
  fine(cudaMemcpy(seen.data(), records.get(), threads * sizeof(ThreadRecord), cudaMemcpyDeviceToHost), "run");
  unsigned long long left = 0;
  fine(cudaMemcpy(&left, counter.get(), sizeof left, cudaMemcpyDeviceToHost), "run");
  if (fine.error()) return tl::unexpected(*fine.error());
  const std::size_t known = open.size();
  open.resize(known + left);
  static_assert(sizeof(std::uint64_t) == sizeof(unsigned long long));
  if (left > 0)
    fine(cudaMemcpy(open.data() + known, indices.get(), left * sizeof(std::uint64_t), cudaMemcpyDeviceToHost), "run");
  if (fine.error()) return tl::unexpected(*fine.error());
  ContractReport report;
  for (const ThreadRecord& record : seen) add(report, record);
  return report;
}

}  // namespace ricochet::batch_detail
