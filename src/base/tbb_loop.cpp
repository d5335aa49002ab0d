#include "tbb_loop.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace upsweep {

std::size_t tbb_slot() { return static_cast<std::size_t>(std::max(0, tbb::this_task_arena::current_thread_index())); }

void tbb_loop(std::size_t count, std::size_t grain, const ChunkBody& body) {
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, count, std::max<std::size_t>(1, grain)),
      [&](const tbb::blocked_range<std::size_t>& range) { body(range.begin(), range.end(), tbb_slot()); });
}

}  // namespace upsweep
