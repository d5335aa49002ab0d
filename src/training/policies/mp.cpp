#include <fmt/format.h>

#include <stdexcept>

#include "../policy_parts.hpp"

namespace upsweep::policy_files {
namespace {

PolicyPlan mp_plan(const Pipeline& pipeline, const Chunks& chunks) {
  if (pipeline.micro_batches != 1) {
    throw std::invalid_argument(
        fmt::format("{} micro-batches, accepted is 1: mp is cross-layer model parallelism", pipeline.micro_batches));
  }
  require_a_layer_per_device(pipeline);
  return find_policy("gpipe").plan(pipeline, chunks);
}

}  // namespace

Policy mp() { return {"mp", "cross-layer model parallelism: one micro-batch, one device at a time", mp_plan}; }

}  // namespace upsweep::policy_files
