#pragma once
/// The folder of an ensemble: its members in order, one after the other as text, and its summary.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "commands/run_folder.hpp"

namespace ricochet::app {

struct MembersOptions {
  std::string out;  ///< folder; empty: none
  bool resume = false, force = false;
  double save_every = 1;  ///< [s]
  unsigned threads = 0;   ///< of each rank; 0: all processors, or one under mpirun
};

class MembersFolder {
 public:
  /// `members` is the name of the file with the members, which begins with `header`.
  MembersFolder(std::string_view command, std::string_view members, std::string header, const MembersOptions& options)
      : command_(command), members_(members), header_(std::move(header)), options_(options) {}

  /// The folder, if there is to be one. `identity` determines the members. The exit status; what is wrong has been
  /// said.
  [[nodiscard]] int open(const Json& identity, std::uint64_t count);
  /// Members of an earlier run, and their text without the header.
  [[nodiscard]] std::uint64_t known() const { return known_; }
  [[nodiscard]] std::string_view text() const { return std::string_view(text_).substr(at_); }
  /// The text has been read, or is not that of the known members: the exit status.
  [[nodiscard]] int accept(bool whole);

  [[nodiscard]] bool kept() const { return files_.has_value(); }
  void append(std::string_view text) { files_->append(0, text); }
  [[nodiscard]] Expected<void> flush() { return files_->flush(); }
  [[nodiscard]] Expected<void> save(std::uint64_t members) { return files_->save(members, ""); }
  /// The summary, written last. The exit status.
  [[nodiscard]] int finish(Json summary);

 private:
  [[nodiscard]] int occupied(const char* why) const;

  std::string_view command_, members_;
  std::string header_;
  const MembersOptions& options_;
  std::optional<RunFolder> files_;
  bool done_ = false;  ///< finished before
  std::uint64_t known_ = 0;
  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace ricochet::app
