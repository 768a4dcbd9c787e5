#pragma once
/// Work shared among threads (oneTBB). Where oneTBB was absent when the library was built, one thread does it all.

#include <cstddef>
#include <functional>

namespace ricochet {

/// Whether the library was built with oneTBB.
[[nodiscard]] bool has_threads();
/// What 0 threads stand for.
[[nodiscard]] unsigned default_threads();

/// `work(begin, end)` for ranges that cover 0 to count, each of `grain` collisions or fewer, begin a multiple of grain.
/// Which thread takes which range is left open.
void in_ranges(std::size_t count, std::size_t grain, unsigned threads,
               const std::function<void(std::size_t, std::size_t)>& work);

}  // namespace ricochet
