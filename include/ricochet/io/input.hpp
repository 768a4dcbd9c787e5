#pragma once
/// A file or standard input, read as a whole or line by line in constant memory.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ricochet/base/error.hpp"

namespace ricochet {

class Input {
 public:
  /// "-" is standard input.
  [[nodiscard]] static Expected<Input> open(const std::string& path);

  Input(Input&& other) noexcept;
  Input& operator=(Input&&) = delete;
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input();

  [[nodiscard]] const std::string& name() const { return name_; }  ///< for messages
  [[nodiscard]] long long size() const { return size_; }           ///< bytes, or −1 if unknown
  [[nodiscard]] long long consumed() const { return consumed_; }   ///< bytes consumed so far

  /// The first nonblank line, without leading blanks and without consuming it; empty at the end of the input. Valid
  /// until the next call.
  [[nodiscard]] Expected<std::string_view> peek_line();

  struct Line {
    std::string_view text;  ///< without line terminator; valid until the next call
    bool too_long = false;  ///< exceeds `longest_line`; text is its beginning
  };
  static constexpr std::size_t longest_line = 1 << 20;
  /// `before_waiting` is called when the next line is not available yet and reading would block.
  [[nodiscard]] Expected<std::optional<Line>> next_line(const std::function<void()>& before_waiting = {});

  /// The rest of the input; an error if it exceeds `limit` bytes.
  [[nodiscard]] Expected<std::string> rest(std::size_t limit);

 private:
  Input() = default;
  /// Reads more into the buffer; false at the end of the input.
  [[nodiscard]] Expected<bool> fill();
  /// Whether reading would block.
  [[nodiscard]] bool would_wait() const;

  int fd_ = -1;
  std::string name_;
  long long size_ = -1;
  long long consumed_ = 0;
  std::string buffer_;
  std::size_t at_ = 0;  ///< start of unconsumed data
};

}  // namespace ricochet
