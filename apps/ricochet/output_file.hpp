#pragma once
/// Where answers go: standard output, or a file that appears whole or not at all.

#include <string>
#include <string_view>

#include "ricochet/base/error.hpp"

namespace ricochet::app {

/// The reader of standard output has gone away; nothing is left to do and nothing to complain about.
struct OutputClosed {};

/// Writes to a temporary beside the target and renames on commit. The temporary goes away when the object does, and on
/// SIGINT and SIGTERM, which end the program with exit code 130. A target that is no regular file (a pipe, /dev/null)
/// is written directly.
class OutputFile {
 public:
  /// An empty path means standard output.
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

/// Writes all of `text` to standard output; exit code 0, or 1 with a line on stderr.
[[nodiscard]] int print_out(std::string_view text);

/// Installs the handlers of SIGINT and SIGTERM and turns a broken pipe from a signal into OutputClosed.
void handle_signals();

}  // namespace ricochet::app
