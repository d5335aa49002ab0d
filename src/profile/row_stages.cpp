#include "row_stages.hpp"

#include <algorithm>

namespace upsweep {

RowStages row_stages(const RowGroup& group, const RowLengths& lengths,
                     const std::function<bool(std::size_t)>& wants_range,
                     const std::function<bool(std::size_t)>& wants_split,
                     const std::function<std::uint64_t(ValueRange)>& longest_row) {
  RowStages all;
  for (std::uint32_t position = group.base; position > 0; --position) all.stages.push_back({position, {}, {}, {}});
  for (const RowEnd& end : group.ends) {
    for (const EndRange& range : end.ranges) {
      if (!wants_range(range.number)) continue;
      all.stages[group.base - range.first].ranges.push_back({&end, range.number, {range.first, end.position}});
    }
    for (const EndSplit& split : end.splits) {
      if (!wants_split(split.number)) continue;
      RowStage& stage = all.stages[group.base - split.split - 1];
      const ValueRange range{split.first, split.split};
      const auto known = std::ranges::find(stage.earlier, range, &EarlierJob::range);
      stage.splits.push_back({&end, split.number, static_cast<std::size_t>(known - stage.earlier.begin())});
      if (known == stage.earlier.end())
        stage.earlier.push_back(
            {range, lengths.of(range), lengths.runs_of(range), lengths.is_identity(range), longest_row(range) > 1});
    }
  }
  while (!all.stages.empty() && all.stages.back().ranges.empty() && all.stages.back().splits.empty())
    all.stages.pop_back();
  for (RowStage& stage : all.stages) {
    stage.first_range = all.ranges;
    stage.first_split = all.splits;
    all.ranges += stage.ranges.size();
    all.splits += stage.splits.size();
  }
  return all;
}

}  // namespace upsweep
