// Columns of collisions on a CUDA device: a thread for each collision, the kernel that packs run.

#include <cuda_runtime.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "device.hpp"
#include "device_memory.hpp"
#include "law_of_pack.hpp"
#include "ricochet/batch/answer_kernel.hpp"
#include "ricochet/batch/collide.hpp"

namespace ricochet {
namespace batch_detail {
namespace {

/// Collisions at a time where columns are copied: a few hundred megabytes on the device.
constexpr std::size_t piece = std::size_t{1} << 21;
constexpr unsigned block = 128;
/// On a multiprocessor: as many as leave a thread the registers that it needs (96 in double, 64 in float).
template <class T>
constexpr unsigned blocks = sizeof(T) == sizeof(double) ? 5 : 8;
/// Collisions of one launch, told apart by an index of 32 bits.
constexpr std::size_t most_at_once = std::size_t{1} << 31;
/// Counters of collisions without an answer. Blocks share them by turns: one counter for all would be what a launch
/// waits for where many are refused.
constexpr unsigned counters = 1024;

/// An interval of `bounds` for numbers of type T, as the packs judge it.
template <class T>
RICOCHET_HD bool within(const Interval& bounds, T x) {
  const T low(bounds.low), high(bounds.high);
  return (x > low || (x == low && !bounds.low_open)) && (x < high || (x == high && !bounds.high_open));
}

/// Of the blocks that share it.
struct Unanswered {
  unsigned long long count, first;
};

/// What a thread is told. All columns lie on the device and begin with the first collision of the piece.
template <class T>
struct DeviceJob {
  ContactColumns<T> contacts;
  OutcomeColumns<T> outcomes;
  std::array<PackParameter<T>, most_parameters> parameters;  ///< without a column: the number of `same`
  std::array<T, most_parameters> same;
  bool symmetric = false;
  std::size_t begin = 0;             ///< index of the first collision
  Unanswered* unanswered = nullptr;  ///< `counters` of them
};

/// Number i of a column; of one without gaps where `dense`, whose address takes one instruction instead of six. All is
/// read once and written once, so that no cache needs to keep it.
template <bool dense, class T>
__device__ T get(const Column<const T>& column, unsigned i) {
  return __ldcs(dense ? column.data + i : &column[i]);
}
template <bool dense, class T>
__device__ void put(const Column<T>& column, unsigned i, T x) {
  if (column.present()) __stcs(dense ? column.data + i : &column[i], x);
}

template <PackLaw which, class T, bool dense>
__global__ void __launch_bounds__(block, blocks<T>) answer_columns(const __grid_constant__ DeviceJob<T> job) {
  using Maker = LawOfPack<which, T>;
  const unsigned i = blockIdx.x * block + threadIdx.x;
  if (i >= job.contacts.count) return;
  const auto load = [&](const Column<const T>& c) { return get<dense>(c, i); };
  const auto load3 = [&](const std::array<Column<const T>, 3>& c) {
    return Vec3T<T>(load(c[0]), load(c[1]), load(c[2]));
  };
  Mat3T<T> A;
  const auto& m = job.contacts.matrix;
  A(0, 0) = load(m[0]);
  A(0, 1) = A(1, 0) = load(m[1]);
  A(0, 2) = A(2, 0) = load(m[2]);
  A(1, 1) = load(m[4]);
  A(1, 2) = A(2, 1) = load(m[5]);
  A(2, 2) = load(m[8]);
  if (!job.symmetric) {
    A(1, 0) = load(m[3]);
    A(2, 0) = load(m[6]);
    A(2, 1) = load(m[7]);
  }
  const Vec3T<T> V = load3(job.contacts.V), n = load3(job.contacts.n);
  // All loads come before the first look at a number, which would wait for them one by one.
  std::array<T, most_parameters> parameters{};
  for (std::size_t k = 0; k < Maker::parameters; ++k)
    parameters[k] = job.parameters[k].values.present() ? load(job.parameters[k].values) : job.same[k];
  bool fits = true;
  for (std::size_t k = 0; k < Maker::parameters; ++k) fits = within(job.parameters[k].bounds, parameters[k]) && fits;
  const auto law = Maker::make(parameters);
  BatchAnswer<T> answer =
      batch_answer<ProductByHalves>(law, Maker::cone(law), job.contacts.mass_given, job.symmetric, A, V, n);
  if (!fits) answer.status = BatchStatus::open;

  Certified<T>& a = answer.numbers;
  const Violations<T>& v = a.judged.violated;
  unsigned violated =
      (v.energy ? 1U : 0U) | (v.separation ? 2U : 0U) | (v.compression ? 4U : 0U) | (v.friction ? 8U : 0U);
  bool permissible = violated == 0;
  unsigned mode = unsigned(answer.mode), termination = unsigned(answer.termination);
  if (answer.status != BatchStatus::answered) {
    const T nan = std::numeric_limits<T>::quiet_NaN();
    a.P = a.V = Vec3T<T>(nan, nan, nan);
    a.energy_change = a.normal_work = a.friction_work = nan;
    a.judged.margins = {nan, nan, nan, nan};
    violated = 0;
    permissible = false;
    mode = termination = no_answer;
    // Once for all threads that came here together, of which the first has the lowest index.
    const unsigned together = __activemask();
    if (int(threadIdx.x % 32) == __ffs(int(together)) - 1) {
      Unanswered& counter = job.unanswered[blockIdx.x % counters];
      atomicAdd(&counter.count, static_cast<unsigned long long>(__popc(together)));
      atomicMin(&counter.first, static_cast<unsigned long long>(job.begin + i));
    }
  }
  const OutcomeColumns<T>& out = job.outcomes;
  for (int k = 0; k < 3; ++k) {
    put<dense>(out.P[std::size_t(k)], i, a.P(k));
    put<dense>(out.V[std::size_t(k)], i, a.V(k));
  }
  put<dense>(out.energy_change, i, a.energy_change);
  put<dense>(out.normal_work, i, a.normal_work);
  put<dense>(out.friction_work, i, a.friction_work);
  put<dense>(out.margins[0], i, a.judged.margins.energy);
  put<dense>(out.margins[1], i, a.judged.margins.separation);
  put<dense>(out.margins[2], i, a.judged.margins.compression);
  put<dense>(out.margins[3], i, a.judged.margins.friction);
  put<dense>(out.permissible, i, std::uint8_t(permissible ? 1 : 0));
  put<dense>(out.violated, i, std::uint8_t(violated));
  put<dense>(out.mode, i, std::uint8_t(mode));
  put<dense>(out.termination, i, std::uint8_t(termination));
  put<dense>(out.status, i, std::uint8_t(answer.status));
}

template <class T>
using Kernel = void (*)(DeviceJob<T>);
template <class T>
Kernel<T> kernel_of(PackLaw law, bool dense) {
  constexpr auto kernels = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array{std::array<Kernel<T>, 2>{&answer_columns<static_cast<PackLaw>(I), T, false>,
                                               &answer_columns<static_cast<PackLaw>(I), T, true>}...};
  }
  (std::make_index_sequence<pack_laws>{});
  return kernels[static_cast<std::size_t>(law)][dense ? 1 : 0];
}

bool on_device(const void* p) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, p) != cudaSuccess) {
    (void)cudaGetLastError();
    return false;
  }
  return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
}

