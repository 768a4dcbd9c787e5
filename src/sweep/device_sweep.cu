// Samples of a sweep on a CUDA device: a warp draws, answers and sums up a block at a time; then blocks are merged as
// the processor merges them.

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "batch/device_memory.hpp"
#include "batch/law_of_pack.hpp"
#include "device_sweep.hpp"
#include "ricochet/batch/answer_kernel.hpp"
#include "ricochet/batch/collide.hpp"
#include "ricochet/batch/indexed_random.hpp"
#include "ricochet/sweep/outputs.hpp"

namespace ricochet::sweep {
namespace {

using namespace batch_detail;

constexpr unsigned threads = 128, warps = threads / unsigned(lanes);
constexpr unsigned block_samples = 1024, steps = block_samples / unsigned(lanes);
constexpr unsigned step_bits = 10;  ///< of an index inside a block
constexpr unsigned answers = 96, codes = answers + 16;
/// Outputs that are summed up at once; more of them are computed again.
constexpr int few = 2, several = 5;
constexpr unsigned most_open = 1U << 16;
using Count = unsigned long long;

struct AxisJob {
  DistributionNumbers distribution;
  std::uint64_t offset, stride, points;
  const std::uint64_t* steps;
};

struct SweepJob {
  DeviceSampling sampling;
  int axes;
  AxisJob axis[most_device_axes];
  signed char axis_of[device_inputs];
  double base[device_inputs];
  Interval bounds[most_parameters];
  bool may_leave_bounds, mass_given;
  double M[9], W[9], n[3], unit[3];  ///< where matrix and n are the same for all samples, checked
  std::uint64_t count, first_block, blocks;
  bool counts_codes;  ///< once for all outputs
  int outputs;
  std::uint32_t output[several];
  Bins bins[several];
  double scale[several], centre[several];
  unsigned bins_begin[several + 1];  ///< of each output, below and above included
  Moments* moments;                  ///< of output k and block b at k · blocks + b
  Count *bin_counts, *code_counts;
  Count *open, *open_count;
};

/// What sample `index` draws for an axis. `way` is what the index adds to a stream of random numbers, `sobol` its
/// point.
__device__ double draw(const SweepJob& job, const AxisJob& axis, std::uint64_t index, std::uint64_t way,
                       std::uint64_t sobol) {
  if (job.sampling == DeviceSampling::grid)
    return grid_point(axis.distribution, index / axis.stride % axis.points, axis.points);
  const std::uint64_t bits =
      job.sampling == DeviceSampling::random ? IndexedRandom::bits_after(axis.offset + way) : sobol ^ axis.offset;
  return quantile(axis.distribution, open_unit(bits));
}

__device__ std::uint64_t xor_of_warp(std::uint64_t x) {
  const unsigned low = __reduce_xor_sync(~0U, unsigned(x)), high = __reduce_xor_sync(~0U, unsigned(x >> 32));
  return std::uint64_t(high) << 32 | low;
}

__device__ LaneMoments<unsigned> of_lane_after(const LaneMoments<unsigned>& own, unsigned by) {
  LaneMoments<unsigned> out;
  out.sum = __shfl_down_sync(~0U, own.sum, by);
  out.squares = __shfl_down_sync(~0U, own.squares, by);
  out.least = __shfl_down_sync(~0U, own.least, by);
  out.greatest = __shfl_down_sync(~0U, own.greatest, by);
  out.least_at = __shfl_down_sync(~0U, own.least_at, by);
  out.greatest_at = __shfl_down_sync(~0U, own.greatest_at, by);
  out.count = __shfl_down_sync(~0U, own.count, by);
  out.infinite = __shfl_down_sync(~0U, own.infinite, by);
  return out;
}

/// `fixed`: matrix and n are the same for all samples.
template <PackLaw which, bool fixed, int group>
__global__ void __launch_bounds__(threads, group == few ? (fixed ? 5 : 4) : 3)
    evaluate(const __grid_constant__ SweepJob job) {
  using Maker = LawOfPack<which, double>;
  extern __shared__ double room[];
  double(*const drawn)[threads] = reinterpret_cast<double(*)[threads]>(room);
  // Of Sobol's points: the shares of the lane, and for each warp those of its block.
  std::uint64_t(*const of_lane)[lanes] = reinterpret_cast<std::uint64_t(*)[lanes]>(drawn + job.axes);
  std::uint64_t(*const of_block)[warps] = reinterpret_cast<std::uint64_t(*)[warps]>(of_lane + job.axes);
  unsigned* const bins = reinterpret_cast<unsigned*>(of_block + job.axes);
  unsigned* const seen = bins + job.bins_begin[job.outputs];

  const unsigned t = threadIdx.x, lane = t % unsigned(lanes), warp = t / unsigned(lanes);
  for (unsigned k = t; k < job.bins_begin[job.outputs] + codes; k += threads) bins[k] = 0;
  if (job.sampling == DeviceSampling::sobol && warp == 0) {
    for (int a = 0; a < job.axes; ++a) {
      std::uint64_t x = 0;
      for (unsigned b = 0; b < 5; ++b)
        if ((lane >> b & 1U) != 0) x ^= job.axis[a].steps[b];
      of_lane[a][lane] = x;
    }
  }
  __syncthreads();

  Mat3 M, W;
  Vec3 n, unit;
  CheckedNumbers<double> checked{ContactFault::none, true};
  if constexpr (fixed) {
    for (int k = 0; k < 9; ++k) {
      M(k / 3, k % 3) = job.M[k];
      W(k / 3, k % 3) = job.W[k];
    }
    for (int k = 0; k < 3; ++k) {
      n(k) = job.n[k];
      unit(k) = job.unit[k];
    }
  }

  for (std::uint64_t b = std::uint64_t(blockIdx.x) * warps + warp; b < job.blocks;
       b += std::uint64_t(gridDim.x) * warps) {
    const std::uint64_t block = job.first_block + b, start = block * block_samples;
    if (job.sampling == DeviceSampling::sobol) {
      for (int a = 0; a < job.axes; ++a) {
        std::uint64_t x = 0;
        for (unsigned bit = lane; bit < 53 - step_bits; bit += unsigned(lanes))
          if ((block >> bit & 1U) != 0) x ^= job.axis[a].steps[bit + step_bits];
        x = xor_of_warp(x);
        if (lane == 0) of_block[a][warp] = x;
      }
      __syncwarp();
    }
    LaneMoments<unsigned> moments[group];
    std::uint64_t way = IndexedRandom::way(start + lane);
    for (unsigned j = 0; j < steps; ++j, way += IndexedRandom::way(lanes)) {
      const unsigned offset = j * unsigned(lanes) + lane;
      const std::uint64_t index = start + offset;
      if (index >= job.count) break;
      for (int a = 0; a < job.axes; ++a) {
        std::uint64_t sobol = 0;
        if (job.sampling == DeviceSampling::sobol) {
          sobol = of_block[a][warp] ^ of_lane[a][lane];
          for (unsigned bit = 0; bit < 5; ++bit)
            if ((j >> bit & 1U) != 0) sobol ^= job.axis[a].steps[bit + 5];
        }
        drawn[a][t] = draw(job, job.axis[a], index, way, sobol);
      }
      const auto input = [&](int k) { return job.axis_of[k] < 0 ? job.base[k] : drawn[job.axis_of[k]][t]; };
      const Vec3 V(input(9), input(10), input(11));
      std::array<double, most_parameters> parameters{};
      bool fits = true;
      for (std::size_t k = 0; k < Maker::parameters; ++k) {
        parameters[k] = input(15 + int(k));
        if (job.may_leave_bounds) fits = fits && job.bounds[k].contains(parameters[k]);
      }
      const auto law = Maker::make(parameters);
      BatchAnswer<double> answer;
      if constexpr (fixed) {
        checked.fault = contact_detail::finite<double>(V(0) + V(1) + V(2)) || contact_detail::finite3<double>(V)
                            ? ContactFault::none
                            : ContactFault::velocity_not_finite;
        answer = answer_of_checked<decltype(law), double>(law, Maker::cone(law), checked, M, W, V, n);
      } else {
        Mat3 A;
        for (int k = 0; k < 9; ++k) A(k / 3, k % 3) = input(k);
        n = Vec3(input(12), input(13), input(14));
        const double square = dot3<double>(n, n), length = square > 0 ? std::sqrt(square) : 1;
        unit = Vec3(n(0) / length, n(1) / length, n(2) / length);
        answer = batch_answer<ProductByHalves>(law, Maker::cone(law), job.mass_given, false, A, V, n);
      }
      // The law is asked for before the contact.
      if (!fits) answer.status = status_of(ErrorCode::out_of_range);
      if (answer.status == BatchStatus::open) {
        if (job.counts_codes) {
          const Count place = atomicAdd(job.open_count, 1ULL);
          if (place < most_open) job.open[place] = index;
        }
        continue;
      }
      const Certified<double>& a = answer.numbers;
      const Violations<double>& v = a.judged.violated;
      const unsigned violated =
          (v.energy ? 1U : 0U) | (v.separation ? 2U : 0U) | (v.compression ? 4U : 0U) | (v.friction ? 8U : 0U);
      const bool answered = answer.status == BatchStatus::answered;
      if (job.counts_codes)
        atomicAdd(&seen[answered ? 16 * unsigned(answer.mode) + violated : answers + unsigned(answer.status) - 1], 1U);
      if (!answered) continue;
      const MarginsT<double>& m = a.judged.margins;
      const AnswerNumbers numbers{a.P,
                                  a.V,
                                  a.energy_change,
                                  a.normal_work,
                                  a.friction_work,
                                  {m.energy, m.separation, m.compression, m.friction}};
#pragma unroll
      for (int k = 0; k < group; ++k) {
        if (k >= job.outputs) break;
        const double x = output(job.output[k], numbers, unit);
        moments[k].add(x, offset, job.centre[k]);
        unsigned* const own = bins + job.bins_begin[k];
        if (x == x)
          atomicAdd(&own[x < job.bins[k].low    ? 0
                         : x > job.bins[k].high ? job.bins[k].count + 1
                                                : job.bins[k].place(x, job.scale[k]) + 1],
                    1U);
      }
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < group; ++k) {
      if (k >= job.outputs) break;
      for (unsigned half = unsigned(lanes) / 2; half > 0; half /= 2) moments[k].add(of_lane_after(moments[k], half));
      if (lane == 0) job.moments[std::uint64_t(k) * job.blocks + b] = moments[k].moments(job.centre[k], start);
    }
  }
  __syncthreads();
  for (unsigned k = t; k < job.bins_begin[job.outputs]; k += threads)
    if (bins[k] > 0) atomicAdd(&job.bin_counts[k], Count(bins[k]));
  for (unsigned k = t; k < codes; k += threads)
    if (seen[k] > 0) atomicAdd(&job.code_counts[k], Count(seen[k]));
}

/// Merges neighbours at distance `step` of those that begin at a multiple of twice that.
__global__ void merge_neighbours(Moments* moments, std::uint64_t blocks, std::uint64_t step) {
  const std::uint64_t i = (std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x) * 2 * step;
  if (i + step >= blocks) return;
  Moments* const of_output = moments + std::uint64_t(blockIdx.y) * blocks;
  of_output[i].merge(of_output[i + step]);
}

using Kernel = void (*)(SweepJob);
template <PackLaw which>
Kernel kernel_of(bool fixed, int group) {
  if (fixed) return group == few ? Kernel(&evaluate<which, true, few>) : Kernel(&evaluate<which, true, several>);
  return group == few ? Kernel(&evaluate<which, false, few>) : Kernel(&evaluate<which, false, several>);
}
Kernel kernel_of(PackLaw law, bool fixed, int group) {
  constexpr auto of_law = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array{&kernel_of<static_cast<PackLaw>(I)>...};
  }
  (std::make_index_sequence<pack_laws>{});
  return of_law[static_cast<std::size_t>(law)](fixed, group);
}

}  // namespace

