#pragma once
/// Members of an ensemble, computed by all processes of mpirun, and kept in a folder from which an interrupted one goes
/// on. What a member is, and how it is written, the command says.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "commands/hand_out.hpp"
#include "commands/members_folder.hpp"
#include "commands/ranks.hpp"
#include "terminal/count_progress.hpp"

namespace ricochet::app {

/// A member as text that is read back exactly.
template <class Member>
struct MemberFormat {
  std::string_view command, file;  ///< names of the command, and of the file with the members
  std::string header;              ///< of that file
  /// Ends with a line break.
  std::function<std::string(std::size_t number, const Member&)> text;
  /// Moves past a member; nothing where there is none.
  std::function<std::optional<Member>(const char*&)> read;
};

/// Members from the first number to before the second, by so many threads; called from several threads.
template <class Member>
using ComputeMembers =
    std::function<Expected<std::vector<Member>>(std::size_t first, std::size_t last, unsigned threads)>;

template <class Member>
class MembersRun {
 public:
  MembersRun(const Ranks& ranks, const MembersOptions& options, std::size_t count, MemberFormat<Member> format,
             ComputeMembers<Member> compute)
      : ranks_(ranks),
        options_(options),
        count_(count),
        format_(std::move(format)),
        compute_(std::move(compute)),
        folder_(format_.command, format_.file, format_.header, options) {}

  /// On rank 0, or where there is no other: the folder, if there is to be one. `identity` determines the members. The
  /// exit status; what is wrong has been said.
  [[nodiscard]] int open(const Json& identity) {
    if (const int status = folder_.open(identity, count_); status != 0) return status;
    const std::string_view text = folder_.text();
    const char *at = text.data(), *end = at + text.size();
    members_ = read(at, end, folder_.known());
    return folder_.accept(members_.size() == folder_.known() && at == end);
  }

  /// There, then: all members, by all ranks.
  [[nodiscard]] Expected<std::vector<Member>> run() {
    progress_.emplace("members", count_, members_.size());
    saved_ = Clock::now();
    const auto outcome = ranks_.count() > 1 ? run_on_ranks() : run_here();
    progress_.reset();
    if (!outcome) return tl::unexpected(outcome.error());
    return std::move(members_);
  }

  /// The summary of the folder, written last. The exit status.
  [[nodiscard]] int finish(Json summary) { return folder_.finish(std::move(summary)); }

  /// On the other ranks.
  void work() const {
    work_on_pieces(ranks_, [&](const Piece& piece) {
      const auto part = compute_(piece.first, piece.last, std::max(1U, options_.threads));
      std::string out;
      if (part)
        for (std::size_t i = 0; i < part->size(); ++i) out += format_.text(piece.first + i, (*part)[i]);
      return out;
    });
  }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::vector<Member> read(const char*& at, const char* end, std::size_t most) const {
    std::vector<Member> out;
    while (out.size() < most && at < end) {
      auto member = format_.read(at);
      if (!member) break;
      out.push_back(*std::move(member));
    }
    return out;
  }

  [[nodiscard]] Expected<void> take(std::vector<Member> part) {
    progress_->step(part.size());
    for (Member& m : part) {
      if (folder_.kept()) folder_.append(format_.text(members_.size(), m));
      members_.push_back(std::move(m));
    }
    if (!folder_.kept()) return {};
    const auto now = Clock::now();
    if (std::chrono::duration<double>(now - saved_).count() < options_.save_every) return folder_.flush();
    saved_ = now;
    return folder_.save(members_.size());
  }

  [[nodiscard]] Expected<void> run_on_ranks() {
    return hand_out(ranks_, members_.size(), count_, std::uint64_t{1} << 16U,
                    [&](const std::string& text) -> Expected<void> {
                      const Piece piece = piece_of(text);
                      const char* at = text.c_str() + text.find('\n') + 1;
                      auto part = read(at, text.c_str() + text.size(), piece.last - piece.first);
                      // What a rank could not solve is said here.
                      if (part.size() < piece.last - piece.first) {
                        auto again = compute_(piece.first, piece.last, 1);
                        if (!again) return tl::unexpected(again.error());
                        part = *std::move(again);
                      }
                      return take(std::move(part));
                    });
  }

  /// Parts go to whichever thread is free and are taken in order, so that little is lost where this is killed. A part
  /// grows while it takes no noticeable time.
  [[nodiscard]] Expected<void> run_here() {
    const unsigned threads =
        options_.threads > 0 ? options_.threads : std::max(1U, std::thread::hardware_concurrency());
    constexpr std::size_t most_ahead = std::size_t{1} << 16U, largest_part = 4096;
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::size_t, Expected<std::vector<Member>>> done;
    std::size_t taken = members_.size(), handed = taken, share = 1;
    bool stop = false;
    const auto work = [&] {
      std::unique_lock lock(mutex);
      while (!stop && handed < count_) {
        if (handed - taken > most_ahead) {
          changed.wait(lock);
          continue;
        }
        const std::size_t first = handed, last = std::min(count_, first + share);
        handed = last;
        lock.unlock();
        const auto before = Clock::now();
        auto part = compute_(first, last, 1);
        const auto took = Clock::now() - before;
        lock.lock();
        if (took < std::chrono::milliseconds(5)) share = std::clamp(2 * (last - first), share, largest_part);
        if (took > std::chrono::milliseconds(50)) share = std::max<std::size_t>(1, (last - first) / 2);
        done.emplace(first, std::move(part));
        changed.notify_all();
      }
    };
    std::vector<std::thread> pool;
    for (unsigned t = 0; t < std::min<std::size_t>(threads, count_ - taken); ++t) pool.emplace_back(work);
    Expected<void> outcome;
    std::unique_lock lock(mutex);
    while (outcome && taken < count_) {
      changed.wait(lock, [&] { return !done.empty() && done.begin()->first == taken; });
      auto part = std::move(done.begin()->second);
      done.erase(done.begin());
      lock.unlock();
      outcome = part ? take(*std::move(part)) : tl::unexpected(part.error());
      lock.lock();
      taken = members_.size();
      changed.notify_all();
    }
    stop = true;
    changed.notify_all();
    lock.unlock();
    for (std::thread& thread : pool) thread.join();
    return outcome;
  }

  const Ranks& ranks_;
  const MembersOptions& options_;
  std::size_t count_;
  MemberFormat<Member> format_;
  ComputeMembers<Member> compute_;
  MembersFolder folder_;
  std::vector<Member> members_;
  std::optional<CountProgress> progress_;
  Clock::time_point saved_;
};

}  // namespace ricochet::app