/// A column of the job and its place on the device, for `room` collisions at a time. What lies there already is used
/// where it is.
template <class T>
class Staged {
 public:
  using Number = std::remove_const_t<T>;

  Staged(const Column<T>& column, std::size_t room, Complaint& fine) : column_(column) {
    if (!column.present() || on_device(column.data)) return;
    void* p = nullptr;
    if (fine(cudaMalloc(&p, sizeof(Number) * (column.stride == 0 ? 1 : room)), "memory")) room_.reset(p);
  }

  /// The column from collision `begin` on, as the device sees it.
  [[nodiscard]] Column<T> from(std::size_t begin) const {
    if (room_) return {static_cast<Number*>(room_.get()), column_.stride == 0 ? 0 : 1};
    if (!column_.present()) return {};
    return {column_.data + static_cast<std::ptrdiff_t>(begin) * column_.stride, column_.stride};
  }
  void load(std::size_t begin, std::size_t count, Complaint& fine) {
    if (!room_) return;
    const std::size_t n = column_.stride == 0 ? 1 : count;
    const bool gaps = column_.stride != 1 && column_.stride != 0;
    if (gaps) {
      packed_.resize(n);
      for (std::size_t i = 0; i < n; ++i) packed_[i] = column_[begin + i];
    }
    fine(cudaMemcpy(room_.get(), gaps ? packed_.data() : &column_[begin], n * sizeof(Number), cudaMemcpyHostToDevice),
         "copy to the device");
  }
  void store(std::size_t begin, std::size_t count, Complaint& fine) {
    if (!room_) return;
    const bool gaps = column_.stride != 1;
    if (gaps) packed_.resize(count);
    Number* to = gaps ? packed_.data() : &column_[begin];
    if (!fine(cudaMemcpy(to, room_.get(), count * sizeof(Number), cudaMemcpyDeviceToHost), "copy from the device"))
      return;
    if (gaps)
      for (std::size_t i = 0; i < count; ++i) column_[begin + i] = packed_[i];
  }

