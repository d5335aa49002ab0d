#pragma once

#include <cstddef>

namespace upsweep {

/// FLOP/s of dense products on `workers` threads, each with matrices of its own, by OpenBLAS, which picks its kernels
/// for the processor at hand; the best of some.
template <class T>
[[nodiscard]] double dense_flops_per_s(std::size_t workers);

}  // namespace upsweep
