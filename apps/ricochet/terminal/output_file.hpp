#pragma once
/// Output: standard output, or a file that is written completely or not at all.

#include <string>
#include <string_view>

#include "ricochet/base/error.hpp"

namespace ricochet::app {

/// Standard output is a broken pipe, which is not an error.
struct OutputClosed {};

/// Writes to a temporary beside the target and renames on commit. The temporary goes away when the object does, and on
/// SIGINT and SIGTERM, which end the program with exit code 130. A target that is not a regular file (a pipe,
/// /dev/null) is written directly.
class OutputFile {
 public:
  /// An empty path or "-" means standard output.
  [[nodiscard]] static Expected<OutputFile> open(const std::string& path);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  [[nodiscard]] Expected<void> write(std::string_view text);
  [[nodiscard]] Expected<void> commit();

 private:
  OutputFile() = default;
  int fd_ = -1;
  std::string target_;     ///< empty: standard output
  std::string temporary_;  ///< empty: written directly
};

/// Writes all of `text` to `path`, or to standard output where that is empty or "-"; exit code 0, or 1 with a line on
/// stderr.
[[nodiscard]] int write_out(const std::string& path, std::string_view text);
[[nodiscard]] inline int print_out(std::string_view text) { return write_out("", text); }

/// The same, and then the path on standard output unless the text went there.
[[nodiscard]] int write_and_name(const std::string& path, std::string_view text);

/// Installs the handlers of SIGINT and SIGTERM and turns a broken pipe from a signal into OutputClosed.
void handle_signals();

}  // namespace ricochet::app
