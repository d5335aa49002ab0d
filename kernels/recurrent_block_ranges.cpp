#include "recurrent_block_ranges.hpp"

#include "upsweep/recurrent/block_bounds.hpp"

namespace upsweep::kernels {

BlockRanges block_ranges(const std::vector<std::size_t>& times) {
  BlockRanges ranges;
  const std::size_t reduced = reduced_blocks(times);
  for (std::size_t block = 0; block + 1 < times.size(); ++block) {
    const bool is_reduced = block > 0 && block <= reduced;
    // The last gradient of a reduced block is there already, and the next block may be reading it.
    ranges.vectors.push_back({times[block], times[block + 1] + (is_reduced ? 1 : 0)});
    if (!is_reduced) continue;
    ranges.products.push_back({times[block], times[block + 1]});
    ranges.chain.push_back({times[block], times[block + 1], block - 1});
  }
  return ranges;
}

}  // namespace upsweep::kernels
