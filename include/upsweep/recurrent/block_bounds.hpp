#pragma once

#include <cstddef>
#include <vector>

#include "upsweep/recurrent/scan_backward.hpp"

namespace upsweep {

/// Times at which the blocks of a blocked scan meet, descending from `steps` to 0: block i covers the Jacobians of the
/// times (times[i + 1], times[i]].
///
/// Shapes: blocks + 1 times; every block has a step, so that there are at most `steps` blocks. Block 0 has
/// ceil(first_block / (first_block + blocks - 1) · steps) steps where that leaves one for each of the others, which
/// share the rest evenly.
/// Throws std::invalid_argument for 0 steps or blocks, or first_block below 1 or not finite.
[[nodiscard]] std::vector<std::size_t> block_times(std::size_t steps, const BlockOptions& options);

/// Blocks of these times that are reduced to a product: all but the first and the last.
[[nodiscard]] std::size_t reduced_blocks(const std::vector<std::size_t>& times);

/// FLOPs of a blocked scan over these times, all samples. Jacobians that are not stored are formed in the phase that
/// uses them, and count there.
[[nodiscard]] ScanFlops blocked_flops(const CellShape& shape, const std::vector<std::size_t>& times, std::size_t batch,
                                      bool store_jacobians);

}  // namespace upsweep
