#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "team_bins.hpp"
#include "upsweep/backend/schedule_plan.hpp"

namespace upsweep::kernels {

/// Teams of rows of X on the device, as in Layout. Owns nothing.
struct TeamsView {
  const Index* begin = nullptr;  ///< length teams + 1
  const Index* rows = nullptr;
};

/// A bin whose team numbers are on the device.
struct DeviceBin {
  SumStorage storage = SumStorage::scratch;
  TeamGroup group;
  std::uint32_t shared_bytes = 0;  ///< per team
  const Index* teams = nullptr;    ///< length count
  Index count = 0;
};

/// A combine that is ready to run: all pointers are device memory. Owns no device memory.
template <class T>
struct DeviceOp {
  ProductForm form = ProductForm::vector;
  OperandsView<T> operands;
  Index rows = 0;                ///< rows of C
  unsigned threads_per_row = 1;  ///< of the forms without bins: 1, 4, 16 or 32
  TeamsView teams;               ///< of X, for the forms with bins
  std::vector<DeviceBin> bins;   ///< for single_columns and general
};

/// Puts the kernels of a combine into a stream, which may be capturing; none where there is nothing to do.
/// Throws BackendError that names the call.
template <class T>
void launch(const DeviceOp<T>& op, cudaStream_t stream);

}  // namespace upsweep::kernels
