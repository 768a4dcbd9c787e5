#pragma once
/// Many collisions as columns of numbers, docs/batch.md: what goes in and what comes out. Columns belong to the caller;
/// nothing is copied.

#include <array>
#include <cstddef>
#include <cstdint>

#include "ricochet/base/linear.hpp"

namespace ricochet {

/// The number of collision i lies at data[i · stride]. A stride of 0 is one number for all; other arrangements than
/// numbers next to each other cost time. Without `data` an output is not wanted.
template <class T>
struct Column {
  T* data = nullptr;
  std::ptrdiff_t stride = 1;

  [[nodiscard]] RICOCHET_HD bool present() const { return data != nullptr; }
  [[nodiscard]] RICOCHET_HD T& operator[](std::size_t i) const { return data[static_cast<std::ptrdiff_t>(i) * stride]; }
};

/// T is double or float.
template <class T>
struct ContactColumns {
  std::size_t count = 0;
  bool mass_given = true;                 ///< the matrix is M; otherwise W
  std::array<Column<const T>, 9> matrix;  ///< by rows; `by_six_entries` makes it of a symmetric one's
  std::array<Column<const T>, 3> V, n;    ///< n of any length

  /// Entries 11, 12, 13, 22, 23, 33.
  void by_six_entries(const std::array<Column<const T>, 6>& entries) {
    matrix = {entries[0], entries[1], entries[2], entries[1], entries[3],
              entries[4], entries[2], entries[4], entries[5]};
  }
  /// Whether entries across the diagonal are the same numbers.
  [[nodiscard]] bool symmetric() const {
    const auto same = [&](std::size_t i, std::size_t j) {
      return matrix[i].data == matrix[j].data && matrix[i].stride == matrix[j].stride;
    };
    return same(1, 3) && same(2, 6) && same(5, 7);
  }
};

/// `Outcome` (law/outcome.hpp) without its path.
template <class T>
struct OutcomeColumns {
  std::array<Column<T>, 3> P, V;
  Column<T> energy_change, normal_work, friction_work;
  std::array<Column<T>, 4> margins;  ///< energy, separation, compression, friction
  Column<std::uint8_t> permissible;  ///< 1 or 0
  Column<std::uint8_t> violated;     ///< a bit for each condition, 1 << Condition
  Column<std::uint8_t> mode;         ///< Mode; `no_answer` without an answer
  Column<std::uint8_t> termination;  ///< Termination; `no_answer` without an answer
  Column<std::uint8_t> status;       ///< `status_of` an ErrorCode; 0 with an answer
};

/// In place of a mode. Numbers are NaN where there is no answer.
inline constexpr std::uint8_t no_answer = 255;

}  // namespace ricochet
