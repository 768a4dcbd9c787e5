#pragma once
/// The records of a CSV file (RFC 4180), one after the other in constant memory.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/base/error.hpp"

namespace ricochet {

class CsvRecords {
 public:
  /// `open_end`: the last record may lack its line break; otherwise a file that was cut off there is refused.
  [[nodiscard]] static Expected<CsvRecords> open(const std::string& path, bool open_end = false);
  CsvRecords(CsvRecords&& other) noexcept;
  CsvRecords& operator=(CsvRecords&&) = delete;
  CsvRecords(const CsvRecords&) = delete;
  CsvRecords& operator=(const CsvRecords&) = delete;
  ~CsvRecords();

  /// The fields of the next record, valid until the next call; nothing at the end of the file.
  [[nodiscard]] Expected<std::optional<std::span<const std::string>>> next();
  /// Counted from 1, of the record that `next` gave.
  [[nodiscard]] std::size_t number() const { return number_; }
  /// The error of a record that is not what was expected.
  [[nodiscard]] tl::unexpected<Error> wrong(const std::string& allowed) const;

 private:
  CsvRecords() = default;
  [[nodiscard]] Expected<int> get();

  std::string path_;
  int fd_ = -1;
  bool open_end_ = false;
  std::string buffer_;
  std::size_t at_ = 0;
  std::size_t number_ = 0;
  std::vector<std::string> fields_;
};

}  // namespace ricochet