 private:
  Column<T> column_;
  DeviceMemory room_;
  std::vector<Number> packed_;
};

/// Calls f for each column of contacts or outcomes, always in the same order.
template <class Contacts, class F>
void each_contact_column(Contacts& contacts, bool symmetric, F f) {
  for (std::size_t k = 0; k < 9; ++k)
    if (!symmetric || (k != 3 && k != 6 && k != 7)) f(contacts.matrix[k]);  // the others are the same columns
  for (auto& column : contacts.V) f(column);
  for (auto& column : contacts.n) f(column);
}
template <class Outcomes, class F>
void each_number_column(Outcomes& out, F f) {
  for (auto& column : out.P) f(column);
  for (auto& column : out.V) f(column);
  f(out.energy_change);
  f(out.normal_work);
  f(out.friction_work);
  for (auto& column : out.margins) f(column);
}
template <class Outcomes, class F>
void each_byte_column(Outcomes& out, F f) {
  f(out.permissible);
  f(out.violated);
  f(out.mode);
  f(out.termination);
  f(out.status);
}

/// Whether no column has gaps, and all have a number for each collision.
template <class T>
bool dense(const DeviceJob<T>& job) {
  bool verdict = true;
  const auto look = [&](const auto& column) { verdict = verdict && (!column.present() || column.stride == 1); };
  each_contact_column(job.contacts, job.symmetric, look);
  each_number_column(job.outcomes, look);
  each_byte_column(job.outcomes, look);
  for (const auto& parameter : job.parameters) look(parameter.values);
  return verdict;
}

/// Where the columns of a job lie.
struct Places {
  bool copied = false;    ///< some column with a number for each collision lies in the memory of the processor
  bool resident = false;  ///< some column lies on the device

  template <class T>
  void note(const Column<T>& column) {
    if (!column.present()) return;
    if (on_device(column.data))
      resident = true;
    else if (column.stride != 0)
      copied = true;
  }
};

}  // namespace

