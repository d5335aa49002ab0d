#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "recurrent_cell_view.hpp"
#include "upsweep/recurrent/recurrent_backend.hpp"

namespace upsweep::kernels {

/// What a pass puts into a stream, phase by phase; a phase without a function has nothing to do. The functions own the
/// memory that they use.
struct PhasedWork {
  using Enqueue = std::function<void(cudaStream_t)>;

  Enqueue jacobians;
  Enqueue up;
  Enqueue middle;
  Enqueue down;
  ScanFlops flops;
  std::uint64_t bytes = 0;  ///< of device memory besides the operands
  std::vector<std::string> notes;
};

/// Back-propagation through time: one team per sample, W_hh in its registers.
///
/// `cell` is device memory that outlives the work. T is float or double. Throws BackendError.
template <class T>
[[nodiscard]] PhasedWork sequential_work(const CellView<T>& cell, const PassShape& shape);

/// A hybrid schedule over stored Jacobians: one launch per level, one for a chain of levels with one vector each.
///
/// As above.
template <class T>
[[nodiscard]] PhasedWork level_work(const CellView<T>& cell, const PassShape& shape, std::uint32_t depth);

/// Blocks of steps: products of the inner ones beside the vectors of the first, a chain over the products, then the
/// vectors of the others.
///
/// As above. Throws BackendError also where the device has too little shared memory for a product.
template <class T>
[[nodiscard]] PhasedWork blocked_work(const CellView<T>& cell, const PassShape& shape, const BlockOptions& options);

/// Our kernels for the forward pass and the parameter gradients, on device 0.
[[nodiscard]] const OuterBackend& cuda_outer_backend();

}  // namespace upsweep::kernels
