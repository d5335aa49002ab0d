#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "row_groups.hpp"
#include "row_lengths.hpp"
#include "upsweep/sparse/product_steps.hpp"

namespace upsweep {

/// A range that a walk passes, for one end of the group.
struct RangeJob {
  const RowEnd* end = nullptr;
  std::size_t number = 0;  ///< of the range
  ValueRange range;
};

/// A product whose later operand a walk passes, for one end of the group.
struct SplitJob {
  const RowEnd* end = nullptr;
  std::size_t number = 0;   ///< of the split
  std::size_t earlier = 0;  ///< position in RowStage::earlier
};

/// An earlier operand of products whose later ones a walk passes.
struct EarlierJob {
  ValueRange range;
  const std::uint32_t* lengths = nullptr;  ///< of its rows; null: not known, or an identity
  const std::uint32_t* runs = nullptr;     ///< the same of rows that are runs; null: none is known to be one
  bool is_identity = false;
  bool walks = false;  ///< some of its rows have several entries, as far as is known

  /// Of a row of the later operand; not where the lengths are unknown.
  [[nodiscard]] MatchedPairs pairs_of(const RowWalk& row) const {
    if (is_identity) return {row.count()};
    return {row.sum(lengths), runs == nullptr ? 0 : row.sum(runs)};
  }
};

/// What a walk has to do where its row is that of products which begin at `position`.
struct RowStage {
  std::uint32_t position = 0;
  std::vector<RangeJob> ranges;
  std::vector<SplitJob> splits;
  std::vector<EarlierJob> earlier;
  std::size_t first_range = 0;  ///< number of the first of `ranges` among those of all stages
  std::size_t first_split = 0;
};

/// The stages of the walks of a group, from its base on.
struct RowStages {
  std::vector<RowStage> stages;  ///< by falling position; the last has something to do
  std::size_t ranges = 0;        ///< of all stages
  std::size_t splits = 0;
};

/// Those that do what `wants_range` and `wants_split` say, by number.
[[nodiscard]] RowStages row_stages(const RowGroup& group, const RowLengths& lengths,
                                   const std::function<bool(std::size_t)>& wants_range,
                                   const std::function<bool(std::size_t)>& wants_split,
                                   const std::function<std::uint64_t(ValueRange)>& longest_row);

}  // namespace upsweep
