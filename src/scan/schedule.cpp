#include "upsweep/scan/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace upsweep {

std::string to_string(Phase phase) {
  switch (phase) {
    case Phase::up:
      return "up";
    case Phase::middle:
      return "middle";
    case Phase::down:
      return "down";
  }
  throw std::logic_error("unknown phase");
}

std::optional<std::uint32_t> Schedule::hybrid_depth() const {
  return name == "linear" || name.starts_with("hybrid:") ? std::optional(depth) : std::nullopt;
}

std::vector<ValueRange> value_ranges(const Schedule& schedule) {
  std::vector<ValueRange> ranges(schedule.values());
  for (std::uint32_t i = 0; i < schedule.length; ++i) ranges[i] = {i, i};
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const Combine& combine = schedule.combines[id];
    const ValueRange& earlier = ranges[combine.earlier];
    const ValueRange& later = ranges[combine.later];
    if (earlier.last + 1 != later.first) {
      throw std::logic_error(fmt::format("combine {} joins [{}, {}] and [{}, {}], expected neighbours in this order",
                                         id, earlier.first, earlier.last, later.first, later.last));
    }
    ranges[schedule.value_of(id)] = {earlier.first, later.last};
  }
  return ranges;
}

std::vector<bool> dead_combines(const Schedule& schedule) {
  std::vector<bool> needed(schedule.values(), false);
  for (const ValueId result : schedule.results) {
    if (result != kIdentity) needed[result] = true;
  }
  std::vector<bool> dead(schedule.combines.size());
  for (std::size_t id = schedule.combines.size(); id-- > 0;) {
    dead[id] = !needed[schedule.value_of(id)];
    if (dead[id]) continue;
    needed[schedule.combines[id].earlier] = true;
    needed[schedule.combines[id].later] = true;
  }
  return dead;
}

Schedule live_part(Schedule schedule) {
  const std::vector<bool> dead = dead_combines(schedule);
  std::vector<ValueId> number(schedule.values(), kIdentity);
  std::iota(number.begin(), number.begin() + static_cast<std::ptrdiff_t>(schedule.length), ValueId{0});
  std::size_t kept = 0;
  std::size_t levels = 0;
  std::size_t old_level = 0;
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    if (dead[id]) continue;
    Combine combine = schedule.combines[id];
    if (levels == 0 || combine.level != old_level) ++levels;
    old_level = combine.level;
    combine.level = static_cast<std::uint32_t>(levels - 1);
    combine.earlier = number[combine.earlier];
    combine.later = number[combine.later];
    number[schedule.value_of(id)] = schedule.value_of(kept);
    schedule.combines[kept++] = combine;
  }
  schedule.combines.resize(kept);
  schedule.levels = levels;
  for (ValueId& result : schedule.results) {
    if (result != kIdentity) result = number[result];
  }
  return schedule;
}

std::vector<std::vector<ValueId>> dropped_values(const Schedule& schedule) {
  std::vector<std::size_t> last(schedule.values());
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const Combine& combine = schedule.combines[id];
    for (const ValueId value : {combine.earlier, combine.later, schedule.value_of(id)}) last[value] = id;
  }
  std::vector<bool> is_result(schedule.values());
  for (const ValueId result : schedule.results) {
    if (result != kIdentity) is_result[result] = true;
  }
  std::vector<std::vector<ValueId>> dropped(schedule.combines.size());
  for (auto v = static_cast<ValueId>(schedule.length); v < schedule.values(); ++v) {
    if (!is_result[v]) dropped[last[v]].push_back(v);
  }
  return dropped;
}

std::vector<std::size_t> level_sizes(const Schedule& schedule) {
  std::vector<std::size_t> sizes(schedule.levels, 0);
  for (const Combine& combine : schedule.combines) ++sizes[combine.level];
  return sizes;
}

std::size_t widest_level(const Schedule& schedule) {
  const std::vector<std::size_t> sizes = level_sizes(schedule);
  return sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
}

}  // namespace upsweep
