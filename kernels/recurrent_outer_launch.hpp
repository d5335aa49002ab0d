#pragma once

#include <cuda_runtime_api.h>

#include "recurrent_forward_view.hpp"
#include "recurrent_outer_program.hpp"

/// Kernels around a backward pass. As those of recurrent_launch.hpp they put their work into a stream, and throw
/// BackendError that names the call. T is float or double.
namespace upsweep::kernels {

/// A forward pass: the sums from the inputs of all steps, then the recursion, a team per sample. Cells of up to
/// kMostHidden hidden elements: those of over kMostSmallHidden by slower kernels.
template <class T>
void launch_forward(const ForwardView<T>& view, CellKind kind, cudaStream_t stream);

/// Gradients of all parameters: partial sums, then their sums. Cells of any size.
template <class T>
void launch_parameters(const OuterView<T>& view, CellKind kind, cudaStream_t stream);

}  // namespace upsweep::kernels