struct DeviceNode::Memory {
  DeviceMemory moments;
  std::uint64_t first_block = 0, blocks = 0;
  std::size_t outputs = 0;
};

Expected<DeviceNode> DeviceNode::compute(const DeviceSpec& spec, std::uint64_t first_block, unsigned level) {
  if (const auto there = cuda_device(); !there) return tl::unexpected(there.error());
  DeviceNode out;
  out.memory_ = std::make_shared<Memory>();
  Memory& kept = *out.memory_;
  kept.first_block = first_block;
  kept.blocks = std::uint64_t{1} << level;
  kept.outputs = spec.outputs.size();
  Complaint fine;
  const auto room = [&](std::size_t bytes) {
    void* p = nullptr;
    fine(cudaMalloc(&p, bytes), "memory");
    return DeviceMemory(p);
  };
  std::vector<DeviceMemory> tables;
  const auto table = [&](const auto& numbers) {
    using Number = typename std::decay_t<decltype(numbers)>::value_type;
    if (numbers.empty()) return static_cast<Number*>(nullptr);
    tables.push_back(room(numbers.size() * sizeof(Number)));
    auto* p = static_cast<Number*>(tables.back().get());
    if (p != nullptr)
      fine(cudaMemcpy(p, numbers.data(), numbers.size() * sizeof(Number), cudaMemcpyHostToDevice),
           "copy to the device");
    return p;
  };

  SweepJob job{};
  job.sampling = spec.sampling;
  job.axes = int(spec.axes.size());
  for (std::size_t a = 0; a < spec.axes.size(); ++a) {
    const DeviceAxis& axis = spec.axes[a];
    job.axis[a] = {axis.distribution, axis.offset, axis.stride, axis.points, table(axis.steps)};
    job.axis[a].distribution.values = table(axis.values);
  }
  for (std::size_t k = 0; k < device_inputs; ++k) {
    job.axis_of[k] = static_cast<signed char>(spec.axis_of[k]);
    job.base[k] = spec.base[k];
  }
  std::copy(spec.bounds.begin(), spec.bounds.end(), job.bounds);
  job.mass_given = spec.mass_given;
  job.may_leave_bounds = spec.may_leave_bounds;
  job.count = spec.count;
  job.first_block = first_block;
  job.blocks = kept.blocks;

  // A contact that all samples share is checked and inverted here, once.
  const auto swept = [&](std::size_t begin, std::size_t end) {
    return std::any_of(spec.axis_of.begin() + std::ptrdiff_t(begin), spec.axis_of.begin() + std::ptrdiff_t(end),
                       [](int axis) { return axis >= 0; });
  };
  bool fixed = !swept(0, 9) && !swept(12, 15);
  if (fixed) {
    Mat3 A, X;
    for (int k = 0; k < 9; ++k) A(k / 3, k % 3) = spec.base[std::size_t(k)];
    Vec3 n(spec.base[12], spec.base[13], spec.base[14]);
    const Vec3 unit = n.normalized();
    const CheckedNumbers<double> checked = check_and_invert<ProductByHalves, double>(A, X, Vec3::Zero(), n);
    fixed = checked.clear && checked.fault == ContactFault::none;
    const Mat3 &M = spec.mass_given ? A : X, &W = spec.mass_given ? X : A;
    for (int k = 0; k < 9; ++k) {
      job.M[k] = M(k / 3, k % 3);
      job.W[k] = W(k / 3, k % 3);
    }
    for (int k = 0; k < 3; ++k) {
      job.n[k] = n(k);
      job.unit[k] = unit(k);
    }
  }

  kept.moments = room(kept.blocks * kept.outputs * sizeof(Moments));
  std::size_t all_bins = 0;
  for (const Bins& bins : spec.bins) all_bins += bins.count + 2;
  const DeviceMemory counts = room((all_bins + codes + 1) * sizeof(Count)), open = room(most_open * sizeof(Count));
  if (fine.error()) return tl::unexpected(*fine.error());
  auto* const numbers = static_cast<Count*>(counts.get());
  fine(cudaMemset(numbers, 0, (all_bins + codes + 1) * sizeof(Count)), "memory");
  job.code_counts = numbers + all_bins;
  job.open_count = job.code_counts + codes;
  job.open = static_cast<Count*>(open.get());

  int device = 0, processors = 1;
  fine(cudaGetDevice(&device), "device");
  fine(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "device");
  const int group = spec.outputs.size() <= std::size_t(few) ? few : several;
  std::size_t bins_done = 0;
  for (std::size_t begin = 0; begin < spec.outputs.size(); begin += std::size_t(group)) {
    const std::size_t end = std::min(spec.outputs.size(), begin + std::size_t(group));
    job.outputs = int(end - begin);
    job.counts_codes = begin == 0;
    unsigned bins = 0;
    for (std::size_t k = begin; k < end; ++k) {
      const std::size_t i = k - begin;
      job.output[i] = spec.outputs[k];
      job.bins[i] = spec.bins[k];
      job.scale[i] = spec.bins[k].scale();
      job.centre[i] = spec.centres[k];
      job.bins_begin[i] = bins;
      bins += spec.bins[k].count + 2;
    }
    for (std::size_t i = end - begin; i <= std::size_t(several); ++i) job.bins_begin[i] = bins;
    job.moments = static_cast<Moments*>(kept.moments.get()) + begin * kept.blocks;
    job.bin_counts = numbers + bins_done;
    bins_done += bins;
    const std::size_t shared = spec.axes.size() * threads * sizeof(double) +
                               spec.axes.size() * (lanes + warps) * sizeof(std::uint64_t) +
                               (bins + codes) * sizeof(unsigned);
    const Kernel kernel = kernel_of(spec.law, fixed, group);
    int resident = 0;
    fine(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)), "shared memory");
    fine(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, int(threads), shared), "launch");
    if (fine.error()) return tl::unexpected(*fine.error());
    const std::uint64_t useful = (kept.blocks + warps - 1) / warps;
    kernel<<<unsigned(std::min<std::uint64_t>(useful, std::uint64_t(processors) * unsigned(resident))), threads,
             shared>>>(job);
    fine(cudaGetLastError(), "launch");
  }
  std::vector<Count> seen(all_bins + codes + 1);
  fine(cudaMemcpy(seen.data(), numbers, seen.size() * sizeof(Count), cudaMemcpyDeviceToHost), "run");
  if (fine.error()) return tl::unexpected(*fine.error());
  DeviceCounts& to = out.counts_;
  auto next = seen.begin();
  for (const Bins& bins : spec.bins) {
    to.bins.emplace_back(next, next + std::ptrdiff_t(bins.count) + 2);
    next += std::ptrdiff_t(bins.count) + 2;
  }
  std::copy(next, next + answers, to.answered.begin());
  std::copy(next + answers, next + codes, to.refused.begin());
  to.too_many_open = seen.back() > most_open;
  to.open.resize(std::min<std::size_t>(seen.back(), most_open));
  if (!to.open.empty())
    fine(cudaMemcpy(to.open.data(), job.open, to.open.size() * sizeof(Count), cudaMemcpyDeviceToHost), "run");
  if (fine.error()) return tl::unexpected(*fine.error());
  return out;
}

