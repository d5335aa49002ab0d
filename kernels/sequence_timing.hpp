#pragma once

#include <cuda_runtime_api.h>

#include <functional>

#include "upsweep/backend/backend.hpp"

namespace upsweep::kernels {

/// Runs the combines of a schedule one after the other in one stream, as often as `options` say and once before to warm
/// up, and fills the seconds and repetitions of `measurement`, whose ops are sized. `run` puts a combine into the
/// stream. Throws BackendError that names the combine at fault.
void measure_sequence(const Schedule& schedule, const RunOptions& options, cudaStream_t stream,
                      const std::function<void(std::size_t id)>& run, Measurement& measurement);

/// Calls `run(id)`; an error names the combine. Throws BackendError.
void run_named(std::size_t id, const std::function<void(std::size_t id)>& run);

}  // namespace upsweep::kernels
