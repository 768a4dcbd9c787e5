#pragma once
/// N numbers that are computed with at once, one in each lane of a vector register: the scalar of a kernel that is
/// written with `select` (base/select.hpp). Every operation rounds as that of a single number does, so that a lane has
/// the bits that the kernel would give for its number alone, provided that the compiler fuses no products and sums
/// (-ffp-contract=off). Vectors are those of GCC and Clang; N is any power of two, and registers narrower than N lanes
/// are used several at a time.

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "ricochet/base/select.hpp"

namespace ricochet {

namespace pack_detail {
template <class T>
using Word = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

}  // namespace pack_detail

/// Verdicts on the lanes of a Pack<T, N>.
template <class T, int N>
struct Mask {
  using Word = pack_detail::Word<T>;
  typedef Word Words __attribute__((vector_size(N * sizeof(Word))));
  Words m;  ///< all bits of a lane, or none

  Mask() = default;
  Mask(Words lanes) : m(lanes) {}  // NOLINT(google-explicit-constructor): what a comparison of vectors gives
  Mask(bool verdict)               // NOLINT(google-explicit-constructor): the same for all lanes
      : m((verdict ? Word(-1) : Word(0)) - Words{}) {}

  template <class Vector>
  [[nodiscard]] static Mask less(const Vector& x, const Vector& y) {
    return x < y;
  }
  template <class Vector>
  [[nodiscard]] static Mask less_equal(const Vector& x, const Vector& y) {
    return x <= y;
  }
  template <class Vector>
  [[nodiscard]] static Mask equal(const Vector& x, const Vector& y) {
    return x == y;
  }
  template <class Vector>
  [[nodiscard]] Vector choose(const Vector& yes, const Vector& no) const {
    return m ? yes : no;
  }

  [[nodiscard]] bool operator[](int lane) const { return m[lane] != 0; }
  [[nodiscard]] Words words() const { return m; }
  friend Mask operator&&(const Mask& x, const Mask& y) { return x.m & y.m; }
  friend Mask operator||(const Mask& x, const Mask& y) { return x.m | y.m; }
  friend Mask operator!(const Mask& x) { return ~x.m; }

  friend bool any(const Mask& x) {
#if defined(__AVX__)
    if constexpr (sizeof(Words) == 32) return _mm256_testz_si256((__m256i)x.m, (__m256i)x.m) == 0;
#endif
#if defined(__SSE2__)
    if constexpr (sizeof(Words) == 16) return _mm_movemask_epi8((__m128i)x.m) != 0;
#endif
    Word bits = 0;
    for (int i = 0; i < N; ++i) bits |= x.m[i];
    return bits != 0;
  }
  friend bool all(const Mask& x) { return !any(!x); }
};

#if defined(__AVX512DQ__)
/// Registers of AVX-512 are judged in registers of their own, with a bit for each lane.
template <class T, int N>
requires(N * sizeof(T) == 64) struct Mask<T, N> {
  using Bits = std::conditional_t<N == 8, __mmask8, __mmask16>;
  using Word = pack_detail::Word<T>;
  typedef Word Words __attribute__((vector_size(64)));
  Bits m;

  Mask() = default;
  Mask(bool verdict) : m(verdict ? Bits(-1) : Bits(0)) {}  // NOLINT(google-explicit-constructor): for all lanes
  [[nodiscard]] static Mask of_bits(Bits bits) {
    Mask out;
    out.m = bits;
    return out;
  }

  [[nodiscard]] bool operator[](int lane) const { return (m >> lane & 1) != 0; }
  /// All bits of a lane, or none.
  [[nodiscard]] Words words() const {
    if constexpr (N == 8)
      return (Words)_mm512_movm_epi64(m);
    else
      return (Words)_mm512_movm_epi32(m);
  }
  friend Mask operator&&(const Mask& x, const Mask& y) { return of_bits(Bits(x.m & y.m)); }
  friend Mask operator||(const Mask& x, const Mask& y) { return of_bits(Bits(x.m | y.m)); }
  friend Mask operator!(const Mask& x) { return of_bits(Bits(~x.m)); }
  friend bool any(const Mask& x) { return x.m != 0; }
  friend bool all(const Mask& x) { return x.m == Bits(-1); }

  [[nodiscard]] static Mask less(__m512d x, __m512d y) { return of_bits(_mm512_cmp_pd_mask(x, y, _CMP_LT_OS)); }
  [[nodiscard]] static Mask less(__m512 x, __m512 y) { return of_bits(_mm512_cmp_ps_mask(x, y, _CMP_LT_OS)); }
  [[nodiscard]] static Mask less_equal(__m512d x, __m512d y) { return of_bits(_mm512_cmp_pd_mask(x, y, _CMP_LE_OS)); }
  [[nodiscard]] static Mask less_equal(__m512 x, __m512 y) { return of_bits(_mm512_cmp_ps_mask(x, y, _CMP_LE_OS)); }
  [[nodiscard]] static Mask equal(__m512d x, __m512d y) { return of_bits(_mm512_cmp_pd_mask(x, y, _CMP_EQ_OQ)); }
  [[nodiscard]] static Mask equal(__m512 x, __m512 y) { return of_bits(_mm512_cmp_ps_mask(x, y, _CMP_EQ_OQ)); }
  [[nodiscard]] static Mask equal(Words x, Words y) {
    if constexpr (N == 8)
      return of_bits(_mm512_cmpeq_epi64_mask((__m512i)x, (__m512i)y));
    else
      return of_bits(_mm512_cmpeq_epi32_mask((__m512i)x, (__m512i)y));
  }
  [[nodiscard]] __m512d choose(__m512d yes, __m512d no) const { return _mm512_mask_blend_pd(m, no, yes); }
  [[nodiscard]] __m512 choose(__m512 yes, __m512 no) const { return _mm512_mask_blend_ps(m, no, yes); }
  [[nodiscard]] Words choose(Words yes, Words no) const {
    if constexpr (N == 8)
      return (Words)_mm512_mask_blend_epi64(m, (__m512i)no, (__m512i)yes);
    else
      return (Words)_mm512_mask_blend_epi32(m, (__m512i)no, (__m512i)yes);
  }
};
#endif

/// An enumerator for each lane of a Pack<T, N>.
template <class E, class T, int N>
struct PackOf {
  using Word = pack_detail::Word<T>;
  using Vector = typename Mask<T, N>::Words;
  Vector codes;

