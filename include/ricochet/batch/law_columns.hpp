#pragma once
/// The law of many collisions: its name, and parameters that are the same for all or a column.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/batch/columns.hpp"
#include "ricochet/law/law_parameters.hpp"

namespace ricochet {

template <class T>
struct LawColumns {
  struct Number {
    std::string_view name;
    Column<const T> values;
  };
  struct Vector {
    std::string_view name;
    std::array<Column<const T>, 3> values;
  };

  std::string law;           ///< its name in the table of laws
  LawParameters parameters;  ///< the same for all collisions
  std::vector<Number> numbers = {};
  std::vector<Vector> vectors = {};
};

}  // namespace ricochet
