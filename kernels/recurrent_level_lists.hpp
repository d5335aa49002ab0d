#pragma once

#include <cstdint>
#include <vector>

#include "recurrent_fold_program.hpp"
#include "recurrent_level_programs.hpp"
#include "upsweep/recurrent/scan_backward.hpp"

namespace upsweep::kernels {

/// One launch of a pass level by level: neighbours in one of the lists of LevelLists.
struct LevelLaunch {
  Phase phase;
  bool is_chain;      ///< of the chains, else a level
  bool has_matrices;  ///< of a level: not all of its combines are of vectors
  std::uint64_t begin;
  std::uint64_t count;
};

/// A hybrid schedule as kernels read it, without its dead combines. Matrices have slots; the Jacobian of an element of
/// the scan array stands in its slot before the first launch.
struct LevelLists {
  std::vector<std::uint32_t> element_slots;  ///< by array position; ~0: no result contains it
  std::uint64_t slots = 0;
  std::vector<LevelStep> levels;
  std::vector<FoldStep> chains;  ///< neighbouring levels of one vector each
  std::vector<LevelLaunch> launches;
  ScanFlops flops;
};

/// The lists for `steps` Jacobians per sample; `depth` as hybrid_schedule().
[[nodiscard]] LevelLists level_lists(const CellShape& shape, std::size_t steps, std::size_t batch, std::uint32_t depth);

}  // namespace upsweep::kernels
