#pragma once
/// A file or standard input, in whole or line by line, in constant memory.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ricochet/base/error.hpp"

namespace ricochet::app {

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
  [[nodiscard]] long long size() const { return size_; }           ///< bytes, or −1 where it cannot be known
  [[nodiscard]] long long consumed() const { return consumed_; }   ///< bytes given out so far

  /// First line that is not blank, from its first byte that is not, without taking it; empty at the end of the input.
  /// Valid until the next call.
  [[nodiscard]] Expected<std::string_view> peek_line();

  struct Line {
    std::string_view text;  ///< without its end; valid until the next call
    bool too_long = false;  ///< longer than `longest_line`; text is its beginning
  };
  static constexpr std::size_t longest_line = 1 << 20;
  /// `before_waiting` is called when the line is not there yet and reading on would wait for it.
  [[nodiscard]] Expected<std::optional<Line>> next_line(const std::function<void()>& before_waiting = {});

  /// The rest, refused when it is longer than `limit` bytes.
  [[nodiscard]] Expected<std::string> rest(std::size_t limit);

 private:
  Input() = default;
  /// Reads on behind what is buffered; false at the end of the input.
  [[nodiscard]] Expected<bool> fill();
  /// Whether there is nothing to read yet, and no end either.
  [[nodiscard]] bool would_wait() const;

  int fd_ = -1;
  std::string name_;
  long long size_ = -1;
  long long consumed_ = 0;
  std::string buffer_;
  std::size_t at_ = 0;  ///< start of what was not given out yet
};

}  // namespace ricochet::app
