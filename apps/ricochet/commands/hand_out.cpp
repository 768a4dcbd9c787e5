#include "commands/hand_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

namespace ricochet::app {

Piece piece_of(const std::string& text) {
  Piece out;
  char* blank = nullptr;
  out.first = std::strtoull(text.c_str(), &blank, 10);
  out.last = std::strtoull(blank, nullptr, 10);
  return out;
}

Expected<void> hand_out(const Ranks& ranks, std::uint64_t next, std::uint64_t last, std::uint64_t ahead,
                        const std::function<Expected<void>(const std::string&)>& take) {
  const auto workers = static_cast<std::uint64_t>(ranks.count() - 1);
  std::map<std::uint64_t, std::string> waiting;
  std::vector<int> idle;
  std::uint64_t handed = next, working = workers;
  Expected<void> outcome;
  while (working > 0) {
    Ranks::Message message = ranks.receive();
    idle.push_back(message.from);
    if (!message.text.empty()) {
      const std::uint64_t at = piece_of(message.text).first;
      waiting.emplace(at, std::move(message.text));
    }
    while (outcome && !waiting.empty() && waiting.begin()->first == next) {
      next = piece_of(waiting.begin()->second).last;
      outcome = take(waiting.begin()->second);
      waiting.erase(waiting.begin());
    }
    while (!idle.empty()) {
      if (!outcome || handed == last) {
        ranks.send(idle.back(), "");
        --working;
      } else {
        if (handed - next >= ahead) break;
        const std::uint64_t share = std::clamp<std::uint64_t>((last - handed) / (4 * workers), 1, 64);
        const std::uint64_t end =
            std::min(last, handed + std::min(share, std::max<std::uint64_t>(1, ahead / (4 * workers))));
        ranks.send(idle.back(), fmt::format("{} {}", handed, end));
        handed = end;
      }
      idle.pop_back();
    }
  }
  return outcome;
}

void work_on_pieces(const Ranks& ranks, const std::function<std::string(const Piece&)>& compute) {
  ranks.send(0, "");
  while (true) {
    const std::string work = ranks.receive().text;
    if (work.empty()) return;
    ranks.send(0, work + "\n" + compute(piece_of(work)));
  }
}

}  // namespace ricochet::app
