#include "ricochet/base/parameter.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace ricochet {
namespace {

std::string bound_text(double x) {
  if (x == std::numbers::pi) return "pi";
  if (x == 2 * std::numbers::pi) return "2 pi";
  return to_text(x);
}

/// "between 0 and 1", "at least 0, or inf", "above 0 and finite".
std::string allowed_text(const Interval& bounds, const std::string& low) {
  const bool from = bounds.low != -std::numeric_limits<double>::infinity();
  const bool to = bounds.high != std::numeric_limits<double>::infinity();
  if (from && to && !bounds.low_open && !bounds.high_open)
    return fmt::format("between {} and {}", low, bound_text(bounds.high));
  std::string out;
  if (from) out = fmt::format("{} {}", bounds.low_open ? "above" : "at least", low);
  if (to)
    out += fmt::format("{}{} {}", out.empty() ? "" : " and ", bounds.high_open ? "below" : "at most",
                       bound_text(bounds.high));
  const bool finite = (from || bounds.low_open) && (to || bounds.high_open);
  if (!finite) return out.empty() ? "a number, or inf" : out + (to ? ", or -inf" : ", or inf");
  if (from && to) return out;
  if (out.empty()) return "finite";
  return bounds.low_open ? out + " and finite" : "finite and " + out;
}

}  // namespace

std::string_view name(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::number: return "number";
    case ParameterKind::word: return "word";
    case ParameterKind::vector: return "vector";
  }
  return "";
}

std::string either(std::span<const std::string_view> words) {
  if (words.size() < 2) return words.empty() ? std::string() : std::string(words[0]);
  return fmt::format("{} or {}", fmt::join(words.first(words.size() - 1), ", "), words.back());
}

std::string range_text(const ParameterInfo& info) {
  if (info.kind == ParameterKind::word)
    return info.choices_in_short.empty() ? either(info.choices) : std::string(info.choices_in_short);
  if (info.kind == ParameterKind::vector) return "three finite numbers";
  const Interval& b = info.bounds;
  const bool from = std::isfinite(b.low), to = std::isfinite(b.high);
  const std::string low = info.not_below.empty() ? bound_text(b.low) : std::string(info.not_below);
  if (!b.low_open && !b.high_open) return fmt::format("{} to {}", low, bound_text(b.high));
  if (!from && !to) return "any finite";
  std::string out = from ? (b.low_open ? "above " + low : low + " or more") : "";
  if (!to) return out + ", finite";
  return fmt::format("{}{}{} {}", out, out.empty() ? "" : ", ", b.high_open ? "below" : "at most", bound_text(b.high));
}

std::string default_text(const ParameterInfo& info) {
  const ParameterDefault& d = info.default_value;
  if (d.kind == ParameterDefault::Kind::number && d.text.empty()) return to_text(d.number);
  return std::string(d.text);
}

std::string allowed_text(const ParameterInfo& info) {
  if (info.kind != ParameterKind::number) return range_text(info);
  return allowed_text(info.bounds, info.not_below.empty() ? bound_text(info.bounds.low) : std::string(info.not_below));
}

Error out_of_range(const ParameterInfo& info, double value) {
  std::string allowed = "must be " + allowed_text(info.bounds, bound_text(info.bounds.low));
  if (!info.hint.empty()) allowed += fmt::format("; {}", info.hint);
  return {ErrorCode::out_of_range, std::string(info.name), to_text(value), std::move(allowed)};
}

Error below_parameter(const ParameterInfo& info, double value, double least) {
  return {ErrorCode::out_of_range, std::string(info.name), to_text(value),
          fmt::format("must be {}", allowed_text(info.bounds, fmt::format("{}, which is {}", info.not_below, least)))};
}

Error below_stricter_low(const ParameterInfo& info, double value) {
  const StricterLow& stricter = info.stricter_low.value();
  Interval bounds = info.bounds;
  bounds.low = stricter.low;
  return {ErrorCode::out_of_range, std::string(info.name), to_text(value),
          fmt::format("must be {} unless {} is {}: {}", allowed_text(bounds, bound_text(stricter.low)),
                      stricter.parameter, stricter.unless, stricter.reason)};
}

Error not_a_choice(const ParameterInfo& info, std::string_view word) {
  return {ErrorCode::out_of_range, std::string(info.name), std::string(word), "must be " + allowed_text(info)};
}

Expected<void> in_range(std::string_view path, double value, const Interval& bounds) {
  if (bounds.contains(value)) return {};
  return tl::unexpected(out_of_range(ParameterInfo{.name = path, .bounds = bounds}, value));
}

}  // namespace ricochet
