#include <fmt/format.h>

#include <stdexcept>

#include "../policy_parts.hpp"

namespace upsweep::policy_files {
namespace {

PolicyPlan pipedream_plan(const Pipeline& pipeline, const Chunks& chunks) {
  for (std::uint32_t layer = 0; layer < pipeline.layers(); ++layer) {
    if (!pipeline.exists({StepOpKind::update, layer, 0})) continue;
    throw std::invalid_argument(
        fmt::format("an update of cost {} at layer {}, accepted is 0: updates of pipedream are "
                    "not part of the step",
                    pipeline.update[layer], layer + 1));
  }
  return find_policy("1f1b").plan(pipeline, chunks);
}

}  // namespace

Policy pipedream() {
  return {"pipedream", "1f1b without a flush: mini-batches of an endless stream, stashed weights", pipedream_plan,
          true};
}

}  // namespace upsweep::policy_files
