#include "ricochet/law/law_parameters.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ricochet/base/suggest.hpp"
#include "ricochet/law/parameter_slots.hpp"

namespace ricochet {
namespace {

constexpr auto names = [] {
  std::array<std::string_view, number_slots.size() + word_slots.size() + vector_slots.size()> out{};
  std::size_t i = 0;
  for (const auto& slot : number_slots) out[i++] = slot.name;
  for (const auto& slot : word_slots) out[i++] = slot.name;
  for (const auto& slot : vector_slots) out[i++] = slot.name;
  return out;
}();

std::string text(const Value& value) {
  if (const auto* x = std::get_if<double>(&value)) return to_text(*x);
  if (const auto* s = std::get_if<std::string>(&value)) return *s;
  std::string out = "[";
  for (const double x : std::get<std::vector<double>>(value)) {
    if (out.size() > 1) out += ", ";
    if (out.size() > 60) return out + "...]";
    out += to_text(x);
  }
  return out + "]";
}

}  // namespace

std::span<const std::string_view> parameter_names() { return names; }

std::string_view parameter_name(std::string_view key) {
  for (const std::string_view name : names)
    if (name == key) return name;
  for (const ParameterAlias& alias : parameter_aliases())
    if (alias.alias == key) return alias.name;
  return {};
}

std::optional<ParameterKind> parameter_kind(std::string_view key) {
  const std::string_view name = parameter_name(key);
  if (slot_of(number_slots, name)) return ParameterKind::number;
  if (slot_of(word_slots, name)) return ParameterKind::word;
  if (slot_of(vector_slots, name)) return ParameterKind::vector;
  return std::nullopt;
}

Expected<void> set(LawParameters& settings, std::string_view key, const Value& value) {
  const std::string_view name = parameter_name(key);
  if (const auto slot = slot_of(number_slots, name)) {
    if (const auto* x = std::get_if<double>(&value)) {
      if (std::isnan(*x)) return fail(ErrorCode::wrong_type, std::string(key), "nan", "must be a number");
      settings.*slot = *x;
      return {};
    }
    // JSON has no infinity; the string "inf" stands for it.
    if (const auto* s = std::get_if<std::string>(&value); s != nullptr && *s == "inf") {
      settings.*slot = std::numeric_limits<double>::infinity();
      return {};
    }
    return fail(ErrorCode::wrong_type, std::string(key), text(value), "must be a number, or \"inf\"");
  }
  if (const auto slot = slot_of(word_slots, name)) {
    if (const auto* s = std::get_if<std::string>(&value)) {
      settings.*slot = *s;
      return {};
    }
    return fail(ErrorCode::wrong_type, std::string(key), text(value), "must be a string");
  }
  if (const auto slot = slot_of(vector_slots, name)) {
    const auto* xs = std::get_if<std::vector<double>>(&value);
    if (xs == nullptr || xs->size() != 3)
      return fail(ErrorCode::wrong_type, std::string(key), text(value), "must be three numbers");
    const Vec3 vector((*xs)[0], (*xs)[1], (*xs)[2]);
    if (!vector.allFinite())
      return fail(ErrorCode::out_of_range, std::string(key), text(value), "every component must be finite");
    settings.*slot = vector;
    return {};
  }
  return fail(ErrorCode::unknown_name, std::string(key), "", not_among("parameter", key, names));
}

std::optional<Value> get(const LawParameters& settings, std::string_view key) {
  const std::string_view name = parameter_name(key);
  if (const auto slot = slot_of(number_slots, name); slot && settings.*slot) return *(settings.*slot);
  if (const auto slot = slot_of(word_slots, name); slot && settings.*slot) return *(settings.*slot);
  if (const auto slot = slot_of(vector_slots, name); slot && settings.*slot)
    return std::vector<double>((settings.*slot)->begin(), (settings.*slot)->end());
  return std::nullopt;
}

}  // namespace ricochet
