#pragma once
/// The processes that `mpirun` starts, and messages between them. Without mpirun there is one.

#include <string>
#include <string_view>

#include "ricochet/base/error.hpp"

namespace ricochet::app {

class Ranks {
 public:
  /// Fails where mpirun started this program and it was built without Open MPI.
  [[nodiscard]] static Expected<Ranks> start();
  Ranks(Ranks&& other) noexcept;
  Ranks& operator=(Ranks&&) = delete;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  ~Ranks();

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int count() const { return count_; }

  /// The text of rank 0, for every rank.
  [[nodiscard]] std::string broadcast(std::string text) const;
  void send(int to, std::string_view text) const;
  struct Message {
    int from = 0;
    std::string text;
  };
  /// The next message from any rank. Waits without using the processor.
  [[nodiscard]] Message receive() const;

 private:
  Ranks() = default;
  int rank_ = 0, count_ = 1;
  bool started_ = false;
};

}  // namespace ricochet::app
