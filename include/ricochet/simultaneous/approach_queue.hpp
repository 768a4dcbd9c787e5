#pragma once
/// Indexed binary heap of the contacts that approach: the fastest on top, among equals the one of higher rank, then the
/// one of lower index. Changing or removing one contact costs the logarithm of how many there are.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ricochet {

class ApproachQueue {
 public:
  explicit ApproachQueue(std::size_t contacts) : place_(contacts, absent) {}

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  [[nodiscard]] std::uint32_t top() const { return heap_[0].contact; }
  [[nodiscard]] bool contains(std::uint32_t i) const { return place_[i] != absent; }
  /// Of a contact that it contains.
  [[nodiscard]] double key(std::uint32_t i) const { return heap_[place_[i]].key; }

  /// Whether `test` holds for some contact in it.
  template <class Test>
  [[nodiscard]] bool any(Test test) const {
    for (const Node& node : heap_)
      if (test(node.contact)) return true;
    return false;
  }

  /// A contact other than the top one, with the same key, for which `test` holds. Looks at `most` contacts of that key
  /// at most: they stand together below the top, and may be all there are.
  template <class Test>
  [[nodiscard]] std::optional<std::uint32_t> tied_with_top(std::size_t most, Test test) const {
    return tied_below(0, most, test);
  }

  void set(std::uint32_t i, double key, std::uint64_t rank) {
    const Node node{key, rank, i};
    std::uint32_t at = place_[i];
    if (at == absent) {
      at = static_cast<std::uint32_t>(heap_.size());
      heap_.push_back(node);
    }
    sift(at, node);
  }

  void remove(std::uint32_t i) {
    const std::uint32_t at = place_[i];
    if (at == absent) return;
    const Node last = heap_.back();
    heap_.pop_back();
    place_[i] = absent;
    if (last.contact != i) sift(at, last);
  }

 private:
  struct Node {
    double key;
    std::uint64_t rank;
    std::uint32_t contact;
  };
  static constexpr std::uint32_t absent = ~std::uint32_t{0};

  [[nodiscard]] static bool before(const Node& a, const Node& b) {
    if (a.key != b.key) return a.key > b.key;
    if (a.rank != b.rank) return a.rank > b.rank;
    return a.contact < b.contact;
  }
  template <class Test>
  [[nodiscard]] std::optional<std::uint32_t> tied_below(std::size_t at, std::size_t& most, Test& test) const {
    for (std::size_t down = 2 * at + 1; down <= 2 * at + 2 && down < heap_.size(); ++down) {
      if (heap_[down].key != heap_[0].key) continue;
      if (most == 0) return std::nullopt;
      --most;
      if (test(heap_[down].contact)) return heap_[down].contact;
      if (const auto found = tied_below(down, most, test)) return found;
    }
    return std::nullopt;
  }
  void put(std::size_t at, const Node& node) {
    heap_[at] = node;
    place_[node.contact] = static_cast<std::uint32_t>(at);
  }
  /// Moves the hole at `at` up or down until the node fits in.
  void sift(std::size_t at, const Node& node) {
    while (at > 0) {
      const std::size_t up = (at - 1) / 2;
      if (!before(node, heap_[up])) break;
      put(at, heap_[up]);
      at = up;
    }
    for (;;) {
      std::size_t down = 2 * at + 1;
      if (down >= heap_.size()) break;
      if (down + 1 < heap_.size() && before(heap_[down + 1], heap_[down])) ++down;
      if (!before(heap_[down], node)) break;
      put(at, heap_[down]);
      at = down;
    }
    put(at, node);
  }

  std::vector<Node> heap_;
  std::vector<std::uint32_t> place_;  ///< of each contact in the heap
};

}  // namespace ricochet
