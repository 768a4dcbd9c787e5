#include "commands/members_folder.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "ricochet/base/printable.hpp"
#include "ricochet/io/input.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {
namespace {

constexpr const char* summary_name = "ensemble.json";
constexpr std::size_t largest_members_file = std::size_t{1} << 36U;

}  // namespace

int MembersFolder::occupied(const char* why) const {
  return refuse(options_.out, Error{ErrorCode::conflict, "", "", why});
}

int MembersFolder::open(const Json& identity, std::uint64_t count) {
  if (options_.out.empty()) return 0;
  auto folder =
      RunFolder::look(RunFiles{command_, {members_}, {}, summary_name}, options_.out, identity, options_.force);
  if (!folder) return refuse(options_.out, folder.error());
  files_.emplace(*std::move(folder));
  const RunFolder::State state = options_.force ? RunFolder::State::empty : files_->state();
  if (state == RunFolder::State::occupied)
    return occupied("has other files; name a new or empty folder, or write into it with --force");
  if (state == RunFolder::State::empty) {
    if (const auto opened = files_->begin(""); !opened) return refuse_output(opened.error());
    files_->append(0, header_);
    return 0;
  }
  if (!options_.resume)
    return occupied(state == RunFolder::State::finished
                        ? "holds a finished ensemble; --force replaces it"
                        : "holds an ensemble that is not finished; --resume continues it, --force replaces it");
  if (const auto same = files_->same_run(); !same) return refuse(options_.out, same.error());
  done_ = state == RunFolder::State::finished;
  if (!done_)
    if (const auto opened = files_->resume(); !opened) return refuse_output(opened.error());
  known_ = done_ ? count : files_->pieces();
  auto input = Input::open(files_->path_of(members_));
  if (!input) return refuse(options_.out, input.error());
  auto text = input->rest(largest_members_file);
  if (!text) return refuse(options_.out, text.error());
  text_ = *std::move(text);
  // Killed before its first checkpoint with members: begun, and empty.
  if (!done_ && text_.empty() && known_ == 0) {
    files_->append(0, header_);
  } else if (text_.starts_with(header_) && known_ <= count) {
    at_ = header_.size();
  } else {
    return accept(false);
  }
  return 0;
}

int MembersFolder::accept(bool whole) {
  text_.clear();
  text_.shrink_to_fit();
  at_ = 0;
  if (whole) return 0;
  return occupied(fmt::format("{} is not that of its checkpoint; --force begins anew", members_).c_str());
}

int MembersFolder::finish(Json summary) {
  if (!files_) return 0;
  if (done_) {
    fmt::print(stderr, "{}: this ensemble is finished already\n", printable(options_.out));
    return 0;
  }
  const auto finished = files_->finish(std::move(summary));
  return finished ? 0 : refuse_output(finished.error());
}

}  // namespace ricochet::app