  PackOf() = default;
  PackOf(Vector lanes) : codes(lanes) {}                         // NOLINT(google-explicit-constructor)
  PackOf(E same) : codes(static_cast<Word>(same) - Vector{}) {}  // NOLINT(google-explicit-constructor): for all lanes
  [[nodiscard]] E operator[](int lane) const { return static_cast<E>(codes[lane]); }
  friend Mask<T, N> operator==(const PackOf& x, E y) { return Mask<T, N>::equal(x.codes, PackOf(y).codes); }
};

template <class T, int N>
struct Pack {
  typedef T Vector __attribute__((vector_size(N * sizeof(T))));
  static constexpr int lanes = N;
  Vector v;

  Pack() = default;
  Pack(Vector x) : v(x) {}  // NOLINT(google-explicit-constructor): what arithmetic of vectors gives
  template <class S>
  requires std::is_arithmetic_v<S> Pack(S x) : v(T(x) - Vector{}) {}  // NOLINT(google-explicit-constructor): a constant

  [[nodiscard]] static Pack load(const T* from) {
    Pack out;
    __builtin_memcpy(&out.v, from, sizeof(Vector));
    return out;
  }
  void store(T* to) const { __builtin_memcpy(to, &v, sizeof(Vector)); }
  [[nodiscard]] T operator[](int lane) const { return v[lane]; }

  Pack operator-() const { return -v; }
  Pack& operator+=(const Pack& y) { return *this = *this + y; }
  Pack& operator-=(const Pack& y) { return *this = *this - y; }
  Pack& operator*=(const Pack& y) { return *this = *this * y; }
  Pack& operator/=(const Pack& y) { return *this = *this / y; }
  friend Pack operator+(const Pack& x, const Pack& y) { return x.v + y.v; }
  friend Pack operator-(const Pack& x, const Pack& y) { return x.v - y.v; }
  friend Pack operator*(const Pack& x, const Pack& y) { return x.v * y.v; }
  friend Pack operator/(const Pack& x, const Pack& y) { return x.v / y.v; }

  friend Mask<T, N> operator<(const Pack& x, const Pack& y) { return Mask<T, N>::less(x.v, y.v); }
  friend Mask<T, N> operator>(const Pack& x, const Pack& y) { return Mask<T, N>::less(y.v, x.v); }
  friend Mask<T, N> operator<=(const Pack& x, const Pack& y) { return Mask<T, N>::less_equal(x.v, y.v); }
  friend Mask<T, N> operator>=(const Pack& x, const Pack& y) { return Mask<T, N>::less_equal(y.v, x.v); }
  friend Mask<T, N> operator==(const Pack& x, const Pack& y) { return Mask<T, N>::equal(x.v, y.v); }
  friend Mask<T, N> operator!=(const Pack& x, const Pack& y) { return !(x == y); }

