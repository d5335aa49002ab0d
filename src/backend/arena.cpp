#include "upsweep/backend/arena.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

std::uint64_t aligned_bytes(std::uint64_t length, std::size_t element_bytes) {
  const std::uint64_t padded = checked_add(checked_mul(length, element_bytes), kArenaAlignment - 1);
  return padded / kArenaAlignment * kArenaAlignment;
}

/// Free gaps of a block that grows at its end: best fit, neighbours joined.
class Gaps {
 public:
  [[nodiscard]] std::uint64_t end() const { return end_; }

  std::uint64_t take(std::uint64_t bytes) {
    if (bytes == 0) return 0;
    if (const auto fit = by_size_.lower_bound({bytes, 0}); fit != by_size_.end()) {
      const auto [size, offset] = *fit;
      erase(offset, size);
      if (size > bytes) insert(offset + bytes, size - bytes);
      return offset;
    }
    std::uint64_t offset = end_;
    if (!by_offset_.empty()) {  // no gap is large enough; one at the end needs only the difference
      const auto [last, size] = *by_offset_.rbegin();
      if (last + size == end_) {
        erase(last, size);
        offset = last;
      }
    }
    end_ = checked_add(offset, bytes);
    return offset;
  }

  void give_back(std::uint64_t offset, std::uint64_t bytes) {
    if (bytes == 0) return;
    if (const auto after = by_offset_.find(offset + bytes); after != by_offset_.end()) {
      bytes += after->second;
      erase(after->first, after->second);
    }
    if (const auto next = by_offset_.lower_bound(offset); next != by_offset_.begin()) {
      const auto [before, size] = *std::prev(next);
      if (before + size == offset) {
        erase(before, size);
        offset = before;
        bytes += size;
      }
    }
    insert(offset, bytes);
  }

 private:
  void insert(std::uint64_t offset, std::uint64_t size) {
    by_offset_.emplace(offset, size);
    by_size_.emplace(size, offset);
  }
  void erase(std::uint64_t offset, std::uint64_t size) {
    by_offset_.erase(offset);
    by_size_.erase({size, offset});
  }

  std::uint64_t end_ = 0;
  std::map<std::uint64_t, std::uint64_t> by_offset_;           // offset → size
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_;  // (size, offset)
};

/// By level: the values whose last use it is. Results are in none.
std::vector<std::vector<ValueId>> values_by_last_level(const Schedule& schedule) {
  std::vector<std::vector<ValueId>> ending(schedule.levels);
  const std::vector<std::vector<ValueId>> dropped = dropped_values(schedule);
  for (std::size_t id = 0; id < dropped.size(); ++id) {
    std::vector<ValueId>& level = ending[schedule.combines[id].level];
    level.insert(level.end(), dropped[id].begin(), dropped[id].end());
  }
  return ending;
}

/// By level: the values that its combines produce, the largest first, which leaves fewer gaps that nothing fits into.
std::vector<std::vector<ValueId>> values_by_level(const Schedule& schedule, const std::vector<std::uint64_t>& bytes) {
  std::vector<std::vector<ValueId>> produced(schedule.levels);
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    produced[schedule.combines[id].level].push_back(schedule.value_of(id));
  }
  for (std::vector<ValueId>& level : produced) {
    std::stable_sort(level.begin(), level.end(), [&](ValueId a, ValueId b) { return bytes[a] > bytes[b]; });
  }
  return produced;
}

}  // namespace

Arena plan_arena(const Schedule& schedule, std::span<const std::uint64_t> lengths, std::size_t element_bytes,
                 Execution execution) {
  if (lengths.size() != schedule.values()) {
    throw std::invalid_argument(
        fmt::format("{} lengths for {} values, expected one for each", lengths.size(), schedule.values()));
  }
  Arena arena;
  arena.offsets.assign(schedule.values(), Arena::kNotInArena);
  std::vector<std::uint64_t> bytes(schedule.values(), 0);
  for (std::size_t v = schedule.length; v < bytes.size(); ++v) bytes[v] = aligned_bytes(lengths[v], element_bytes);
  const std::vector<std::vector<ValueId>> ending = values_by_last_level(schedule);
  const std::vector<std::vector<ValueId>> produced = values_by_level(schedule, bytes);
  Gaps gaps;
  for (std::size_t level = 0; level < schedule.levels; ++level) {
    for (const ValueId value : produced[level]) arena.offsets[value] = gaps.take(bytes[value]);
    if (execution == Execution::dag) continue;  // without barriers an earlier value may still be in use
    for (const ValueId value : ending[level]) gaps.give_back(arena.offsets[value], bytes[value]);
  }
  arena.bytes = gaps.end();
  return arena;
}

}  // namespace upsweep
