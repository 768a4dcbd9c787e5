#pragma once
/// The loop over packs of N collisions: check, apply the law, certify. To be compiled once for each vector width,
/// at -O3 in every build: what is not inlined would be shared between widths by the linker, and run on processors that
/// lack the instructions. tests/batch/pack_symbols_test.sh looks for such functions.

#include <bit>
#include <utility>

#include "law_of_pack.hpp"
#include "pack_job.hpp"
#include "ricochet/base/pack.hpp"
#include "ricochet/batch/answer_kernel.hpp"
#include "tile.hpp"

namespace ricochet::batch_detail {

#if defined(__FMA__)
using PackProduct = ProductFused;
#else
using PackProduct = ProductByHalves;
#endif

template <class T, int N>
[[nodiscard]] Mask<T, N> within(const Interval& bounds, const Pack<T, N>& x) {
  const Pack<T, N> low(bounds.low), high(bounds.high);
  return (x > low || (x == low && Mask<T, N>(!bounds.low_open))) &&
         (x < high || (x == high && Mask<T, N>(!bounds.high_open)));
}

/// The entries on and above the diagonal of a symmetric matrix.
template <class P>
using SixEntries = std::array<P, 6>;
template <class P>
[[nodiscard]] SixEntries<P> six_entries(const Mat3T<P>& A) {
  return {A(0, 0), A(0, 1), A(0, 2), A(1, 1), A(1, 2), A(2, 2)};
}
template <class P>
[[nodiscard]] Mat3T<P> symmetric_matrix(const SixEntries<P>& six) {
  Mat3T<P> A;
  A(0, 0) = six[0];
  A(0, 1) = A(1, 0) = six[1];
  A(0, 2) = A(2, 0) = six[2];
  A(1, 1) = six[3];
  A(1, 2) = A(2, 1) = six[4];
  A(2, 2) = six[5];
  return A;
}

/// What is kept of the check of a pack.
template <class P>
struct CheckedPack {
  CheckedNumbers<P> verdict;
  SixEntries<P> inverse;
};

/// The impulse of a law for a pack of contacts.
template <class L, class P>
using ImpulseOf = decltype(impulse(std::declval<const L&>(), std::declval<const ContactView<P>&>()));

/// The steps to an answer wait for each other, and a processor looks ahead only some hundred instructions to find
/// others to execute meanwhile. A tile is therefore answered in three passes, each with so few steps that it reaches
/// into the next packs.
template <PackLaw which, class T, int N>
[[gnu::flatten]] Refusals pack_loop(const PackJob<T>& job, std::size_t begin, std::size_t end) {
  using P = Pack<T, N>;
  using Words = typename Mask<T, N>::Words;
  using Status = PackOf<BatchStatus, T, N>;
  using Maker = LawOfPack<which, P>;
  using Place = Tile<T, N>;
  using Impulses = std::array<ImpulseOf<decltype(Maker::make({})), P>, tile_size / N>;
  const bool symmetric = job.contacts.symmetric(), mass_given = job.contacts.mass_given;
  const P nan(std::numeric_limits<T>::quiet_NaN());
  Refusals refused;
  Place tile(job, symmetric, Maker::parameters);
  std::array<CheckedPack<P>, tile_size / N> checked;
  Impulses impulses;
  constexpr std::array<std::size_t, 6> upper_entries{0, 1, 2, 4, 5, 8};  // of nine by rows
  const auto load3 = [&](std::size_t input, std::size_t i) {
    return Vec3T<P>(tile.load(input, i), tile.load(input + 1, i), tile.load(input + 2, i));
  };
  const auto load_matrix = [&](std::size_t i) {
    const auto entry = [&](std::size_t k) { return tile.load(Place::matrix + upper_entries[k], i); };
    return symmetric_matrix<P>({entry(0), entry(1), entry(2), entry(3), entry(4), entry(5)});
  };
  const auto load_whole_matrix = [&](std::size_t i) {
    Mat3T<P> A = load_matrix(i);
    if (!symmetric) {
      A(1, 0) = tile.load(Place::matrix + 3, i);
      A(2, 0) = tile.load(Place::matrix + 6, i);
      A(2, 1) = tile.load(Place::matrix + 7, i);
    }
    return A;
  };
  const auto load_parameters = [&](std::size_t i) {
    std::array<P, most_parameters> parameters;
    for (std::size_t k = 0; k < Maker::parameters; ++k) parameters[k] = tile.load(Place::parameter + k, i);
    return parameters;
  };
  for (std::size_t first = begin, count = 0; first < end; first += count) {
    count = tile.size(first, end);
    tile.open(first, count);

    bool some_changed = false;
    for (std::size_t i = 0; i < count; i += N) {
      Mat3T<P> A = load_whole_matrix(i), X;
      Vec3T<P> n = load3(Place::normal, i);
      CheckedPack<P>& pack = checked[i / N];
      pack.verdict = check_and_invert<PackProduct, P>(A, X, load3(Place::velocity, i), n, symmetric);
      pack.inverse = six_entries<P>(X);
      some_changed = some_changed || pack.verdict.changed;
    }
    if (some_changed) [[unlikely]] {
      for (std::size_t i = 0; i < count; i += N) {
        if (!checked[i / N].verdict.changed) continue;
        // Once more: to keep the numbers from the first time would take registers that the inversion needs.
        Mat3T<P> A = load_whole_matrix(i);
        Vec3T<P> n = load3(Place::normal, i);
        (void)check_contact<P>(A, load3(Place::velocity, i), n);
        const SixEntries<P> six = six_entries<P>(A);
        for (std::size_t k = 0; k < 6; ++k) tile.replace(Place::matrix + upper_entries[k], i, six[k]);
        for (std::size_t k = 0; k < 3; ++k) tile.replace(Place::normal + k, i, n(int(k)));
      }
    }

    for (std::size_t i = 0; i < count; i += N) {
      const Mat3T<P> A = load_matrix(i), X = symmetric_matrix<P>(checked[i / N].inverse);
      const Vec3T<P> V = load3(Place::velocity, i), n = load3(Place::normal, i);
      const auto law = Maker::make(load_parameters(i));
      impulses[i / N] =
          mass_given ? impulse(law, ContactView<P>(A, X, V, n)) : impulse(law, ContactView<P>(X, A, V, n));
    }

    std::uint64_t without_answer = 0, open = 0;
    for (std::size_t i = 0; i < count; i += N) {
      const CheckedPack<P>& pack = checked[i / N];
      const Mat3T<P> A = load_matrix(i), X = symmetric_matrix<P>(pack.inverse);
      const Vec3T<P> V = load3(Place::velocity, i), n = load3(Place::normal, i);
      const std::array<P, most_parameters> parameters = load_parameters(i);
      const P mu = Maker::cone(Maker::make(parameters));
      const auto& impulse_of_law = impulses[i / N];
      BatchAnswer<P> answer = mass_given
                                  ? answer_of_impulse(impulse_of_law, mu, pack.verdict, ContactView<P>(A, X, V, n))
                                  : answer_of_impulse(impulse_of_law, mu, pack.verdict, ContactView<P>(X, A, V, n));
      Mask<T, N> fits(true);
      for (std::size_t k = 0; k < Maker::parameters; ++k)
        fits = fits && within(job.parameters[k].bounds, parameters[k]);
      if (!all(fits)) [[unlikely]]
        answer.status = select(fits, answer.status, Status(BatchStatus::open));

      Certified<P>& a = answer.numbers;
      const Violations<P>& v = a.judged.violated;
      Words violated =
          (v.energy.words() & 1) | (v.separation.words() & 2) | (v.compression.words() & 4) | (v.friction.words() & 8);
      Words permissible = (violated == 0) & 1;
      const Mask<T, N> without = !(answer.status == BatchStatus::answered);
      if (any(without)) [[unlikely]] {
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
        const Words none = without.words();
        violated &= ~none;
        permissible &= ~none;
        answer.mode.codes |= none;  // all bits of a byte: no_answer
        answer.termination.codes |= none;
        for (std::size_t k = 0; k < N && i + k < count; ++k) {
          const int lane = static_cast<int>(k);
          without_answer |= std::uint64_t{without[lane]} << (i + k);
          open |= std::uint64_t{answer.status[lane] == BatchStatus::open} << (i + k);
        }
      }
      for (std::size_t k = 0; k < 3; ++k) {
        tile.store(Place::impulse + k, i, a.P(int(k)));
        tile.store(Place::velocity_after + k, i, a.V(int(k)));
      }
      tile.store(Place::energy_change, i, a.energy_change);
      tile.store(Place::normal_work, i, a.normal_work);
      tile.store(Place::friction_work, i, a.friction_work);
      tile.store(Place::margin + 0, i, a.judged.margins.energy);
      tile.store(Place::margin + 1, i, a.judged.margins.separation);
      tile.store(Place::margin + 2, i, a.judged.margins.compression);
      tile.store(Place::margin + 3, i, a.judged.margins.friction);
      tile.store_bytes(Place::permissible, i, permissible);
      tile.store_bytes(Place::violated, i, violated);
      tile.store_bytes(Place::mode, i, answer.mode.codes);
      tile.store_bytes(Place::termination, i, answer.termination.codes);
      tile.store_bytes(Place::status, i, answer.status.codes);
    }

    tile.close();
    for (; without_answer != 0; without_answer &= without_answer - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(without_answer));
      if ((open >> k & 1U) == 0 || !job.decide(job.context, first + k)) refused.add(first + k);
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
