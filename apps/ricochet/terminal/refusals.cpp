#include "terminal/refusals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "ricochet/base/printable.hpp"

namespace ricochet::app {
namespace {

constexpr std::size_t most_reasons = 1000;  ///< that are told apart: names that are unknown may be anything
constexpr std::size_t listed = 8;

std::string reason(const Error& error) {
  const std::string code(name(error.code));
  // An unknown name is the offending value, which may differ from line to line.
  if (error.path.empty() || error.code == ErrorCode::unknown_name) return code;
  return fmt::format("{} {}", printable(error.path, 60), code);
}

}  // namespace

bool Refusals::add(const Error& error) {
  std::string why = reason(error);
  if (reasons_.size() < most_reasons || reasons_.contains(why)) ++reasons_[std::move(why)];
  return ++count_ <= shown;
}

std::string Refusals::summary() const {
  if (count_ <= shown) return {};
  std::vector<std::pair<std::size_t, std::string_view>> order;
  order.reserve(reasons_.size());
  for (const auto& [why, times] : reasons_) order.emplace_back(times, why);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (order.size() > listed) order.resize(listed);
  std::string out = fmt::format("{} lines refused:", count_);
  std::size_t told = 0;
  for (const auto& [times, why] : order) {
    out += fmt::format("{} {} {}", told == 0 ? "" : ",", times, why);
    told += times;
  }
  if (told < count_) out += fmt::format(", {} for other reasons", count_ - told);
  return out + "; the output says why for each";
}

}  // namespace ricochet::app
