#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "recurrent_cell_view.hpp"
#include "recurrent_fold_program.hpp"
#include "recurrent_level_programs.hpp"

/// Kernels over the samples of a batch. All put their work into a stream, which may be capturing; pointers are device
/// memory. They throw BackendError that names the call. T is float or double; cells have up to kMostSmallHidden hidden
/// elements unless it says otherwise.
namespace upsweep::kernels {

/// Gradients of every range of steps and sample, one team each; `ranges` of length `count`. Cells of up to kMostHidden
/// hidden elements: those of over kMostSmallHidden by slower kernels.
template <class T>
void launch_walk(const CellView<T>& cell, CellKind kind, const StepRange* ranges, std::uint64_t count,
                 cudaStream_t stream);

/// The product of the Jacobians of every range of steps and sample, one team each.
///
/// Shapes: `products` [range][b][row][padded_row(hidden)].
template <class T>
void launch_reduce(const CellView<T>& cell, CellKind kind, const StepRange* ranges, std::uint64_t count, T* products,
                   cudaStream_t stream);

/// Bytes of shared memory that a block of launch_reduce() or launch_level() takes.
template <class T>
[[nodiscard]] std::uint64_t reduce_shared_bytes(std::size_t hidden, CellKind kind);
template <class T>
[[nodiscard]] std::uint64_t level_shared_bytes(std::size_t hidden);

/// A chain of products for every sample.
template <class T>
void launch_fold(const FoldView<T>& view, cudaStream_t stream);

/// Jacobians of the array positions 1 to `length` - 1, of the steps length - 1 to 1, into matrices[slots[position]];
/// none where the slot is ~0.
///
/// Shapes: `slots` length; `matrices` [slot][b][row][padded_row(hidden)].
template <class T>
void launch_jacobians(const CellView<T>& cell, CellKind kind, const std::uint32_t* slots, std::uint64_t length,
                      T* matrices, cudaStream_t stream);

/// All combines of a level; `has_matrices`: not all of them are vectors.
template <class T>
void launch_level(const LevelView<T>& view, bool has_matrices, cudaStream_t stream);

}  // namespace upsweep::kernels