Expected<void> DeviceNode::replace(std::uint64_t block, const std::vector<Moments>& moments) {
  Complaint fine;
  auto* const to = static_cast<Moments*>(memory_->moments.get()) + (block - memory_->first_block);
  for (std::size_t k = 0; k < moments.size(); ++k)
    fine(cudaMemcpy(to + k * memory_->blocks, &moments[k], sizeof(Moments), cudaMemcpyHostToDevice),
         "copy to the device");
  if (fine.error()) return tl::unexpected(*fine.error());
  return {};
}

Expected<std::vector<Moments>> DeviceNode::merge() {
  Complaint fine;
  const std::uint64_t blocks = memory_->blocks;
  auto* const moments = static_cast<Moments*>(memory_->moments.get());
  for (std::uint64_t step = 1; step < blocks; step *= 2) {
    const std::uint64_t pairs = blocks / (2 * step);
    merge_neighbours<<<dim3(unsigned((pairs + 127) / 128), unsigned(memory_->outputs)), 128>>>(moments, blocks, step);
    fine(cudaGetLastError(), "launch");
  }
  std::vector<Moments> out(memory_->outputs);
  for (std::size_t k = 0; k < out.size(); ++k)
    fine(cudaMemcpy(&out[k], moments + k * blocks, sizeof(Moments), cudaMemcpyDeviceToHost), "run");
  if (fine.error()) return tl::unexpected(*fine.error());
  return out;
}

}  // namespace ricochet::sweep
