#pragma once
/// The loop over packs of N collisions: load columns, answer, store columns. To be compiled once for each vector width,
/// at -O3 in every build: what is not inlined would be shared between widths by the linker, and run on processors that
/// lack the instructions. tests/batch/pack_symbols_test.sh looks for such functions.

#include <utility>

#include "law_of_pack.hpp"
#include "pack_job.hpp"
#include "ricochet/base/pack.hpp"
#include "ricochet/batch/answer_kernel.hpp"

namespace ricochet::batch_detail {

#if defined(__FMA__)
using PackProduct = ProductFused;
#else
using PackProduct = ProductByHalves;
#endif

/// Loads and stores the collisions i to i + N, or those of them that are before `end`.
template <class T, int N>
class Place {
 public:
  using P = Pack<T, N>;
  typedef std::uint8_t Bytes __attribute__((vector_size(N * sizeof(std::uint8_t))));

  Place(std::size_t begin, std::size_t end) : begin_(begin), count_(end - begin < N ? int(end - begin) : N) {}

  [[nodiscard]] P load(const Column<const T>& column) const {
    if (column.stride == 0) return P(*column.data);
    const T* from = column.data + static_cast<std::ptrdiff_t>(begin_) * column.stride;
    if (count_ == N) return column.stride == 1 ? P::load(from) : P::load(from, column.stride);
    P out;
    for (int k = 0; k < N; ++k) out.v[k] = from[(k < count_ ? k : 0) * column.stride];  // any valid collision will do
    return out;
  }
  void store(const Column<T>& column, const P& x) const {
    if (!column.present()) return;
    T* to = column.data + static_cast<std::ptrdiff_t>(begin_) * column.stride;
    if (count_ == N && column.stride == 1) return x.store(to);
    for (int k = 0; k < count_; ++k) to[k * column.stride] = x[k];
  }
  template <class Words>
  void store_bytes(const Column<std::uint8_t>& column, const Words& words) const {
    if (!column.present()) return;
    std::uint8_t* to = column.data + static_cast<std::ptrdiff_t>(begin_) * column.stride;
    if (count_ == N && column.stride == 1) {
      Bytes bytes = __builtin_convertvector(words, Bytes);
      __builtin_memcpy(to, &bytes, N);
      return;
    }
    for (int k = 0; k < count_; ++k) to[k * column.stride] = static_cast<std::uint8_t>(words[k]);
  }
  [[nodiscard]] int count() const { return count_; }

 private:
  std::size_t begin_;
  int count_;
};

template <class T, int N>
[[nodiscard]] Mask<T, N> within(const Interval& bounds, const Pack<T, N>& x) {
  const Pack<T, N> low(bounds.low), high(bounds.high);
  return (x > low || (x == low && Mask<T, N>(!bounds.low_open))) &&
         (x < high || (x == high && Mask<T, N>(!bounds.high_open)));
}

template <PackLaw which, class T, int N>
[[gnu::flatten]] Refusals pack_loop(const PackJob<T>& job, std::size_t begin, std::size_t end) {
  using P = Pack<T, N>;
  using Words = typename Mask<T, N>::Vector;
  using Status = PackOf<BatchStatus, T, N>;
  using Maker = LawOfPack<which, P>;
  const bool symmetric = job.contacts.symmetric();
  const P nan(std::numeric_limits<T>::quiet_NaN());
  Refusals refused;
  for (std::size_t i = begin; i < end; i += N) {
    const Place<T, N> place(i, end);
    const auto load3 = [&](const std::array<Column<const T>, 3>& c) {
      return Vec3T<P>(place.load(c[0]), place.load(c[1]), place.load(c[2]));
    };
    Mat3T<P> A;
    const auto& m = job.contacts.matrix;
    A(0, 0) = place.load(m[0]);
    A(0, 1) = A(1, 0) = place.load(m[1]);
    A(0, 2) = A(2, 0) = place.load(m[2]);
    A(1, 1) = place.load(m[4]);
    A(1, 2) = A(2, 1) = place.load(m[5]);
    A(2, 2) = place.load(m[8]);
    if (!symmetric) {
      A(1, 0) = place.load(m[3]);
      A(2, 0) = place.load(m[6]);
      A(2, 1) = place.load(m[7]);
    }
    std::array<P, most_parameters> parameters;
    Mask<T, N> fits(true);
    for (std::size_t k = 0; k < Maker::parameters; ++k) {
      parameters[k] = place.load(job.parameters[k].values);
      fits = fits && within(job.parameters[k].bounds, parameters[k]);
    }
    const auto law = Maker::make(parameters);
    BatchAnswer<P> answer = batch_answer<PackProduct>(law, Maker::cone(law), job.contacts.mass_given, symmetric, A,
                                                      load3(job.contacts.V), load3(job.contacts.n));
    answer.status = select(fits, answer.status, Status(BatchStatus::open));

    Certified<P>& a = answer.numbers;
    const Violations<P>& v = a.judged.violated;
    Words violated = (v.energy.m & 1) | (v.separation.m & 2) | (v.compression.m & 4) | (v.friction.m & 8);
    Words permissible = (violated == 0) & 1;
    const Mask<T, N> without = !(answer.status == BatchStatus::answered);
    const bool some_without = any(without);
    if (some_without) {
      const auto clear = [&](P& x) { x = select(without, nan, x); };
      for (int k = 0; k < 3; ++k) {
        clear(a.P(k));
        clear(a.V(k));
      }
      clear(a.energy_change);
      clear(a.normal_work);
      clear(a.friction_work);
      clear(a.judged.margins.energy);
      clear(a.judged.margins.separation);
      clear(a.judged.margins.compression);
      clear(a.judged.margins.friction);
      violated &= ~without.m;
      permissible &= ~without.m;
      answer.mode.codes |= without.m;  // all bits of a byte: no_answer
      answer.termination.codes |= without.m;
    }
    const OutcomeColumns<T>& out = job.outcomes;
    for (std::size_t k = 0; k < 3; ++k) {
      place.store(out.P[k], a.P(int(k)));
      place.store(out.V[k], a.V(int(k)));
    }
    place.store(out.energy_change, a.energy_change);
    place.store(out.normal_work, a.normal_work);
    place.store(out.friction_work, a.friction_work);
    place.store(out.margins[0], a.judged.margins.energy);
    place.store(out.margins[1], a.judged.margins.separation);
    place.store(out.margins[2], a.judged.margins.compression);
    place.store(out.margins[3], a.judged.margins.friction);
    place.store_bytes(out.permissible, permissible);
    place.store_bytes(out.violated, violated);
    place.store_bytes(out.mode, answer.mode.codes);
    place.store_bytes(out.termination, answer.termination.codes);
    place.store_bytes(out.status, answer.status.codes);
    if (some_without) {
      for (int k = 0; k < place.count(); ++k) {
        if (!without[k]) continue;
        const std::size_t at = i + std::size_t(k);
        if (answer.status[k] != BatchStatus::open || !job.decide(job.context, at)) refused.add(at);
      }
    }
  }
  return refused;
}

template <class T, int N>
[[nodiscard]] const PackLoops<T>& all_pack_loops() {
  static constexpr PackLoops<T> loops = []<std::size_t... I>(std::index_sequence<I...>) {
    return PackLoops<T>{&pack_loop<static_cast<PackLaw>(I), T, N>...};
  }
  (std::make_index_sequence<pack_laws>{});
  return loops;
}

}  // namespace ricochet::batch_detail
