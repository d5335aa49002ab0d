#include <fmt/format.h>

#include <array>
#include <memory>

#include "recurrent_launch.hpp"
#include "recurrent_operands.hpp"
#include "recurrent_sizes.hpp"
#include "recurrent_work.hpp"
#include "upsweep/recurrent/bptt.hpp"

namespace upsweep::kernels {

template <class T>
PhasedWork sequential_work(const CellView<T>& cell, const PassShape& shape) {
  const std::array<StepRange, 1> all = {StepRange{shape.steps, 0}};
  const auto ranges = std::make_shared<const DeviceBuffer>(device_array<StepRange>(all, all.size()));
  PhasedWork work;
  work.down = [cell, ranges, kind = shape.cell.kind](cudaStream_t stream) {
    launch_walk(cell, kind, ranges->as<const StepRange>(), 1, stream);
  };
  work.flops.down = bptt_flops(shape.cell, shape.steps, shape.batch);
  work.bytes = ranges->bytes();
  if (shape.cell.hidden > kMostSmallHidden) {
    work.notes.push_back(fmt::format("{} hidden elements: kernels for any number, slower than those for up to {}",
                                     shape.cell.hidden, kMostSmallHidden));
  }
  return work;
}

template PhasedWork sequential_work<float>(const CellView<float>&, const PassShape&);
template PhasedWork sequential_work<double>(const CellView<double>&, const PassShape&);

}  // namespace upsweep::kernels
