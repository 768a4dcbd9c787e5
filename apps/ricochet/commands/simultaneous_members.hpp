#pragma once
/// Members of an ensemble, computed by all processes of mpirun, and kept in a folder from which an interrupted one goes
/// on.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands/ranks.hpp"
#include "ricochet/io/json.hpp"
#include "ricochet/simultaneous/ensemble.hpp"

namespace ricochet::app {

struct MembersOptions {
  std::string out;  ///< folder; empty: none
  bool resume = false, force = false;
  double save_every = 1;  ///< [s]
  unsigned threads = 0;   ///< of each rank; 0: all processors, or one under mpirun
};

/// Members from the first number to before the second, by so many threads.
using ResolveMembers =
    std::function<Expected<std::vector<EnsembleMember>>(std::size_t first, std::size_t last, unsigned threads)>;

class MembersRun {
 public:
  MembersRun(const Ranks& ranks, const MembersOptions& options, std::size_t count, ResolveMembers resolve)
      : ranks_(ranks), options_(options), count_(count), resolve_(std::move(resolve)) {}

  /// On rank 0, or where there is no other: the folder, if there is to be one. `identity` determines the members. The
  /// exit status; what is wrong has been said.
  [[nodiscard]] int open(const Json& identity);
  /// There, then: all members, by all ranks.
  [[nodiscard]] Expected<std::vector<EnsembleMember>> run();
  /// The summary of the folder, written last. The exit status.
  [[nodiscard]] int finish(Json summary);
  /// On the other ranks.
  void work() const;

 private:
  const Ranks& ranks_;
  const MembersOptions& options_;
  std::size_t count_;
  ResolveMembers resolve_;
  struct Folder;
  std::shared_ptr<Folder> folder_;
  std::vector<EnsembleMember> members_;
};

}  // namespace ricochet::app
