#include "ricochet/batch/threads.hpp"

#include <algorithm>
#ifdef RICOCHET_HAVE_TBB
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace ricochet {

#ifdef RICOCHET_HAVE_TBB

bool has_threads() { return true; }

unsigned default_threads() { return static_cast<unsigned>(std::max(1, tbb::info::default_concurrency())); }

void in_ranges(std::size_t count, std::size_t grain, unsigned threads,
               const std::function<void(std::size_t, std::size_t)>& work) {
  const std::size_t ranges = (count + grain - 1) / grain;
  const auto one = [&](std::size_t i) { work(i * grain, std::min(count, (i + 1) * grain)); };
  const unsigned wanted = threads == 0 ? default_threads() : threads;
  if (wanted == 1 || ranges < 2) {
    for (std::size_t i = 0; i < ranges; ++i) one(i);
    return;
  }
  // More threads than processors only on request.
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, std::max(wanted, default_threads()));
  tbb::task_arena arena(static_cast<int>(wanted));
  arena.execute([&] { tbb::parallel_for(std::size_t{0}, ranges, one); });
}

#else

bool has_threads() { return false; }

unsigned default_threads() { return 1; }

void in_ranges(std::size_t count, std::size_t grain, unsigned,
               const std::function<void(std::size_t, std::size_t)>& work) {
  for (std::size_t begin = 0; begin < count; begin += grain) work(begin, std::min(count, begin + grain));
}

#endif

}  // namespace ricochet
