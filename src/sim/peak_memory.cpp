#include "upsweep/sim/peak_memory.hpp"

#include <algorithm>
#include <cstddef>

#include "upsweep/base/checked.hpp"

namespace upsweep {

std::uint64_t peak_live_bytes(const Schedule& schedule, std::span<const std::uint64_t> value_bytes,
                              const std::vector<bool>& runs) {
  if (schedule.levels == 0) return value_bytes[0];
  constexpr std::size_t kNever = ~std::size_t{0};
  std::vector<std::size_t> first(schedule.values(), 0);
  std::vector<std::size_t> last(schedule.values(), kNever);
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    if (!runs[id]) continue;
    const Combine& combine = schedule.combines[id];
    first[schedule.value_of(id)] = combine.level;
    last[schedule.value_of(id)] = combine.level;
    last[combine.earlier] = combine.level;
    last[combine.later] = combine.level;
  }
  for (const ValueId result : schedule.results) {
    if (result != kIdentity) last[result] = schedule.levels - 1;
  }
  std::vector<std::uint64_t> enters(schedule.levels + 1, 0);
  std::vector<std::uint64_t> leaves(schedule.levels + 1, 0);
  for (std::size_t value = 0; value < schedule.values(); ++value) {
    if (last[value] == kNever) continue;
    enters[first[value]] = checked_add(enters[first[value]], value_bytes[value]);
    leaves[last[value] + 1] = checked_add(leaves[last[value] + 1], value_bytes[value]);
  }
  std::uint64_t live = 0;
  std::uint64_t peak = 0;
  for (std::size_t level = 0; level < schedule.levels; ++level) {
    live = checked_add(live - leaves[level], enters[level]);
    peak = std::max(peak, live);
  }
  return peak;
}

}  // namespace upsweep
