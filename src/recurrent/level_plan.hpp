#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aligned_array.hpp"
#include "upsweep/base/laps.hpp"  // IWYU pragma: export: runs of stages are timed
#include "upsweep/base/parallel.hpp"
#include "upsweep/recurrent/scan_backward.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// FLOPs below which a chunk is not worth another thread.
inline constexpr std::size_t kFlopsPerChunk = std::size_t{1} << 18;

/// A matrix of a plan: an element of the scan array, by position, or what stands in a slot.
struct MatrixPlace {
  std::uint32_t index;
  bool is_element;

  friend bool operator==(const MatrixPlace&, const MatrixPlace&) = default;
};

/// A combine as it is executed. A value that contains a[0] is a vector, known by how many elements of the array are not
/// in it; any other is a matrix.
struct LevelOp {
  bool is_vector;               ///< a vector times a matrix, else a matrix times a matrix
  std::uint32_t vector;         ///< the vector
  MatrixPlace earlier;          ///< the earlier matrix
  MatrixPlace later;            ///< the later matrix
  std::uint32_t target_vector;  ///< where the vector goes
  std::uint32_t target_slot;    ///< where the matrix goes; that of an operand which is used for the last time
};

/// Levels that run as one: those of several ops each, or neighbours of one op each.
struct Stage {
  Phase phase;
  std::size_t begin;  ///< of the ops
  std::size_t end;
  bool is_chain;  ///< ops one after the other, each sample on its own; else all at once
};

/// Where the elements of the scan array are.
enum class Elements : std::uint8_t {
  in_slots,  ///< every one that is used has a slot, into which a product may go
  outside    ///< they stay where they are
};

/// A schedule without its dead combines, and where its matrices stand.
struct LevelPlan {
  static constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

  std::size_t length = 0;  ///< of the scan array
  std::vector<LevelOp> ops;
  std::vector<Stage> stages;
  std::vector<std::uint32_t> element_slots;  ///< by array position: its slot, or kNoSlot
  std::size_t slots = 0;
};

/// Throws std::invalid_argument where the schedule computes a vector twice, or is shorter than 2.
[[nodiscard]] LevelPlan plan_levels(const Schedule& schedule, Elements elements);

/// That of `sums` which belongs to a phase; ScanTimes or ScanFlops.
template <class Sums>
[[nodiscard]] auto& of_phase(Sums& sums, Phase phase) {
  return phase == Phase::up ? sums.up : phase == Phase::middle ? sums.middle : sums.down;
}

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
