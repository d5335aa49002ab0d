#include <fmt/format.h>

#include <memory>
#include <utility>

#include "cuda_check.hpp"
#include "device_facts.hpp"
#include "recurrent_block_ranges.hpp"
#include "recurrent_launch.hpp"
#include "recurrent_operands.hpp"
#include "recurrent_work.hpp"
#include "upsweep/recurrent/block_bounds.hpp"

namespace upsweep::kernels {
namespace {

/// What a blocked pass keeps on the device.
template <class T>
struct BlockMemory {
  BlockMemory(const CellView<T>& cell, const BlockRanges& ranges)
      : vectors(device_array<StepRange>(ranges.vectors, ranges.vectors.size())),
        reduced(device_array<StepRange>(ranges.products, ranges.products.size())),
        chain(device_array<FoldStep>(ranges.chain, ranges.chain.size())),
        products(ranges.products.size() * cell.batch * cell.hidden * padded_row(cell.hidden) * sizeof(T)),
        side(make_stream()),
        fork(make_order_event()),
        join(make_order_event()) {}

  DeviceBuffer vectors;
  DeviceBuffer reduced;
  DeviceBuffer chain;
  DeviceBuffer products;  // [block - 1][b][row][padded_row(hidden)]
  Stream side;            // for what runs beside the products
  Event fork;
  Event join;
};

void order(const Event& event, cudaStream_t before, cudaStream_t after) {
  cuda_check(cudaEventRecord(event.get(), before), "cudaEventRecord");
  cuda_check(cudaStreamWaitEvent(after, event.get(), 0), "cudaStreamWaitEvent");
}

template <class T>
void require_shared_memory(const PassShape& shape) {
  const std::uint64_t needed = reduce_shared_bytes<T>(shape.cell.hidden, shape.cell.kind);
  const std::uint64_t limit = shared_memory_limit();
  if (needed <= limit) return;
  throw BackendError(
      fmt::format("products of {} hidden elements of {} bytes need {} bytes of shared memory per block, "
                  "the device has {}; bptt and fp32 need less",
                  shape.cell.hidden, sizeof(T), needed, limit));
}

}  // namespace

template <class T>
PhasedWork blocked_work(const CellView<T>& cell, const PassShape& shape, const BlockOptions& options) {
  const std::vector<std::size_t> times = block_times(shape.steps, options);
  const BlockRanges ranges = block_ranges(times);
  const std::uint64_t reduced = ranges.products.size();
  if (reduced > 0) require_shared_memory<T>(shape);
  const auto memory = std::make_shared<const BlockMemory<T>>(cell, ranges);
  const CellKind kind = shape.cell.kind;
  const std::uint64_t others = ranges.vectors.size() - 1;
  PhasedWork work;
  work.up = [cell, kind, memory, reduced](cudaStream_t stream) {
    // The first block and the products at the same time; the former have a long way to go, and start first.
    if (reduced > 0) order(memory->fork, stream, memory->side.get());
    launch_walk(cell, kind, memory->vectors.template as<const StepRange>(), 1, stream);
    if (reduced == 0) return;
    launch_reduce(cell, kind, memory->reduced.template as<const StepRange>(), reduced,
                  memory->products.template as<T>(), memory->side.get());
    order(memory->join, memory->side.get(), stream);
  };
  if (reduced > 0) {
    const FoldView<T> chain{memory->chain.template as<const FoldStep>(),
                            reduced,
                            memory->products.template as<T>(),
                            cell.gradients,
                            cell.batch,
                            cell.hidden};
    work.middle = [chain, memory](cudaStream_t stream) { launch_fold(chain, stream); };
  }
  if (others > 0) {
    work.down = [cell, kind, memory, others](cudaStream_t stream) {
      launch_walk(cell, kind, memory->vectors.template as<const StepRange>() + 1, others, stream);
    };
  }
  work.flops = blocked_flops(shape.cell, times, shape.batch, false);
  work.bytes = memory->vectors.bytes() + memory->reduced.bytes() + memory->chain.bytes() + memory->products.bytes();
  return work;
}

template PhasedWork blocked_work<float>(const CellView<float>&, const PassShape&, const BlockOptions&);
template PhasedWork blocked_work<double>(const CellView<double>&, const PassShape&, const BlockOptions&);

}  // namespace upsweep::kernels
