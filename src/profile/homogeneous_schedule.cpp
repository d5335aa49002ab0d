#include "upsweep/profile/homogeneous_schedule.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "block_counts.hpp"
#include "upsweep/profile/homogeneous_op.hpp"

namespace upsweep {
namespace {

/// Counts combines and values by the ranges they cover.
class CombineCounts {
 public:
  CombineCounts(const HomogeneousChain& chain, unsigned value_bytes)
      : chain_(chain), value_bytes_(value_bytes), counts_(chain, value_bytes) {}

  [[nodiscard]] std::uint64_t bytes(ValueRange range) const {
    return range.first == 0 ? counts_.vector_bytes() : counts_.bytes(counts_.structure(range.first, range.last));
  }

  [[nodiscard]] OpProfile combine(ValueRange earlier, ValueRange later) const {
    const OpRun run = earlier.first == 0 ? counts_.vector_ops(1, later.first, later.last)
                                         : counts_.matrix_ops(1, earlier.first, earlier.last, later.last);
    return homogeneous_op(chain_, run, value_bytes_);
  }

 private:
  const HomogeneousChain& chain_;
  unsigned value_bytes_;
  BlockCounts counts_;
};

}  // namespace

ScheduleProfile profile_homogeneous_schedule(Schedule schedule, const HomogeneousChain& chain, unsigned value_bytes) {
  const CombineCounts counts(chain, value_bytes);
  if (schedule.length != chain.length()) {
    throw std::invalid_argument(fmt::format("a schedule over {} elements and a chain of {}, expected the same length",
                                            schedule.length, chain.length()));
  }
  const std::vector<ValueRange> ranges = value_ranges(schedule);
  const std::vector<bool> dead = dead_combines(schedule);
  ScheduleProfile profile;
  profile.value_bytes.reserve(schedule.values());
  for (const ValueRange range : ranges) profile.value_bytes.push_back(counts.bytes(range));
  profile.ops.reserve(schedule.combines.size());
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const Combine& combine = schedule.combines[id];
    profile.ops.push_back(counts.combine(ranges[combine.earlier], ranges[combine.later]));
    profile.ops.back().dead = dead[id];
  }
  profile.schedule = std::move(schedule);
  profile.levels = level_profiles(profile);
  return profile;
}

}  // namespace upsweep
