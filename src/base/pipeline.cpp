#include "upsweep/base/pipeline.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "tbb_pipeline.hpp"

namespace upsweep {
namespace {

// What TBB guarantees, said in our own code: a stage of an item happens after the stages before it, and all of them
// before run_pipeline() returns. Global, so that a stage reads nothing before it has synchronised.
std::atomic<std::size_t> stages_run{0};

// Both ends synchronise, the last one as a destructor: an exception leaves a stage in the same order.
struct StageOrder {
  StageOrder() { static_cast<void>(stages_run.load(std::memory_order_acquire)); }
  StageOrder(const StageOrder&) = delete;
  StageOrder& operator=(const StageOrder&) = delete;
  ~StageOrder() { stages_run.fetch_add(1, std::memory_order_acq_rel); }
};

struct PipelineOrder {
  PipelineOrder() { stages_run.fetch_add(1, std::memory_order_acq_rel); }
  PipelineOrder(const PipelineOrder&) = delete;
  PipelineOrder& operator=(const PipelineOrder&) = delete;
  ~PipelineOrder() { static_cast<void>(stages_run.load(std::memory_order_acquire)); }
};

// Items under way. Kept here and not within TBB, so that those that an exception drops are destroyed by the caller's
// thread. Item i stands at i mod tokens: the one that stood there before is finished, as no more than tokens are alive.
class Items {
 public:
  explicit Items(std::size_t tokens) : items_(tokens) {}

  void* add(std::shared_ptr<void> item) {
    std::shared_ptr<void>& place = items_[added_ % items_.size()];
    place = std::move(item);
    if (place) ++added_;
    return place.get();
  }
  void drop_first() { items_[dropped_++ % items_.size()].reset(); }

 private:
  std::vector<std::shared_ptr<void>> items_;
  std::size_t added_ = 0;    ///< of the first stage
  std::size_t dropped_ = 0;  ///< of the last stage
};

}  // namespace

void run_pipeline(std::size_t tokens, const PipelineStages& stages) {
  Items items(std::max<std::size_t>(1, tokens));
  const auto next = [&]() -> void* {
    const StageOrder order;
    return items.add(stages.next());
  };
  const auto work = [&](void* item) {
    const StageOrder order;
    stages.work(item);
  };
  const auto finish = [&](void* item) {
    const StageOrder order;
    stages.finish(item);
    items.drop_first();
  };
  const PipelineOrder order;
  tbb_pipeline(std::max<std::size_t>(1, tokens), next, work, finish);
}

}  // namespace upsweep
