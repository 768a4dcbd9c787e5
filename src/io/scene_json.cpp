#include "ricochet/io/scene_json.hpp"

#include "io/scene_table.hpp"
#include "io/toml_reader.hpp"
#include "ricochet/io/json.hpp"
#include "ricochet/io/scene_toml.hpp"

namespace ricochet {
namespace {

// One document model serves both formats: JSON becomes the table that TOML would have become, and TOML's reader checks
// it. Null, which TOML does not have, stays out and is then missed by name.
toml::table table_of(const Json& json);
toml::array array_of(const Json& json);

template <class Insert>
void insert_value(const Json& json, Insert insert) {
  if (json.is_boolean()) {
    insert(json.get<bool>());
  } else if (json.is_number_integer()) {
    insert(json.get<std::int64_t>());
  } else if (json.is_number()) {
    insert(json.get<double>());
  } else if (json.is_string()) {
    insert(json.get<std::string>());
  } else if (json.is_array()) {
    insert(array_of(json));
  } else if (json.is_object()) {
    insert(table_of(json));
  }
}

toml::array array_of(const Json& json) {
  toml::array array;
  for (const Json& item : json) insert_value(item, [&](auto value) { array.push_back(std::move(value)); });
  return array;
}

toml::table table_of(const Json& json) {
  toml::table table;
  for (const auto& item : json.items())
    insert_value(item.value(), [&](auto value) { table.insert_or_assign(item.key(), std::move(value)); });
  return table;
}

/// TOML as JSON: the inverse.
Json json_of(const toml::node& node) {
  if (const auto* table = node.as_table()) {
    Json out = Json::object();
    for (const auto& [key, value] : *table) out[std::string(key.str())] = json_of(value);
    return out;
  }
  if (const auto* array = node.as_array()) {
    Json out = Json::array();
    for (const toml::node& item : *array) out.push_back(json_of(item));
    return out;
  }
  if (const auto* s = node.as_string()) return s->get();
  if (const auto* b = node.as_boolean()) return b->get();
  if (const auto* i = node.as_integer()) return i->get();
  if (const auto* x = node.as_floating_point()) return to_json(x->get());
  return nullptr;
}

bool nests_too_deep(const Json& json, int left) {
  if (!json.is_structured()) return false;
  if (left == 0) return true;
  for (const Json& item : json)
    if (nests_too_deep(item, left - 1)) return true;
  return false;
}

}  // namespace

Read<Scene> read_scene_json(std::string_view text) {
  const Json json = Json::parse(text.begin(), text.end(), nullptr, false);
  if (json.is_discarded()) return fault(ErrorCode::malformed, "", "", "is not valid JSON", 0);
  if (!json.is_object()) return fault(ErrorCode::wrong_type, "", "", "must be one JSON object", 0);
  if (nests_too_deep(json, 8)) return fault(ErrorCode::malformed, "", "", "nests deeper than any scene does", 0);
  return read_scene_table(table_of(json));
}

std::string write_json(const Scene& scene) {
  const Read<toml::table> root = parse_toml(write_toml(scene));
  return pretty(json_of(*root)) + "\n";
}

}  // namespace ricochet
