#pragma once
/// A folder of static files, served on loopback to whoever asks on this machine and to nobody else.

#include <filesystem>
#include <memory>
#include <string>

#include "ricochet/base/error.hpp"

namespace ricochet::app {

class PageServer {
 public:
  /// Reads the folder once; what is not in it then is never served. Fails where there is no index.html (field page).
  [[nodiscard]] static Expected<PageServer> open(const std::filesystem::path& folder);

  PageServer(PageServer&&) noexcept;
  PageServer& operator=(PageServer&&) noexcept;
  ~PageServer();

  /// `port` 0 takes any that is free. Answers from now on, in a thread of its own, until `stop`. Gives the port.
  [[nodiscard]] Expected<int> start(int port);
  void stop();

 private:
  struct State;
  explicit PageServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ricochet::app
