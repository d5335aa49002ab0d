#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "recurrent_bytes.hpp"
#include "recurrent_launch.hpp"
#include "recurrent_level_lists.hpp"
#include "recurrent_operands.hpp"
#include "recurrent_work.hpp"

namespace upsweep::kernels {
namespace {

/// What a pass level by level keeps on the device, and its launches.
template <class T>
struct LevelMemory {
  LevelMemory(const CellView<T>& view, const PassShape& shape, const LevelLists& lists)
      : cell(view),
        kind(shape.cell.kind),
        launches(lists.launches),
        length(lists.element_slots.size()),
        element_slots(device_array<std::uint32_t>(lists.element_slots, length)),
        levels(device_array<LevelStep>(lists.levels, level_step_room(shape.steps))),
        chains(device_array<FoldStep>(lists.chains, fold_step_room(shape.steps))),
        first_step(device_array<StepRange>(std::array{StepRange{1, 0}}, 1)),
        matrices(lists.slots * cell.batch * cell.hidden * padded_row(cell.hidden) * sizeof(T)) {}

  [[nodiscard]] bool has(Phase phase) const {
    return std::ranges::any_of(launches, [&](const LevelLaunch& launch) { return launch.phase == phase; });
  }
  [[nodiscard]] std::uint64_t bytes() const {
    return element_slots.bytes() + levels.bytes() + chains.bytes() + first_step.bytes() + matrices.bytes();
  }
  void enqueue(Phase phase, cudaStream_t stream) const {
    for (const LevelLaunch& launch : launches) {
      if (launch.phase == phase) enqueue(launch, stream);
    }
  }
  void enqueue(const LevelLaunch& launch, cudaStream_t stream) const {
    if (launch.is_chain) {
      launch_fold(FoldView<T>{chains.as<const FoldStep>() + launch.begin, launch.count, matrices.as<T>(),
                              cell.gradients, cell.batch, cell.hidden},
                  stream);
      return;
    }
    launch_level(LevelView<T>{levels.as<const LevelStep>() + launch.begin, launch.count, matrices.as<T>(),
                              cell.gradients, cell.batch, cell.hidden},
                 launch.has_matrices, stream);
  }

  CellView<T> cell;
  CellKind kind;
  std::vector<LevelLaunch> launches;
  std::uint64_t length;  // of the scan array
  DeviceBuffer element_slots;
  DeviceBuffer levels;
  DeviceBuffer chains;
  DeviceBuffer first_step;
  DeviceBuffer matrices;  // [slot][b][row][padded_row(hidden)], not transposed
};

}  // namespace

template <class T>
PhasedWork level_work(const CellView<T>& cell, const PassShape& shape, std::uint32_t depth) {
  const LevelLists lists = level_lists(shape.cell, shape.steps, shape.batch, depth);
  const auto memory = std::make_shared<const LevelMemory<T>>(cell, shape, lists);
  PhasedWork work;
  work.jacobians = [memory](cudaStream_t stream) {
    launch_jacobians(memory->cell, memory->kind, memory->element_slots.template as<const std::uint32_t>(),
                     memory->length, memory->matrices.template as<T>(), stream);
  };
  if (memory->has(Phase::up)) work.up = [memory](cudaStream_t stream) { memory->enqueue(Phase::up, stream); };
  if (memory->has(Phase::middle)) {
    work.middle = [memory](cudaStream_t stream) { memory->enqueue(Phase::middle, stream); };
  }
  work.down = [memory](cudaStream_t stream) {
    memory->enqueue(Phase::down, stream);
    // The exclusive scan ends at g_1.
    launch_walk(memory->cell, memory->kind, memory->first_step.template as<const StepRange>(), 1, stream);
  };
  work.flops = lists.flops;
  work.bytes = memory->bytes();
  return work;
}

template PhasedWork level_work<float>(const CellView<float>&, const PassShape&, std::uint32_t);
template PhasedWork level_work<double>(const CellView<double>&, const PassShape&, std::uint32_t);

}  // namespace upsweep::kernels
