#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace upsweep {

/// Stages of a pipeline. `next` hands out items one after the other, null after the last; `work` changes an item,
/// several at a time on the threads that there are; `finish` takes the items one at a time, in the order of `next`.
struct PipelineStages {
  std::function<std::shared_ptr<void>()> next;
  std::function<void(void* item)> work;
  std::function<void(void* item)> finish;
};

/// Runs items through the stages, at most `tokens` of them at a time.
///
/// Returns when all items are finished; what stages wrote is visible to the caller, what `next` wrote to `work`, what
/// `work` wrote to `finish`. When a stage throws, items under way may be dropped and one of the exceptions that were
/// thrown is thrown again here. `next` and `finish` never run at the same time as themselves, but may with each other.
/// `work` and `finish` may call parallel_chunks(): a thread that waits there takes up no other item.
void run_pipeline(std::size_t tokens, const PipelineStages& stages);

}  // namespace upsweep
