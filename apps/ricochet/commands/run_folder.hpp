#pragma once
/// The folder that `simulate`, `simultaneous` and `sweep --out` write: files that grow, and a checkpoint from which a
/// run that was killed at any moment continues to the same bytes.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ricochet/base/error.hpp"
#include "ricochet/io/json.hpp"

namespace ricochet::app {

/// All that a command writes to its folder, but for the checkpoint.
struct RunFiles {
  std::string_view command;
  std::vector<std::string_view> growing;  ///< appended to, in pieces
  std::vector<std::string_view> others;   ///< made of the whole
  std::string_view summary;               ///< written last
};

class RunFolder {
 public:
  enum class State {
    empty,       ///< absent, or without files
    unfinished,  ///< has a checkpoint
    finished,    ///< has a summary of this run, and no checkpoint
    occupied,    ///< has other files
  };

  /// Looks at the folder and locks it, and writes nothing. `identity` is an object of what determines the run. A run
  /// that is to be replaced is not read.
  [[nodiscard]] static Expected<RunFolder> look(RunFiles files, std::string path, Json identity, bool replace);
  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&&) = delete;
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder();

  [[nodiscard]] State state() const { return state_; }
  /// How the run in the folder differs from this one: nothing, or an error that names the first difference.
  [[nodiscard]] Expected<void> same_run() const;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string path_of(std::string_view name) const;
  /// Of a run that has a checkpoint: pieces that are done, and the state of the simulation after them.
  [[nodiscard]] std::uint64_t pieces() const { return pieces_; }
  [[nodiscard]] const std::string& checkpoint() const { return checkpoint_; }

  /// A new run, which replaces what is there of another. `checkpoint` is the state at the start.
  [[nodiscard]] Expected<void> begin(std::string_view checkpoint);
  /// Continues at the checkpoint: what was written after it is cut off.
  [[nodiscard]] Expected<void> resume();
  /// `file` is a place in `RunFiles::growing`.
  void append(std::size_t file, std::string_view text) { waiting_[file] += text; }
  /// Hands what has been appended to the system.
  [[nodiscard]] Expected<void> flush();
  [[nodiscard]] Expected<void> save(std::uint64_t pieces, std::string_view checkpoint);
  /// A file that appears only when complete.
  [[nodiscard]] Expected<void> write(std::string_view name, std::string_view text) const;
  /// The summary, to which the identity is added; the run needs its checkpoint no longer.
  [[nodiscard]] Expected<void> finish(Json summary);

 private:
  RunFolder(RunFiles names, std::string path, Json identity)
      : names_(std::move(names)),
        path_(std::move(path)),
        identity_(std::move(identity)),
        files_(names_.growing.size(), -1),
        lengths_(names_.growing.size()),
        waiting_(names_.growing.size()) {}
  [[nodiscard]] Expected<void> read_checkpoint();
  [[nodiscard]] Expected<void> open_files(const std::vector<std::uint64_t>& lengths);
  [[nodiscard]] Expected<void> lock();
  [[nodiscard]] bool is_ours(const std::string& name) const;

  RunFiles names_;
  std::string path_;
  Json identity_, found_;  ///< of this run, and of that in the folder
  State state_ = State::empty;
  int lock_ = -1;
  std::vector<int> files_;
  std::vector<std::uint64_t> lengths_;
  std::vector<std::string> waiting_;
  std::uint64_t pieces_ = 0;
  std::string checkpoint_;
};

}  // namespace ricochet::app
