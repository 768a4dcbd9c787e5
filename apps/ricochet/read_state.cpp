#include "read_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "ricochet/base/suggest.hpp"
#include "toml_reader.hpp"

namespace ricochet::app {
namespace {

constexpr std::array<std::string_view, 7> keys{"title", "q", "u", "size", "contact", "law", "parameters"};
constexpr std::array<std::string_view, 4> contact_keys{"first", "second", "point", "n"};

tl::unexpected<Fault> refuse(std::string field, std::string value, std::string allowed, long long line) {
  return tl::unexpected(Fault{Error{std::move(field), std::move(value), std::move(allowed)}, line});
}

template <std::size_t N>
tl::unexpected<Fault> unknown(std::string_view key, const std::array<std::string_view, N>& known, long long line) {
  const std::string_view guess = closest(key, known);
  return refuse(std::string(key), "",
                guess.empty() ? fmt::format("unknown key; one of {}", fmt::join(known, ", "))
                              : fmt::format("unknown key; did you mean {}?", guess),
                line);
}

tl::expected<double, Fault> number(std::string_view field, const toml::node& node) {
  const std::optional<double> x = node.value<double>();
  if (!node.is_number() || !x) return refuse(std::string(field), "", "must be a number", line_of(node));
  if (!std::isfinite(*x)) return refuse(std::string(field), to_text(*x), "must be finite", line_of(node));
  return *x;
}

tl::expected<std::vector<double>, Fault> numbers(std::string_view field, const toml::node& node) {
  std::vector<double> out;
  if (const toml::array* list = node.as_array()) {
    for (const toml::node& item : *list) {
      const auto x = number(field, item);
      if (!x) return tl::unexpected(x.error());
      out.push_back(*x);
    }
    return out;
  }
  const auto x = number(field, node);
  if (!x) return tl::unexpected(x.error());
  out.push_back(*x);
  return out;
}

tl::expected<Vec3, Fault> vector(std::string_view field, const toml::node& node) {
  const auto list = numbers(field, node);
  if (!list) return tl::unexpected(list.error());
  if (list->size() != 3)
    return refuse(std::string(field), fmt::format("{} numbers", list->size()), "must be three numbers", line_of(node));
  return Vec3((*list)[0], (*list)[1], (*list)[2]);
}

tl::expected<std::string, Fault> word(std::string_view field, const toml::node& node) {
  const toml::value<std::string>* text = node.as_string();
  if (text == nullptr) return refuse(std::string(field), "", "must be a string", line_of(node));
  return text->get();
}

/// A table of joints, or the numbers of all of them.
tl::expected<std::vector<NamedNumbers>, Fault> joints(std::string_view field, const toml::node& node) {
  std::vector<NamedNumbers> out;
  if (const toml::table* table = node.as_table()) {
    for (const auto& [key, value] : *table) {
      auto list = numbers(key.str(), value);
      if (!list) return tl::unexpected(list.error());
      out.push_back({std::string(key.str()), *std::move(list), line_of(value)});
    }
    return out;
  }
  auto list = numbers(field, node);
  if (!list) return tl::unexpected(list.error());
  out.push_back({"", *std::move(list), line_of(node)});
  return out;
}

Expected<Vec3> normalized(const Vec3& n) {
  if (!(n.norm() > 0)) return fail("n", "0, 0, 0", "must not be zero");
  return Vec3(n.normalized());
}

tl::expected<StatedContact, Fault> contact(const toml::node& node) {
  const toml::table* table = node.as_table();
  if (table == nullptr) return refuse("contact", "", "must be a table", line_of(node));
  StatedContact out;
  out.line = line_of(node);
  for (const std::string_view key : contact_keys)
    if (!table->contains(key)) return refuse(std::string(key), "", "missing from the contact", out.line);
  for (const auto& [key, value] : *table) {
    const std::string_view name = key.str();
    if (name == "first" || name == "second") {
      auto text = word(name, value);
      if (!text) return tl::unexpected(text.error());
      (name == "first" ? out.first : out.second) = *std::move(text);
    } else if (name == "point" || name == "n") {
      const auto x = vector(name, value);
      if (!x) return tl::unexpected(x.error());
      (name == "point" ? out.point : out.n) = *x;
    } else {
      return unknown(name, contact_keys, line_of(value));
    }
  }
  const auto n = normalized(out.n);
  if (!n) return tl::unexpected(Fault{n.error(), out.line});
  out.n = *n;
  return out;
}

tl::expected<Value, Fault> parameter(std::string_view name, const toml::node& node) {
  if (const toml::value<std::string>* text = node.as_string()) return Value(text->get());
  if (node.is_array()) {
    auto list = numbers(name, node);
    if (!list) return tl::unexpected(list.error());
    return Value(*std::move(list));
  }
  // Infinity is a friction coefficient.
  if (const std::optional<double> x = node.value<double>(); node.is_number() && x) return Value(*x);
  return refuse(std::string(name), "", "must be a number, a string or a list of numbers", line_of(node));
}

tl::expected<GivenState, Fault> from_table(const toml::table& root) {
  GivenState out;
  for (const auto& [key, node] : root) {
    const std::string_view name = key.str();
    if (name == "title" || name == "law") {
      auto text = word(name, node);
      if (!text) return tl::unexpected(text.error());
      if (name == "title") {
        out.title = *std::move(text);
      } else {
        out.law = *std::move(text);
        out.lines.emplace_back("law", line_of(node));
      }
    } else if (name == "q" || name == "u") {
      auto list = joints(name, node);
      if (!list) return tl::unexpected(list.error());
      (name == "q" ? out.q : out.u) = *std::move(list);
    } else if (name == "size") {
      if (!node.is_table()) return refuse("size", "", "must be a table", line_of(node));
      auto list = joints(name, node);
      if (!list) return tl::unexpected(list.error());
      out.sizes = *std::move(list);
    } else if (name == "contact") {
      auto stated = contact(node);
      if (!stated) return tl::unexpected(stated.error());
      out.contact = *std::move(stated);
    } else if (name == "parameters") {
      const toml::table* table = node.as_table();
      if (table == nullptr) return refuse("parameters", "", "must be a table", line_of(node));
      for (const auto& [parameter_name, value_node] : *table) {
        const auto value = parameter(parameter_name.str(), value_node);
        if (!value) return tl::unexpected(value.error());
        if (const auto fine = set(out.settings, parameter_name.str(), *value); !fine)
          return tl::unexpected(Fault{fine.error(), line_of(value_node)});
        out.lines.emplace_back(parameter_name.str(), line_of(value_node));
      }
    } else {
      return unknown(name, keys, line_of(node));
    }
  }
  return out;
}

}  // namespace

tl::expected<GivenState, Fault> read_state(std::string_view text) {
  const auto root = parse_toml(text);
  if (!root) return tl::unexpected(root.error());
  return from_table(*root);
}

Expected<StatedContact> read_contact(std::string_view text) {
  const auto bad = [&] {
    return fail("contact", std::string(text), "must be FIRST:SECOND@x,y,z/nx,ny,nz, or FIRST:SECOND, or a number");
  };
  const std::size_t colon = text.find(':');
  const std::size_t at = text.find('@');
  const std::size_t slash = text.find('/', at == std::string_view::npos ? 0 : at);
  if (colon == std::string_view::npos || at == std::string_view::npos || slash == std::string_view::npos || colon > at)
    return bad();
  const auto three = [](std::string_view part) -> std::optional<Vec3> {
    const std::string copy(part);
    Vec3 out;
    const char* from = copy.c_str();
    for (int i = 0; i < 3; ++i) {
      char* end = nullptr;
      out(i) = std::strtod(from, &end);
      if (end == from || *end != (i < 2 ? ',' : '\0')) return std::nullopt;
      from = end + 1;
    }
    return out;
  };
  const auto point = three(text.substr(at + 1, slash - at - 1));
  const auto n = three(text.substr(slash + 1));
  if (!point || !n || !point->allFinite() || !n->allFinite()) return bad();
  const auto unit = normalized(*n);
  if (!unit) return tl::unexpected(unit.error());
  return StatedContact{std::string(text.substr(0, colon)), std::string(text.substr(colon + 1, at - colon - 1)), *point,
                       *unit, 0};
}

}  // namespace ricochet::app
