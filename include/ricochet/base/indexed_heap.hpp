#pragma once
/// A queue of a fixed number of entries, each with a time that may change: the earliest is found at once, a change
/// takes O(log n).

#include <cstdint>
#include <limits>
#include <vector>

#include "ricochet/base/large_pages.hpp"

namespace ricochet {

class IndexedHeap {
 public:
  /// All entries at infinity.
  explicit IndexedHeap(std::uint32_t count = 0) {
    constexpr double never = std::numeric_limits<double>::infinity();
    reserve_on_large_pages(nodes_, count);
    reserve_on_large_pages(entries_, count);
    for (std::uint32_t i = 0; i < count; ++i) {
      nodes_.push_back({never, i});
      entries_.push_back({never, i});
    }
  }

  [[nodiscard]] std::uint32_t first() const { return nodes_[0].entry; }
  [[nodiscard]] double time(std::uint32_t entry) const { return entries_[entry].time; }

  /// Those that are likely to come soon after the first.
  template <class Visit>
  void visit_next(const Visit& visit) const {
    for (std::size_t k = 1; k <= branches && k < nodes_.size(); ++k) visit(nodes_[k].entry);
  }

  void change(std::uint32_t entry, double time) {
    const std::uint32_t at = entries_[entry].place;
    entries_[entry].time = time;
    if (time < nodes_[at].time) {
      rise(at, {time, entry});
    } else {
      sink(at, {time, entry});
    }
  }

 private:
  struct Node {
    double time;
    std::uint32_t entry;
  };
  /// The time once more, so that asking for it does not lead through the heap.
  struct Entry {
    double time;
    std::uint32_t place;
  };
  static constexpr std::uint32_t branches = 4;

  void put(std::uint32_t at, const Node& node) {
    nodes_[at] = node;
    entries_[node.entry].place = at;
  }
  void rise(std::uint32_t at, const Node& node) {
    while (at > 0) {
      const std::uint32_t above = (at - 1) / branches;
      if (!(node.time < nodes_[above].time)) break;
      put(at, nodes_[above]);
      at = above;
    }
    put(at, node);
  }
  void sink(std::uint32_t at, const Node& node) {
    const auto count = static_cast<std::uint32_t>(nodes_.size());
    for (;;) {
      const std::uint32_t below = branches * at + 1;
      if (below >= count) break;
      std::uint32_t least = below;
      const std::uint32_t end = count - below < branches ? count : below + branches;
      for (std::uint32_t k = below + 1; k < end; ++k)
        if (nodes_[k].time < nodes_[least].time) least = k;
      if (!(nodes_[least].time < node.time)) break;
      put(at, nodes_[least]);
      at = least;
    }
    put(at, node);
  }

  std::vector<Node> nodes_;
  std::vector<Entry> entries_;
};

}  // namespace ricochet
