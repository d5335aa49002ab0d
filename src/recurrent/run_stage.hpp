#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "aligned_array.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/recurrent/level_plan.hpp"

namespace upsweep {

/// FLOPs below which a chunk is not worth another thread.
inline constexpr std::size_t kFlopsPerChunk = std::size_t{1} << 18;

/// Calls execute(op, first sample, end of samples, scratch) for all ops and samples of a stage, on the threads that
/// there are; `scratch` has room for `matrix` numbers. `flops_of(op)` is what an op costs for one sample.
template <class T, class FlopsOf, class Execute>
void run_stage(const LevelPlan& plan, const Stage& stage, std::size_t batch, std::size_t matrix,
               const FlopsOf& flops_of, const Execute& execute) {
  const std::span ops = std::span(plan.ops).subspan(stage.begin, stage.end - stage.begin);
  std::size_t flops = 0;
  for (const LevelOp& op : ops) flops += flops_of(op);
  const std::size_t item_flops = std::max<std::size_t>(1, stage.is_chain ? flops : flops / ops.size());
  const std::size_t count = stage.is_chain ? batch : ops.size() * batch;
  const std::size_t grain = std::max<std::size_t>(1, kFlopsPerChunk / item_flops);
  parallel_chunks(count, grain, [&](std::size_t begin, std::size_t end, std::size_t) {
    AlignedArray<T> scratch(matrix);
    if (stage.is_chain) {
      for (const LevelOp& op : ops) execute(op, begin, end, scratch.data());
      return;
    }
    for (std::size_t i = begin; i < end;) {
      const std::size_t sample = i % batch;
      const std::size_t samples = std::min(batch - sample, end - i);
      execute(ops[i / batch], sample, sample + samples, scratch.data());
      i += samples;
    }
  });
}

}  // namespace upsweep
