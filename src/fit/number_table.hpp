#pragma once
/// The numbers of a CSV file by row and name of column, with errors that name both.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/base/read_number.hpp"
#include "ricochet/io/fault.hpp"

namespace ricochet {

class NumberTable {
 public:
  explicit NumberTable(std::string file) : file_(std::move(file)) {}

  [[nodiscard]] tl::unexpected<Fault> wrong(ErrorCode code, const std::string& column, std::string value,
                                            std::string allowed) const {
    return tl::unexpected(
        Fault{Error{code, fmt::format("row {}, column {}", row_, column), std::move(value), std::move(allowed)},
              row_ == 0 ? 1 : static_cast<long long>(row_) + 1, file_});
  }

  /// Fails where two columns have one name.
  [[nodiscard]] Read<void> header(std::span<const std::string> names) {
    names_.assign(names.begin(), names.end());
    if (names_.empty()) return {};
    if (names_.back().ends_with('\r')) names_.back().pop_back();  // lines may end with CR LF
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  // spreadsheets begin a file in UTF-8 with it
    if (names_.front().starts_with(byte_order_mark)) names_.front().erase(0, byte_order_mark.size());
    for (auto name = names_.begin(); name != names_.end(); ++name)
      if (!name->empty() && std::find(names_.begin(), name, *name) != name)
        return wrong(ErrorCode::conflict, *name, "", "two columns have this name");
    return {};
  }
  /// The next row; fails where it has not as many fields as the header.
  [[nodiscard]] Read<void> next(std::span<const std::string> fields) {
    fields_ = fields;
    row_ += 1;
    if (fields.size() != names_.size())
      return wrong(ErrorCode::malformed, std::to_string(std::min(fields.size(), names_.size()) + 1),
                   fmt::format("{} fields", fields.size()), fmt::format("must have {} fields", names_.size()));
    return {};
  }
  [[nodiscard]] std::size_t row() const { return row_; }
  [[nodiscard]] bool has(std::string_view column) const {
    return std::find(names_.begin(), names_.end(), column) != names_.end();
  }

  [[nodiscard]] Read<double> column(const std::string& name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) return wrong(ErrorCode::missing, name, "", "missing; the file has no such column");
    std::string text = fields_[static_cast<std::size_t>(found - names_.begin())];
    if (text.ends_with('\r')) text.pop_back();
    const auto number = read_number(text);
    if (!number) return wrong(ErrorCode::wrong_type, name, text, text.empty() ? "missing" : "must be a number");
    if (!std::isfinite(*number)) return wrong(ErrorCode::out_of_range, name, text, "must be finite");
    return *number;
  }

 private:
  std::string file_;
  std::vector<std::string> names_;
  std::span<const std::string> fields_;
  std::size_t row_ = 0;
};

}  // namespace ricochet
