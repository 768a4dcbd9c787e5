#include "ricochet/io/state_toml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "io/toml_numbers.hpp"
#include "io/toml_reader.hpp"
#include "io/toml_text.hpp"
#include "ricochet/base/error_path.hpp"
#include "ricochet/base/read_number.hpp"
#include "ricochet/base/suggest.hpp"

namespace ricochet {
namespace {

constexpr std::array<std::string_view, 7> keys{"title", "q", "u", "size", "contact", "law", "parameters"};
constexpr std::array<std::string_view, 4> contact_keys{"first", "second", "point", "n"};

template <std::size_t N>
tl::unexpected<Fault> unknown(std::string_view table, std::string_view key,
                              const std::array<std::string_view, N>& known, long long line) {
  return fault(ErrorCode::unknown_name, join_path(table, key_step(key)), "", with_suggestion("unknown key", key, known),
               line);
}

Read<Vec3> vector(std::string_view field, const toml::node& node) {
  const auto list = toml_numbers(field, node);
  if (!list) return tl::unexpected(list.error());
  if (list->size() != 3)
    return fault(ErrorCode::wrong_type, std::string(field), fmt::format("{} numbers", list->size()),
                 "must be three numbers", line_of(node));
  return Vec3((*list)[0], (*list)[1], (*list)[2]);
}

Read<std::string> word(std::string_view field, const toml::node& node) {
  const toml::value<std::string>* text = node.as_string();
  if (text == nullptr)
    return fault(ErrorCode::wrong_type, std::string(field), toml_text(node), "must be a string", line_of(node));
  return text->get();
}

Expected<Vec3> normalized(const Vec3& n) {
  if (!(n.norm() > 0)) return fail(ErrorCode::invalid, "contact.n", "0, 0, 0", "must not be zero");
  return Vec3(n.normalized());
}

Read<StatedContact> contact(const toml::node& node) {
  const toml::table* table = node.as_table();
  if (table == nullptr)
    return fault(ErrorCode::wrong_type, "contact", toml_text(node), "must be a table", line_of(node));
  StatedContact out;
  out.line = line_of(node);
  for (const std::string_view key : contact_keys)
    if (!table->contains(key)) return fault(ErrorCode::missing, join_path("contact", key), "", "missing", out.line);
  for (const auto& [key, value] : *table) {
    const std::string_view name = key.str();
    if (name == "first" || name == "second") {
      auto text = word(join_path("contact", name), value);
      if (!text) return tl::unexpected(text.error());
      (name == "first" ? out.first : out.second) = *std::move(text);
    } else if (name == "point" || name == "n") {
      const auto x = vector(join_path("contact", name), value);
      if (!x) return tl::unexpected(x.error());
      (name == "point" ? out.point : out.n) = *x;
    } else {
      return unknown("contact", name, contact_keys, line_of(value));
    }
  }
  const auto n = normalized(out.n);
  if (!n) return tl::unexpected(Fault{n.error(), out.line});
  out.n = *n;
  return out;
}

Read<Value> parameter(std::string_view name, const toml::node& node) {
  if (const toml::value<std::string>* text = node.as_string()) return Value(text->get());
  if (node.is_array()) {
    auto list = toml_numbers(name, node);
    if (!list) return tl::unexpected(list.error());
    return Value(*std::move(list));
  }
  // Infinity is a friction coefficient.
  if (const std::optional<double> x = node.value<double>(); node.is_number() && x) return Value(*x);
  return fault(ErrorCode::wrong_type, std::string(name), toml_text(node),
               "must be a number, a string or a list of numbers", line_of(node));
}

Read<MechanismState> from_table(const toml::table& root) {
  MechanismState out;
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
      auto list = toml_named_numbers(name, node);
      if (!list) return tl::unexpected(list.error());
      (name == "q" ? out.q : out.u) = *std::move(list);
    } else if (name == "size") {
      if (!node.is_table())
        return fault(ErrorCode::wrong_type, "size", toml_text(node), "must be a table", line_of(node));
      auto list = toml_named_numbers(name, node);
      if (!list) return tl::unexpected(list.error());
      out.sizes = *std::move(list);
    } else if (name == "contact") {
      auto stated = contact(node);
      if (!stated) return tl::unexpected(stated.error());
      out.contact = *std::move(stated);
    } else if (name == "parameters") {
      const toml::table* table = node.as_table();
      if (table == nullptr)
        return fault(ErrorCode::wrong_type, "parameters", toml_text(node), "must be a table", line_of(node));
      for (const auto& [parameter_key, value_node] : *table) {
        const auto value = parameter(parameter_key.str(), value_node);
        if (!value) return tl::unexpected(value.error());
        if (const auto fine = set(out.settings, parameter_key.str(), *value); !fine)
          return tl::unexpected(Fault{fine.error(), line_of(value_node)});
        const std::string_view of = parameter_name(parameter_key.str());
        if (const toml::node* other = of == parameter_key.str() ? nullptr : table->get(of))
          return fault(ErrorCode::conflict, std::string(parameter_key.str()), "",
                       given_twice(parameter_key.str(), of, line_of(*other)), line_of(value_node));
        out.lines.emplace_back(of, line_of(value_node));
      }
    } else {
      return unknown("", name, keys, line_of(node));
    }
  }
  return out;
}

}  // namespace

