#pragma once

#include <cstddef>
#include <vector>

#include "recurrent_cell_view.hpp"
#include "recurrent_fold_program.hpp"

namespace upsweep::kernels {

/// What the launches of a blocked pass work on, for every sample.
struct BlockRanges {
  std::vector<StepRange> vectors;   ///< by block: the gradients that it takes from the one at its end
  std::vector<StepRange> products;  ///< the reduced blocks: all but the first and the last
  std::vector<FoldStep> chain;      ///< over those products, in the same order
};

/// Shapes: `times` as block_times().
[[nodiscard]] BlockRanges block_ranges(const std::vector<std::size_t>& times);

}  // namespace upsweep::kernels
