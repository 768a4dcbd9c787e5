#pragma once
/// Numbered work divided among ranks: pieces go to whichever is free, and their results are taken in order.

#include <cstdint>
#include <functional>
#include <string>

#include "commands/ranks.hpp"

namespace ricochet::app {

/// Pieces are "FIRST LAST", of numbers from FIRST to before LAST; the message with a result begins with its piece, and
/// a line end.
struct Piece {
  std::uint64_t first = 0, last = 0;
};
[[nodiscard]] Piece piece_of(const std::string& text);

/// On rank 0, which computes nothing: `take(result)` of every piece from `next` to `last`. At most `ahead` numbers are
/// handed out beyond the one that is waited for. Ends the other ranks' work.
[[nodiscard]] Expected<void> hand_out(const Ranks& ranks, std::uint64_t next, std::uint64_t last, std::uint64_t ahead,
                                      const std::function<Expected<void>(const std::string&)>& take);

/// On every other rank: computes the pieces that it is given until there are no more.
void work_on_pieces(const Ranks& ranks, const std::function<std::string(const Piece&)>& compute);

}  // namespace ricochet::app