template <class T>
Expected<Refusals> run_on_device(PackLaw law, const PackJob<T>& job) {
  if (const auto there = cuda_device(); !there) return tl::unexpected(there.error());
  if (job.contacts.count == 0) return Refusals{};
  DeviceJob<T> told;
  told.contacts = job.contacts;
  told.outcomes = job.outcomes;
  told.symmetric = job.contacts.symmetric();

  Places places;
  const auto note = [&](const auto& column) { places.note(column); };
  each_contact_column(job.contacts, told.symmetric, note);
  each_number_column(job.outcomes, note);
  each_byte_column(job.outcomes, note);
  for (const auto& parameter : job.parameters) note(parameter.values);
  const std::size_t room = std::min(places.copied ? piece : most_at_once, job.contacts.count);

  Complaint fine;
  DeviceMemory own_status, counter;
  void* p = nullptr;
  if (fine(cudaMalloc(&p, counters * sizeof(Unanswered)), "memory")) counter.reset(p);
  // Statuses tell which collisions are left to the processor, whether the caller wants them or not.
  const bool decides = !places.resident;
  if (decides && !job.outcomes.status.present()) {
    if (fine(cudaMalloc(&p, room), "memory")) own_status.reset(p);
    told.outcomes.status = {static_cast<std::uint8_t*>(own_status.get()), 1};
  }
  told.unanswered = static_cast<Unanswered*>(counter.get());
  std::vector<Staged<const T>> inputs;
  std::vector<Staged<T>> numbers;
  std::vector<Staged<std::uint8_t>> bytes;
  each_contact_column(job.contacts, told.symmetric, [&](const auto& c) { inputs.emplace_back(c, room, fine); });
  for (std::size_t k = 0; k < most_parameters; ++k) {
    const PackParameter<T>& parameter = job.parameters[k];
    told.parameters[k].bounds = parameter.bounds;
    const bool same = parameter.values.present() && parameter.values.stride == 0 && !on_device(parameter.values.data);
    told.same[k] = same ? *parameter.values.data : T(0);
    inputs.emplace_back(same ? Column<const T>{} : parameter.values, room, fine);
  }
  each_number_column(job.outcomes, [&](const auto& c) { numbers.emplace_back(c, room, fine); });
  each_byte_column(told.outcomes, [&](const auto& c) { bytes.emplace_back(c, room, fine); });
  if (fine.error()) return tl::unexpected(*fine.error());

  Refusals refused;
  for (std::size_t begin = 0; begin < job.contacts.count; begin += room) {
    const std::size_t count = std::min(room, job.contacts.count - begin);
    for (auto& column : inputs) column.load(begin, count, fine);
    told.contacts.count = count;
    told.begin = begin;
    std::size_t k = 0;
    each_contact_column(told.contacts, told.symmetric, [&](auto& c) { c = inputs[k++].from(begin); });
    for (auto& parameter : told.parameters) parameter.values = inputs[k++].from(begin);
    k = 0;
    each_number_column(told.outcomes, [&](auto& c) { c = numbers[k++].from(begin); });
    k = 0;
    each_byte_column(told.outcomes, [&](auto& c) { c = bytes[k++].from(begin); });
    if (own_status) told.outcomes.status = {static_cast<std::uint8_t*>(own_status.get()), 1};
    std::vector<Unanswered> seen(counters, Unanswered{0, ~0ULL});
    fine(cudaMemcpy(told.unanswered, seen.data(), counters * sizeof(Unanswered), cudaMemcpyHostToDevice), "memory");
    kernel_of<T>(law, dense(told))<<<unsigned((count + block - 1) / block), block>>>(told);
    fine(cudaGetLastError(), "launch");
    fine(cudaMemcpy(seen.data(), told.unanswered, counters * sizeof(Unanswered), cudaMemcpyDeviceToHost), "run");
    Refusals unanswered;
    for (const Unanswered& one : seen) unanswered.add(Refusals{std::size_t(one.count), std::size_t(one.first)});
    for (auto& column : numbers) column.store(begin, count, fine);
    for (auto& column : bytes) column.store(begin, count, fine);
    if (fine.error()) return tl::unexpected(*fine.error());
    if (unanswered.count == 0) continue;
    if (!decides) {
      refused.add(unanswered);
      continue;
    }
    std::vector<std::uint8_t> statuses;
    if (own_status) {
      statuses.resize(count);
      fine(cudaMemcpy(statuses.data(), own_status.get(), count, cudaMemcpyDeviceToHost), "copy from the device");
      if (fine.error()) return tl::unexpected(*fine.error());
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto status = BatchStatus(own_status ? statuses[i] : job.outcomes.status[begin + i]);
      if (status == BatchStatus::answered) continue;
      if (status != BatchStatus::open || !job.decide(job.context, begin + i)) refused.add(begin + i);
    }
  }
  return refused;
}

template Expected<Refusals> run_on_device(PackLaw law, const PackJob<double>& job);
template Expected<Refusals> run_on_device(PackLaw law, const PackJob<float>& job);

}  // namespace batch_detail

Expected<std::string> cuda_device() {
  int count = 0;
  if (const cudaError_t code = cudaGetDeviceCount(&count); code != cudaSuccess || count == 0) {
    (void)cudaGetLastError();
    return fail(ErrorCode::unavailable, "device", "cuda",
                code == cudaSuccess ? "there is no CUDA device" : std::string(cudaGetErrorString(code)));
  }
  int current = 0;
  cudaDeviceProp properties{};
  if (const cudaError_t code = cudaGetDevice(&current); code != cudaSuccess)
    return fail(ErrorCode::unavailable, "device", "cuda", std::string(cudaGetErrorString(code)));
  if (const cudaError_t code = cudaGetDeviceProperties(&properties, current); code != cudaSuccess)
    return fail(ErrorCode::unavailable, "device", "cuda", std::string(cudaGetErrorString(code)));
  return std::string(properties.name);
}

}  // namespace ricochet
