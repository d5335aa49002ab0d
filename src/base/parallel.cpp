#include "upsweep/base/parallel.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>

#include "tbb_loop.hpp"

namespace upsweep {
namespace {

// What TBB guarantees, said in our own code: chunks happen after the call that starts them and before its return.
// Global, so that a chunk reads nothing before it has synchronised.
std::atomic<std::size_t> loops_started{0};
std::atomic<std::size_t> chunks_finished{0};

// Both ends are destructors: an exception in a chunk leaves it, and the loop, in the same order.
struct ChunkOrder {
  ChunkOrder() = default;
  ChunkOrder(const ChunkOrder&) = delete;
  ChunkOrder& operator=(const ChunkOrder&) = delete;
  ~ChunkOrder() { chunks_finished.fetch_add(1, std::memory_order_acq_rel); }
};

struct LoopOrder {
  LoopOrder() { loops_started.fetch_add(1, std::memory_order_acq_rel); }
  LoopOrder(const LoopOrder&) = delete;
  LoopOrder& operator=(const LoopOrder&) = delete;
  ~LoopOrder() { static_cast<void>(chunks_finished.load(std::memory_order_acquire)); }
};

}  // namespace

std::size_t parallel_slots() { return static_cast<std::size_t>(std::max(1, tbb::this_task_arena::max_concurrency())); }

std::size_t parallel_threads() {
  const std::size_t allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return std::max<std::size_t>(1, std::min(parallel_slots(), allowed));
}

void parallel_chunks(std::size_t count, std::size_t grain, const ChunkBody& body) {
  if (count == 0) return;
  if (count <= grain) {
    body(0, count, tbb_slot());
    return;
  }
  const ChunkBody ordered = [&](std::size_t begin, std::size_t end, std::size_t slot) {
    static_cast<void>(loops_started.load(std::memory_order_acquire));
    const ChunkOrder order;
    body(begin, end, slot);
  };
  const LoopOrder order;
  tbb_loop(count, grain, ordered);
}

struct ThreadLimit::Impl {
  explicit Impl(std::size_t threads) : control(tbb::global_control::max_allowed_parallelism, threads) {}
  tbb::global_control control;
};

ThreadLimit::ThreadLimit(std::size_t threads) : impl_(std::make_unique<Impl>(threads)) {}
ThreadLimit::~ThreadLimit() = default;

}  // namespace upsweep
