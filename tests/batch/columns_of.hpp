#pragma once
/// Drawn collisions as columns with room for their outcomes.

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ricochet/batch/collide.hpp"
#include "ricochet/batch/draw_collision.hpp"
#include "ricochet/law/law_table.hpp"
#include "ricochet/law/make_law.hpp"

namespace ricochet::testing {

/// All numbers lie in one vector, the columns with gaps between their numbers where `stride` exceeds 1.
template <class T>
class ColumnsOf {
 public:
  ColumnsOf(std::size_t count, std::size_t stride = 1) : count_(count), stride_(stride) {}

  Column<T> number(double fill = -7) {
    numbers_.push_back(std::vector<T>(count_ * stride_, static_cast<T>(fill)));
    return {numbers_.back().data(), static_cast<std::ptrdiff_t>(stride_)};
  }
  Column<std::uint8_t> byte() {
    bytes_.push_back(std::vector<std::uint8_t>(count_ * stride_, std::uint8_t{77}));
    return {bytes_.back().data(), static_cast<std::ptrdiff_t>(stride_)};
  }
  OutcomeColumns<T> outcomes() {
    OutcomeColumns<T> out;
    for (auto* group : {&out.P, &out.V})
      for (auto& column : *group) column = number();
    out.energy_change = number();
    out.normal_work = number();
    out.friction_work = number();
    for (auto& column : out.margins) column = number();
    for (auto* column : {&out.permissible, &out.violated, &out.mode, &out.termination, &out.status}) *column = byte();
    return out;
  }
  /// Everything in all columns, gaps included.
  [[nodiscard]] const std::vector<std::vector<T>>& numbers() const { return numbers_; }
  [[nodiscard]] const std::vector<std::vector<std::uint8_t>>& bytes() const { return bytes_; }

 private:
  std::size_t count_, stride_;
  std::vector<std::vector<T>> numbers_;
  std::vector<std::vector<std::uint8_t>> bytes_;
};

/// Contacts and parameters; `law` and `contacts` point into `room`.
template <class T>
struct Batch {
  ColumnsOf<T> room;
  LawColumns<T> law;
  ContactColumns<T> contacts;
  std::array<Column<T>, 9> matrix;
  std::array<Column<T>, 3> V, n;
  std::vector<Law> laws;

  /// Parameters that the law takes as numbers become columns, words and vectors are those of the first collision.
  Batch(const LawInfo& info, std::uint64_t seed, std::size_t count, bool mass_given, std::size_t stride = 1)
      : room(count, stride) {
    std::vector<DrawnCollision> drawn;
    for (std::uint64_t i = mass_given ? 0 : drawn_alike; drawn.size() < count; ++i) {
      if ((i / drawn_alike % 2 == 0) != mass_given) continue;
      drawn.push_back(draw_collision(info, seed, i));
    }
    law.law = info.name;
    law.parameters = drawn.front().parameters;
    for (auto* group : {&V, &n})
      for (auto& column : *group) column = room.number();
    for (auto& column : matrix) column = room.number();
    const auto read = [](const Column<T>& c) { return Column<const T>{c.data, c.stride}; };
    for (std::size_t k = 0; k < 9; ++k) contacts.matrix[k] = read(matrix[k]);
    for (std::size_t k = 0; k < 3; ++k) {
      contacts.V[k] = read(V[k]);
      contacts.n[k] = read(n[k]);
    }
    contacts.count = count;
    contacts.mass_given = mass_given;
    std::vector<std::pair<std::string_view, Column<T>>> numbers;
    for (const ParameterInfo& p : info.parameters) {
      if (parameter_kind(p.name) != ParameterKind::number) continue;
      numbers.push_back({p.name, room.number()});
      law.numbers.push_back({p.name, read(numbers.back().second)});
    }
    for (std::size_t i = 0; i < count; ++i) {
      const DrawnCollision& d = drawn[i];
      for (std::size_t k = 0; k < 9; ++k)
        matrix[k][i] = static_cast<T>(d.A(static_cast<int>(k / 3), static_cast<int>(k % 3)));
      for (std::size_t k = 0; k < 3; ++k) {
        V[k][i] = static_cast<T>(d.V(static_cast<int>(k)));
        n[k][i] = static_cast<T>(d.n(static_cast<int>(k)));
      }
      const Law one = make_law(info.name, d.parameters).value();
      for (const auto& [name, value] : parameters_of(one))
        for (const auto& [column, values] : numbers)
          if (column == name) values[i] = static_cast<T>(std::get<double>(value));
    }
  }
};

/// Everything that can be wrong with a collision, or special about it, at places spread over the lanes.
inline void spoil(Batch<double>& b) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::size_t count = b.contacts.count;
  const auto each = [&](std::size_t first, auto change) {
    for (std::size_t i = first; i < count; i += 101) change(i);
  };
  each(1, [&](std::size_t i) { b.matrix[4][i] = nan; });
  each(5, [&](std::size_t i) { b.V[1][i] = std::numeric_limits<double>::infinity(); });
  each(10, [&](std::size_t i) { b.n[2][i] = nan; });
  each(16, [&](std::size_t i) { b.n[0][i] = b.n[1][i] = b.n[2][i] = 0; });
  each(23, [&](std::size_t i) { b.matrix[1][i] += 1e-3 * b.matrix[0][i]; });               // not symmetric
  each(28, [&](std::size_t i) { b.matrix[1][i] = std::nextafter(b.matrix[1][i], 1e9); });  // to rounding
  each(31, [&](std::size_t i) { b.matrix[0][i] = -b.matrix[0][i]; });                      // not definite
  each(40, [&](std::size_t i) {                                                            // singular
    for (std::size_t k = 0; k < 9; ++k) b.matrix[k][i] = k == 0 || k == 4 ? 1.0 : 0.0;
    b.V[0][i] = -1, b.V[1][i] = 2, b.V[2][i] = 0;
    b.n[0][i] = 1, b.n[1][i] = 0, b.n[2][i] = 0;
  });
  each(50, [&](std::size_t i) {  // separates
    for (auto& v : b.V) v[i] = -v[i];
  });
  each(61, [&](std::size_t i) {  // at rest
    for (auto& v : b.V) v[i] = 0;
  });
  each(66, [&](std::size_t i) {  // n of another length
    for (auto& n : b.n) n[i] *= 3e7;
  });
  each(71, [&](std::size_t i) {  // far from 1 kg
    for (auto& m : b.matrix) m[i] *= 1e-200;
  });
  each(80, [&](std::size_t i) {  // the answer overflows, or the inverse does
    for (auto& m : b.matrix) m[i] *= 1e300;
    for (auto& v : b.V) v[i] *= 1e200;
  });
}

}  // namespace ricochet::testing
