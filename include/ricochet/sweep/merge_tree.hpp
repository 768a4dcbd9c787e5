#pragma once
/// Results of blocks, merged in an order that depends on their indices alone (docs/sweep.md): two neighbours of the
/// same size that together begin at a multiple of their size become one. Whoever computed a block, and when, leaves no
/// trace in the bits, and a range of n blocks keeps at most 2 log₂ n results.

#include <cstdint>
#include <map>
#include <utility>

namespace ricochet::sweep {

/// T has `merge(const T& after)`.
template <class T>
class MergeTree {
 public:
  struct Node {
    unsigned level = 0;  ///< of 2^level blocks
    T result;
  };

  /// A node that begins at block `first`, a multiple of its size, and overlaps no other.
  void add(std::uint64_t first, Node node) {
    while (true) {
      const std::uint64_t size = std::uint64_t{1} << node.level, sibling = first ^ size;
      const auto found = nodes_.find(sibling);
      if (found == nodes_.end() || found->second.level != node.level) break;
      if (sibling < first) {
        found->second.result.merge(node.result);
        node.result = std::move(found->second.result);
        first = sibling;
      } else {
        node.result.merge(found->second.result);
      }
      nodes_.erase(found);
      ++node.level;
    }
    nodes_.emplace(first, std::move(node));
  }
  void add(std::uint64_t block, T result) { add(block, Node{0, std::move(result)}); }

  [[nodiscard]] const std::map<std::uint64_t, Node>& nodes() const { return nodes_; }

  /// Whether the nodes are those of blocks `first` to `last`, without a gap.
  [[nodiscard]] bool covers(std::uint64_t first, std::uint64_t last) const {
    for (const auto& [begin, node] : nodes_) {
      if (begin != first) return false;
      first += std::uint64_t{1} << node.level;
    }
    return first == last;
  }

  /// All of them, from the first to the last; `start` has no numbers.
  [[nodiscard]] T total(T start) const {
    for (const auto& entry : nodes_) start.merge(entry.second.result);
    return start;
  }

 private:
  std::map<std::uint64_t, Node> nodes_;
};

}  // namespace ricochet::sweep
