#pragma once
/// Numbered work by several threads.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace ricochet {

/// work(i) for i = 0 … count − 1, by several threads.
inline void in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  const auto loop = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> pool;
  for (std::size_t t = 1; t < std::min<std::size_t>(threads, count); ++t) pool.emplace_back(loop);
  loop();
  for (std::thread& thread : pool) thread.join();
}

}  // namespace ricochet
