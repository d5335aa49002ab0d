#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// Runs an in-place algorithm on positions and records the combines that are not renames.
class Recorder {
 public:
  /// Throws std::invalid_argument below 2 elements.
  explicit Recorder(std::size_t length) : slots_(length) {
    if (length < 2) throw std::invalid_argument(fmt::format("a scan over {} elements, expected at least 2", length));
    std::iota(slots_.begin(), slots_.end(), ValueId{0});
    schedule_.length = length;
  }

  /// What follows belongs to a new level, which is there once it has a combine.
  void start_level(Phase phase) {
    phase_ = phase;
    level_is_open_ = false;
  }

  /// The value that stands at a position of the array, or in the running reduction of the middle.
  ValueId& at(std::int64_t position) {
    return position == Combine::kReduction ? reduction_ : slots_[static_cast<std::size_t>(position)];
  }

  /// The value earlier ⋄ later, of which `left` and `right` say where they stand.
  ValueId combine(std::int64_t left, ValueId earlier, std::int64_t right, ValueId later, std::int64_t target) {
    if (earlier == kIdentity) return later;
    if (later == kIdentity) return earlier;
    if (!level_is_open_) {
      ++schedule_.levels;
      level_is_open_ = true;
    }
    schedule_.combines.push_back(
        {phase_, static_cast<std::uint32_t>(schedule_.levels - 1), left, right, target, earlier, later});
    return schedule_.value_of(schedule_.combines.size() - 1);
  }

  /// a[right] ← a[left] ⋄ a[right].
  void join(std::int64_t left, std::int64_t right) { at(right) = combine(left, at(left), right, at(right), right); }

  /// The schedule of an algorithm that leaves result k at position k.
  Schedule finish(std::string name, std::uint32_t depth) {
    schedule_.name = std::move(name);
    schedule_.depth = depth;
    schedule_.results = std::move(slots_);
    return std::move(schedule_);
  }

  /// The schedule of an algorithm that leaves result k + 1 at position k.
  Schedule finish_prefixes(std::string name) {
    slots_.insert(slots_.begin(), kIdentity);
    slots_.pop_back();
    return finish(std::move(name), 0);
  }

 private:
  Schedule schedule_;
  std::vector<ValueId> slots_;
  ValueId reduction_ = kIdentity;
  Phase phase_ = Phase::up;
  bool level_is_open_ = false;
};

}  // namespace upsweep
