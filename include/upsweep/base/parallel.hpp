#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace upsweep {

/// Work on the half-open range [begin, end); `slot` is in [0, parallel_slots()) and no two chunks that run at the same
/// time have the same slot.
using ChunkBody = std::function<void(std::size_t begin, std::size_t end, std::size_t slot)>;

/// Number of distinct `slot` values that parallel_chunks() may pass.
[[nodiscard]] std::size_t parallel_slots();

/// Threads that parallel_chunks() may use now, at least 1: parallel_slots() or the smallest ThreadLimit that lives.
[[nodiscard]] std::size_t parallel_threads();

/// Cuts [0, count) into chunks, none of them smaller than half of `grain`, and runs them on the threads that there are.
///
/// Returns when all chunks are done; what they wrote is visible to the caller. The first exception of a chunk is thrown
/// again here. Chunks must not call parallel_chunks() themselves.
void parallel_chunks(std::size_t count, std::size_t grain, const ChunkBody& body);

/// Limits the threads of parallel_chunks() while it lives.
class ThreadLimit {
 public:
  /// `threads` is at least 1.
  explicit ThreadLimit(std::size_t threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace upsweep
