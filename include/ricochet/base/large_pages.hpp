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
  auto* const begin = reinterpret_cast<char*>(vector.data());
  const std::size_t bytes = count * sizeof(T), skipped = (page - reinterpret_cast<std::uintptr_t>(begin) % page) % page;
  // A wish: what happens without it is the same, only slower.
  if (bytes >= skipped + page) (void)madvise(begin + skipped, (bytes - skipped) / page * page, MADV_HUGEPAGE);
#endif
}

}  // namespace ricochet
