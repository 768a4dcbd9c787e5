#pragma once
/// Large arrays that are read here and there spend half their time on looking up addresses; pages of 2 MiB save that.

#include <cstddef>
#include <cstdint>
#include <vector>

#if defined(__linux__) && !defined(__EMSCRIPTEN__)
#include <sys/mman.h>
#endif

namespace ricochet {

/// Room for `count` elements, on large pages where the system has them. To be called before the vector is filled.
template <class T>
void reserve_on_large_pages(std::vector<T>& vector, std::size_t count) {
  vector.reserve(count);
#if defined(__linux__) && !defined(__EMSCRIPTEN__)
  constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
  const auto begin = reinterpret_cast<std::uintptr_t>(vector.data());
  const std::uintptr_t first = (begin + page - 1) & ~(page - 1), last = (begin + count * sizeof(T)) & ~(page - 1);
  // A wish: what happens without it is the same, only slower.
  if (last > first) (void)madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

}  // namespace ricochet