Read<MechanismState> read_state(std::string_view text) {
  const auto root = parse_toml(text);
  if (!root) return tl::unexpected(root.error());
  return from_table(*root);
}

std::string write_toml(const MechanismState& state) {
  std::string out;
  const auto numbers = [](const NamedNumbers& one) {
    std::string all;
    for (const double x : one.values) all += (all.empty() ? "" : ", ") + toml_value(x);
    return fmt::format("[{}]", all);
  };
  // A list for all joints is a top-level key and comes first; tables of joints come last.
  std::string tables;
  const auto joints_of = [&](std::string_view key, const std::vector<NamedNumbers>& all) {
    if (all.size() == 1 && all[0].name.empty()) {
      out += toml_line(key, numbers(all[0]));
    } else if (!all.empty()) {
      tables += fmt::format("\n[{}]\n", key);
      for (const NamedNumbers& one : all) tables += toml_line(one.name, numbers(one));
    }
  };
  if (!state.title.empty()) out += toml_line("title", toml_value(state.title));
  if (state.law) out += toml_line("law", toml_value(*state.law));
  joints_of("q", state.q);
  joints_of("u", state.u);
  joints_of("size", state.sizes);
  if (state.contact)
    tables += "\n[contact]\n" + toml_line("first", toml_value(state.contact->first)) +
              toml_line("second", toml_value(state.contact->second)) +
              toml_line("point", toml_value(state.contact->point)) + toml_line("n", toml_value(state.contact->n));
  if (const std::string lines = toml_lines(state.settings); !lines.empty()) tables += "\n[parameters]\n" + lines;
  return out + tables;
}

Expected<StatedContact> read_contact(std::string_view text) {
  const auto bad = [&] {
    return fail(ErrorCode::malformed, "contact", std::string(text),
                "must be FIRST:SECOND@x,y,z/nx,ny,nz, or FIRST:SECOND, or a number");
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

Expected<NamedNumbers> read_named_numbers(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return fail(ErrorCode::malformed, "", std::string(text), "must be NAME=NUMBER or NAME=NUMBER,NUMBER,...");
  NamedNumbers out;
  out.name = text.substr(0, equals);
  std::string_view rest = text.substr(equals + 1);
  if (rest.size() >= 2 && rest.front() == '[' && rest.back() == ']') rest = rest.substr(1, rest.size() - 2);
  for (;;) {
    const std::size_t comma = rest.find(',');
    const auto x = read_number(rest.substr(0, comma));
    if (!x) return fail(ErrorCode::wrong_type, out.name, std::string(rest.substr(0, comma)), "must be a number");
    out.values.push_back(*x);
    if (comma == std::string_view::npos) return out;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace ricochet