  friend Pack abs(const Pack& x) {
    using Word = pack_detail::Word<T>;
    using Words = typename Mask<T, N>::Words;
    return (Vector)((Words)x.v & std::numeric_limits<Word>::max());
  }
  friend Pack sqrt(const Pack& x) {
#if defined(__AVX512F__)
    if constexpr (sizeof(Vector) == 64 && sizeof(T) == 8) return (Vector)_mm512_sqrt_pd((__m512d)x.v);
    if constexpr (sizeof(Vector) == 64 && sizeof(T) == 4) return (Vector)_mm512_sqrt_ps((__m512)x.v);
#endif
#if defined(__AVX__)
    if constexpr (sizeof(Vector) == 32 && sizeof(T) == 8) return (Vector)_mm256_sqrt_pd((__m256d)x.v);
    if constexpr (sizeof(Vector) == 32 && sizeof(T) == 4) return (Vector)_mm256_sqrt_ps((__m256)x.v);
#endif
#if defined(__SSE2__)
    if constexpr (sizeof(Vector) == 16 && sizeof(T) == 8) return (Vector)_mm_sqrt_pd((__m128d)x.v);
    if constexpr (sizeof(Vector) == 16 && sizeof(T) == 4) return (Vector)_mm_sqrt_ps((__m128)x.v);
#endif
    Pack out;
    for (int i = 0; i < N; ++i) out.v[i] = std::sqrt(x.v[i]);
    return out;
  }
  friend Pack pow(const Pack& x, const Pack& y) {
    Pack out;
    for (int i = 0; i < N; ++i) out.v[i] = std::pow(x.v[i], y.v[i]);
    return out;
  }
#if defined(__FMA__)
  /// x y + z, rounded once.
  friend Pack fma(const Pack& x, const Pack& y, const Pack& z) {
#if defined(__AVX512F__)
    if constexpr (sizeof(Vector) == 64 && sizeof(T) == 8)
      return (Vector)_mm512_fmadd_pd((__m512d)x.v, (__m512d)y.v, (__m512d)z.v);
    if constexpr (sizeof(Vector) == 64 && sizeof(T) == 4)
      return (Vector)_mm512_fmadd_ps((__m512)x.v, (__m512)y.v, (__m512)z.v);
#endif
    if constexpr (sizeof(Vector) == 32 && sizeof(T) == 8)
      return (Vector)_mm256_fmadd_pd((__m256d)x.v, (__m256d)y.v, (__m256d)z.v);
    if constexpr (sizeof(Vector) == 32 && sizeof(T) == 4)
      return (Vector)_mm256_fmadd_ps((__m256)x.v, (__m256)y.v, (__m256)z.v);
    Pack out;
    for (int i = 0; i < N; ++i) out.v[i] = std::fma(x.v[i], y.v[i], z.v[i]);
    return out;
  }
#endif
};

template <class T, int N>
struct LaneTraits<Pack<T, N>> {
  using Number = T;
  template <class E>
  using Each = PackOf<E, T, N>;
};

template <class T, int N>
[[nodiscard]] Pack<T, N> select(const Mask<T, N>& verdict, const Pack<T, N>& yes, const Pack<T, N>& no) {
  return Pack<T, N>(verdict.choose(yes.v, no.v));
}
template <class E, class T, int N>
[[nodiscard]] PackOf<E, T, N> select(const Mask<T, N>& verdict, const PackOf<E, T, N>& yes, const PackOf<E, T, N>& no) {
  return PackOf<E, T, N>(verdict.choose(yes.codes, no.codes));
}
template <class E, class T, int N>
requires std::is_enum_v<E>
[[nodiscard]] PackOf<E, T, N> select(const Mask<T, N>& verdict, E yes, E no) {
  return select(verdict, PackOf<E, T, N>(yes), PackOf<E, T, N>(no));
}
template <class E, class T, int N>
requires std::is_enum_v<E>
[[nodiscard]] PackOf<E, T, N> select(const Mask<T, N>& verdict, E yes, const PackOf<E, T, N>& no) {
  return select(verdict, PackOf<E, T, N>(yes), no);
}

}  // namespace ricochet

template <class T, int N>
struct std::numeric_limits<ricochet::Pack<T, N>> : std::numeric_limits<T> {};

template <class T, int N>
struct Eigen::NumTraits<ricochet::Pack<T, N>> : Eigen::NumTraits<T> {
  using Real = ricochet::Pack<T, N>;
  using NonInteger = ricochet::Pack<T, N>;
  using Nested = ricochet::Pack<T, N>;
  using Literal = ricochet::Pack<T, N>;
  enum { RequireInitialization = 0, ReadCost = 1, AddCost = 1, MulCost = 1 };
};
