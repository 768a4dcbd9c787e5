#pragma once
/// The folder that `simulate --out` writes: files that grow, and a checkpoint from which a run that was killed at any
/// moment continues to the same bytes.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "ricochet/base/error.hpp"
#include "ricochet/io/json.hpp"

namespace ricochet::app {

class RunFolder {
 public:
  enum class State {
    empty,       ///< absent, or without files
    unfinished,  ///< has a checkpoint
    finished,    ///< has a summary of this run, and no checkpoint
    occupied,    ///< has other files
  };
  enum File : std::size_t { trajectory, events, ledger };
  static constexpr std::array<const char*, 3> names{"trajectory.csv", "events.csv", "ledger.csv"};

  /// Looks at the folder and locks it, and writes nothing. `identity` is an object of what determines the run. A run
  /// that is to be replaced is not read.
  [[nodiscard]] static Expected<RunFolder> look(std::string path, Json identity, bool replace);
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
  void append(File file, std::string_view text) { waiting_[file] += text; }
  /// Hands what has been appended to the system.
  [[nodiscard]] Expected<void> flush();
  [[nodiscard]] Expected<void> save(std::uint64_t pieces, std::string_view checkpoint);
  /// A file that appears only when complete.
  [[nodiscard]] Expected<void> write(std::string_view name, std::string_view text) const;
  /// The summary, to which the identity is added; the run needs its checkpoint no longer.
  [[nodiscard]] Expected<void> finish(Json summary);

 private:
  RunFolder(std::string path, Json identity) : path_(std::move(path)), identity_(std::move(identity)) {}
  [[nodiscard]] Expected<void> read_checkpoint();
  [[nodiscard]] Expected<void> open_files(const std::array<std::uint64_t, 3>& lengths);
  [[nodiscard]] Expected<void> lock();

  std::string path_;
  Json identity_, found_;  ///< of this run, and of that in the folder
  State state_ = State::empty;
  int lock_ = -1;
  std::array<int, 3> files_{-1, -1, -1};
  std::array<std::uint64_t, 3> lengths_{};
  std::array<std::string, 3> waiting_;
  std::uint64_t pieces_ = 0;
  std::string checkpoint_;
};

}  // namespace ricochet::app
