#include "tbb_pipeline.hpp"

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

namespace upsweep {

void tbb_pipeline(std::size_t tokens, const std::function<void*()>& next, const std::function<void(void*)>& work,
                  const std::function<void(void*)>& finish) {
  const auto hand_out = [&](tbb::flow_control& control) -> void* {
    void* item = next();
    if (item == nullptr) control.stop();
    return item;
  };
  // Isolated: a thread that waits in a loop within `work` or `finish` must not take up another item meanwhile, which
  // may need what the first one holds locked.
  const auto work_alone = [&](void* item) {
    tbb::this_task_arena::isolate([&] { work(item); });
    return item;
  };
  const auto finish_alone = [&](void* item) { tbb::this_task_arena::isolate([&] { finish(item); }); };
  tbb::parallel_pipeline(tokens, tbb::make_filter<void, void*>(tbb::filter_mode::serial_in_order, hand_out) &
                                     tbb::make_filter<void*, void*>(tbb::filter_mode::parallel, work_alone) &
                                     tbb::make_filter<void*, void>(tbb::filter_mode::serial_in_order, finish_alone));
}

}  // namespace upsweep
