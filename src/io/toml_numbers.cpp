#include "io/toml_numbers.hpp"

#include <cmath>

#include "io/toml_reader.hpp"
#include "ricochet/base/error_path.hpp"

namespace ricochet {
namespace {

Read<double> toml_number(std::string_view field, const toml::node& node) {
  const std::optional<double> x = node.value<double>();
  if (!node.is_number() || !x)
    return fault(ErrorCode::wrong_type, std::string(field), toml_text(node), "must be a number", line_of(node));
  if (!std::isfinite(*x))
    return fault(ErrorCode::out_of_range, std::string(field), to_text(*x), "must be finite", line_of(node));
  return *x;
}

}  // namespace

Read<std::vector<double>> toml_numbers(std::string_view field, const toml::node& node) {
  std::vector<double> out;
  if (const toml::array* list = node.as_array()) {
    for (const toml::node& item : *list) {
      const auto x = toml_number(field, item);
      if (!x) return tl::unexpected(x.error());
      out.push_back(*x);
    }
    return out;
  }
  const auto x = toml_number(field, node);
  if (!x) return tl::unexpected(x.error());
  out.push_back(*x);
  return out;
}

Read<std::vector<NamedNumbers>> toml_named_numbers(std::string_view field, const toml::node& node) {
  std::vector<NamedNumbers> out;
  if (const toml::table* table = node.as_table()) {
    for (const auto& [key, value] : *table) {
      auto list = toml_numbers(join_path(field, key.str()), value);
      if (!list) return tl::unexpected(list.error());
      out.push_back({std::string(key.str()), *std::move(list), line_of(value)});
    }
    return out;
  }
  auto list = toml_numbers(field, node);
  if (!list) return tl::unexpected(list.error());
  out.push_back({"", *std::move(list), line_of(node)});
  return out;
}

}  // namespace ricochet
