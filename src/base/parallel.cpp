#include "upsweep/base/parallel.hpp"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>

namespace upsweep {

std::size_t parallel_slots() { return static_cast<std::size_t>(std::max(1, tbb::this_task_arena::max_concurrency())); }

void parallel_chunks(std::size_t count, std::size_t grain, const ChunkBody& body) {
  if (count == 0) return;
  const auto current_slot = [] {
    return static_cast<std::size_t>(std::max(0, tbb::this_task_arena::current_thread_index()));
  };
  if (count <= grain) {
    body(0, count, current_slot());
    return;
  }
  // The two counters say in our own code what the (uninstrumented) TBB library guarantees: that chunks happen after the
  // call and before its return. ThreadSanitizer cannot see it otherwise.
  std::atomic<std::size_t> started{0};
  std::atomic<std::size_t> finished{0};
  started.store(1, std::memory_order_release);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, std::max<std::size_t>(1, grain)),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      static_cast<void>(started.load(std::memory_order_acquire));
                      body(range.begin(), range.end(), current_slot());
                      finished.fetch_add(1, std::memory_order_acq_rel);
                    });
  static_cast<void>(finished.load(std::memory_order_acquire));
}

struct ThreadLimit::Impl {
  explicit Impl(std::size_t threads) : control(tbb::global_control::max_allowed_parallelism, threads) {}
  tbb::global_control control;
};

ThreadLimit::ThreadLimit(std::size_t threads) : impl_(std::make_unique<Impl>(threads)) {}
ThreadLimit::~ThreadLimit() = default;

}  // namespace upsweep
