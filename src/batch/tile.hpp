#pragma once
/// Columns by tiles of collisions: while a tile is answered, each of its columns is a run of numbers next to each
/// other, that of the caller itself where it is one, else a copy.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "pack_job.hpp"
#include "ricochet/base/pack.hpp"

namespace ricochet::batch_detail {

/// Most collisions of a tile: a bit for each in a word.
inline constexpr std::size_t tile_size = 64;

template <class T, int N>
class Tile {
 public:
  using P = Pack<T, N>;
  typedef std::uint8_t Bytes __attribute__((vector_size(N * sizeof(std::uint8_t))));

  /// Places of the first of the columns that belong together.
  enum Input : std::size_t { matrix = 0, velocity = 9, normal = 12, parameter = 15, inputs = 15 + most_parameters };
  enum Output : std::size_t {
    impulse = 0,
    velocity_after = 3,
    energy_change = 6,
    normal_work,
    friction_work,
    margin,
    outputs = 13
  };
  enum ByteOutput : std::size_t { permissible, violated, mode, termination, status, byte_outputs };

  /// Of a symmetric matrix only the entries on and above the diagonal may be loaded, of parameters the first few.
  Tile(const PackJob<T>& job, bool symmetric, std::size_t parameters) {
    const ContactColumns<T>& c = job.contacts;
    for (std::size_t k = 0; k < 9; ++k)
      if (!symmetric || k / 3 <= k % 3) take(matrix + k, c.matrix[k]);
    for (std::size_t k = 0; k < 3; ++k) {
      take(velocity + k, c.V[k]);
      take(normal + k, c.n[k]);
    }
    for (std::size_t k = 0; k < parameters; ++k) take(parameter + k, job.parameters[k].values);
    const OutcomeColumns<T>& o = job.outcomes;
    for (std::size_t k = 0; k < 3; ++k) {
      numbers_.give(impulse + k, o.P[k]);
      numbers_.give(velocity_after + k, o.V[k]);
    }
    numbers_.give(energy_change, o.energy_change);
    numbers_.give(normal_work, o.normal_work);
    numbers_.give(friction_work, o.friction_work);
    for (std::size_t k = 0; k < 4; ++k) numbers_.give(margin + k, o.margins[k]);
    bytes_.give(permissible, o.permissible);
    bytes_.give(violated, o.violated);
    bytes_.give(mode, o.mode);
    bytes_.give(termination, o.termination);
    bytes_.give(status, o.status);
  }

  /// How many collisions the tile that starts at `begin` has. The first one ends where a line of the cache does in the
  /// first column of outputs, and most likely in the others.
  [[nodiscard]] std::size_t size(std::size_t begin, std::size_t end) const {
    constexpr std::size_t line = 64 / sizeof(T);
    std::size_t most = tile_size;
    if (const T* column = numbers_.first_run(); column != nullptr) {
      const std::size_t off = reinterpret_cast<std::uintptr_t>(column + begin) / sizeof(T) % line;
      if (off != 0) most = line - off;
    }
    return std::min(end - begin, most);
  }

  /// The collisions begin to begin + count become those of the tile.
  void open(std::size_t begin, std::size_t count) {
    begin_ = begin;
    count_ = count;
    const bool whole = count % N == 0;
    for (std::size_t c = 0; c < taken_; ++c) {
      const auto& [column, place] = taken_columns_[c];
      if (column.stride == 0 && !replaced_) continue;  // the copy has them
      const T* from = column.data + static_cast<std::ptrdiff_t>(begin) * column.stride;
      if (whole && column.stride == 1) {
        in_[place] = from;
        continue;
      }
      Copy<T>& copy = copies_[place];
      in_[place] = copy.data();
      if (column.stride == 0)
        copy.fill(*from);
      else
        for (std::size_t k = 0; k < count; ++k) copy[k] = from[static_cast<std::ptrdiff_t>(k) * column.stride];
      // Any valid collision will do for the lanes beyond the last one.
      for (std::size_t k = count; k % N != 0; ++k) copy[k] = *from;
    }
    replaced_ = false;
    numbers_.open(begin, whole);
    bytes_.open(begin, whole);
  }

  /// The numbers k to k + N of the tile.
  [[nodiscard]] P load(std::size_t input, std::size_t k) const { return P::load(in_[input] + k); }
  /// Other numbers than the column has, until the tile is closed.
  void replace(std::size_t input, std::size_t k, const P& x) {
    Copy<T>& copy = copies_[input];
    if (in_[input] != copy.data()) {
      std::copy_n(in_[input], count_, copy.begin());
      in_[input] = copy.data();
    }
    x.store(&copy[k]);
    replaced_ = true;
  }
  void store(std::size_t output, std::size_t k, const P& x) const {
    if (T* to = numbers_.out[output]; to != nullptr) x.store(to + k);
  }
  template <class Words>
  void store_bytes(std::size_t output, std::size_t k, const Words& words) const {
    std::uint8_t* to = bytes_.out[output];
    if (to == nullptr) return;
    const Bytes bytes = __builtin_convertvector(words, Bytes);
    __builtin_memcpy(to + k, &bytes, N);
  }

  /// Outputs that were stored elsewhere are copied to their columns.
  void close() const {
    numbers_.close(begin_, count_);
    bytes_.close(begin_, count_);
  }

 private:
  template <class U>
  using Copy = std::array<U, tile_size>;

  /// Columns of U that are written.
  template <class U, std::size_t most>
  struct Given {
    struct Used {
      Column<U> column;
      std::size_t place;
      bool copied;
    };
    std::array<U*, most> out{};  ///< null where the output is not wanted
    std::array<Used, most> columns;
    std::size_t count = 0;
    alignas(64) std::array<Copy<U>, most> copies;

    void give(std::size_t place, const Column<U>& column) {
      if (column.present()) columns[count++] = {column, place, false};
    }
    [[nodiscard]] const U* first_run() const {
      return count > 0 && columns[0].column.stride == 1 ? columns[0].column.data : nullptr;
    }
    void open(std::size_t begin, bool whole) {
      for (std::size_t c = 0; c < count; ++c) {
        auto& [column, place, copied] = columns[c];
        copied = !whole || column.stride != 1;
        out[place] = copied ? copies[place].data() : column.data + begin;
      }
    }
    void close(std::size_t begin, std::size_t size) const {
      for (std::size_t c = 0; c < count; ++c) {
        const auto& [column, place, copied] = columns[c];
        if (!copied) continue;
        U* to = column.data + static_cast<std::ptrdiff_t>(begin) * column.stride;
        for (std::size_t k = 0; k < size; ++k) to[static_cast<std::ptrdiff_t>(k) * column.stride] = copies[place][k];
      }
    }
  };
  struct Taken {
    Column<const T> column;
    std::size_t place;
  };

  void take(std::size_t place, const Column<const T>& column) { taken_columns_[taken_++] = {column, place}; }

  std::size_t begin_ = 0, count_ = 0, taken_ = 0;
  bool replaced_ = true;  ///< numbers that are the same for all have to be copied (again)
  std::array<const T*, inputs> in_;
  std::array<Taken, inputs> taken_columns_;
  alignas(64) std::array<Copy<T>, inputs> copies_;
  Given<T, outputs> numbers_;
  Given<std::uint8_t, byte_outputs> bytes_;
};

}  // namespace ricochet::batch_detail
