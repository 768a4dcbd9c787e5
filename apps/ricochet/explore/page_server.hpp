#pragma once
/// A folder of static files, served on the loopback address only. Requests whose Host header names another machine are
/// refused (421), so that no website can reach the server by DNS rebinding; every response carries a content security
/// policy.

#include <filesystem>
#include <memory>
#include <string>

#include "ricochet/base/error.hpp"

namespace ricochet::app {

class PageServer {
 public:
  /// Reads the folder once; files added later are not served. Fails where there is no index.html (field page).
  [[nodiscard]] static Expected<PageServer> open(const std::filesystem::path& folder);

  PageServer(PageServer&&) noexcept;
  PageServer& operator=(PageServer&&) noexcept;
  ~PageServer();

  /// Serves a text beside the page, under a name with the ending of its kind ("motion.json"). Before `start`.
  void add(const std::string& name, std::string text);

  /// `port` 0 takes any that is free. Serves in its own thread until `stop`. Returns the port.
  [[nodiscard]] Expected<int> start(int port);
  void stop();

 private:
  struct State;
  explicit PageServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ricochet::app
