#include "commands/simultaneous_members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <thread>
#include <utility>

#include "commands/hand_out.hpp"
#include "commands/run_folder.hpp"
#include "ricochet/base/printable.hpp"
#include "ricochet/io/input.hpp"
#include "terminal/count_progress.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {
namespace {

constexpr const char *members_name = "members.txt", *summary_name = "ensemble.json";
constexpr std::size_t largest = std::size_t{1} << 36U;

/// A line of numbers, doubles to the last bit: settled, energy change, collisions, history, speeds before and after,
/// order.
std::string line_of(const EnsembleMember& m) {
  std::string out =
      fmt::format("{} {:a} {:a} {} {}", m.settled ? 1 : 0, m.energy_change, m.collisions, m.history, m.start.size());
  for (const double x : m.start) out += fmt::format(" {:a}", x);
  out += fmt::format(" {}", m.u.size());
  for (const double x : m.u) out += fmt::format(" {:a}", x);
  out += fmt::format(" {}", m.order.size());
  for (const std::uint32_t contact : m.order) out += fmt::format(" {}", contact);
  return out + "\n";
}

/// The next line of `text`, which is moved past it; nothing where it is no member.
std::optional<EnsembleMember> member_of(const char*& text) {
  const auto whole = [&] {
    char* end = nullptr;
    const std::uint64_t x = std::strtoull(text, &end, 10);
    text = end;
    return x;
  };
  const auto real = [&] {
    char* end = nullptr;
    const double x = std::strtod(text, &end);
    text = end;
    return x;
  };
  constexpr std::uint64_t most = 10'000'000;
  const auto speeds = [&](VecX& u) {
    const std::uint64_t size = whole();
    if (size > most) return false;
    u.resize(static_cast<Eigen::Index>(size));
    for (double& x : u) x = real();
    return true;
  };
  EnsembleMember m;
  m.settled = whole() == 1;
  m.energy_change = real();
  m.collisions = real();
  m.history = whole();
  if (!speeds(m.start) || !speeds(m.u)) return std::nullopt;
  const std::uint64_t contacts = whole();
  if (contacts > most) return std::nullopt;
  m.order.resize(contacts);
  for (std::uint32_t& contact : m.order) contact = static_cast<std::uint32_t>(whole());
  if (*text != '\n') return std::nullopt;
  ++text;
  return m;
}

}  // namespace

struct MembersRun::Folder {
  RunFolder files;
  bool done = false;  ///< finished before
};

int MembersRun::open(const Json& identity) {
  const auto refuse_folder = [&](const Error& error) { return refuse(options_.out, error); };
  if (!options_.out.empty()) {
    auto folder = RunFolder::look(RunFiles{"simultaneous", {members_name}, {}, summary_name}, options_.out, identity,
                                  options_.force);
    if (!folder) return refuse_folder(folder.error());
    folder_ = std::make_shared<Folder>(Folder{*std::move(folder), false});
    RunFolder& files = folder_->files;
    const RunFolder::State state = options_.force ? RunFolder::State::empty : files.state();
    const auto occupied = [&](const char* why) { return refuse_folder(Error{ErrorCode::conflict, "", "", why}); };
    if (state == RunFolder::State::occupied)
      return occupied("has other files; name a new or empty folder, or write into it with --force");
    if (state != RunFolder::State::empty) {
      if (!options_.resume)
        return occupied(state == RunFolder::State::finished
                            ? "holds a finished ensemble; --force replaces it"
                            : "holds an ensemble that is not finished; --resume continues it, --force replaces it");
      if (const auto same = files.same_run(); !same) return refuse_folder(same.error());
      folder_->done = state == RunFolder::State::finished;
      if (!folder_->done)
        if (const auto opened = files.resume(); !opened) return refuse_output(opened.error());
      const std::uint64_t known = folder_->done ? count_ : files.pieces();
      auto input = Input::open(files.path_of(members_name));
      if (!input) return refuse_folder(input.error());
      const auto text = input->rest(largest);
      if (!text) return refuse_folder(text.error());
      const char* at = text->c_str();
      while (members_.size() < known && at < text->c_str() + text->size()) {
        auto member = member_of(at);
        if (!member) break;
        members_.push_back(*std::move(member));
      }
      if (members_.size() != known || at != text->c_str() + text->size() || known > count_)
        return occupied("members.txt is not that of its checkpoint; --force begins anew");
    } else if (const auto opened = files.begin(""); !opened) {
      return refuse_output(opened.error());
    }
  }
  return 0;
}

Expected<std::vector<EnsembleMember>> MembersRun::run() {
  std::vector<EnsembleMember>& members = members_;
  CountProgress progress("members", count_, members.size());
  auto saved = std::chrono::steady_clock::now();
  const auto take = [&](std::vector<EnsembleMember> part) -> Expected<void> {
    progress.step(part.size());
    for (EnsembleMember& m : part) {
      if (folder_) folder_->files.append(0, line_of(m));
      members.push_back(std::move(m));
    }
    if (!folder_) return {};
    const auto now = std::chrono::steady_clock::now();
    if (std::chrono::duration<double>(now - saved).count() < options_.save_every) return folder_->files.flush();
    saved = now;
    return folder_->files.save(members.size(), "");
  };
  Expected<void> outcome;
  if (ranks_.count() > 1) {
    outcome = hand_out(ranks_, members.size(), count_, std::uint64_t{1} << 16U,
                       [&](const std::string& text) -> Expected<void> {
                         const Piece piece = piece_of(text);
                         const char* at = text.c_str() + text.find('\n') + 1;
                         std::vector<EnsembleMember> part;
                         while (part.size() < piece.last - piece.first && *at != '\0') {
                           auto member = member_of(at);
                           if (!member) break;
                           part.push_back(*std::move(member));
                         }
                         // What a rank could not solve is said here.
                         if (part.size() < piece.last - piece.first) {
                           auto again = resolve_(piece.first, piece.last, 1);
                           if (!again) return tl::unexpected(again.error());
                           part = *std::move(again);
                         }
                         return take(std::move(part));
                       });
  } else {
    const unsigned threads =
        options_.threads > 0 ? options_.threads : std::max(1U, std::thread::hardware_concurrency());
    while (outcome && members.size() < count_) {
      const std::size_t end = std::min<std::size_t>(count_, members.size() + std::size_t{32} * threads);
      auto part = resolve_(members.size(), folder_ ? end : count_, threads);
      outcome = part ? take(*std::move(part)) : tl::unexpected(part.error());
    }
  }
  if (!outcome) return tl::unexpected(outcome.error());
  return std::move(members_);
}

int MembersRun::finish(Json summary) {
  if (!folder_) return 0;
  if (folder_->done) {
    fmt::print(stderr, "{}: this ensemble is finished already\n", printable(options_.out));
    return 0;
  }
  const auto finished = folder_->files.finish(std::move(summary));
  return finished ? 0 : refuse_output(finished.error());
}

void MembersRun::work() const {
  work_on_pieces(ranks_, [&](const Piece& piece) {
    const auto part = resolve_(piece.first, piece.last, std::max(1U, options_.threads));
    std::string out;
    if (part)
      for (const EnsembleMember& m : *part) out += line_of(m);
    return out;
  });
}

}  // namespace ricochet::app
