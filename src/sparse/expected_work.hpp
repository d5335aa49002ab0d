#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "upsweep/base/memory.hpp"
#include "upsweep/base/work_meter.hpp"

namespace upsweep {

/// What a row of a product takes.
struct RowWork {
  std::uint64_t steps = 0;
  std::uint64_t bytes = 0;  ///< of memory, where it is kept
};

/// Before a product of many rows is formed: looks at some of them, evenly spread, and refuses it where all would take
/// more steps than `meter` leaves, or more memory than there is. `work_of(i)` of row i < `rows`. A product that is let
/// through may still reach a limit: that of its meter, and the ceiling of memory, count what it takes indeed.
/// Throws WorkLimitReached with the steps to expect, OutOfRoom with the bytes; what the meter throws.
template <class WorkOf>
void require_expected_work(WorkMeter& meter, std::size_t rows, const WorkOf& work_of) {
  constexpr std::size_t kLooks = 64;
  constexpr std::size_t kManyRows = 16 * kLooks;
  if (rows < kManyRows) return;
  std::uint64_t steps = 0;
  std::uint64_t bytes = 0;
  for (std::size_t look = 0; look < kLooks; ++look) {
    const RowWork work = work_of((2 * look + 1) * rows / (2 * kLooks));
    meter.add(work.steps);
    steps += work.steps;
    bytes += work.bytes;
  }
  const double share = static_cast<double>(rows) / kLooks;
  const auto expected = [&](std::uint64_t of_looks) {
    constexpr double kMost = 0x1p63;
    return static_cast<std::uint64_t>(std::min(kMost, share * static_cast<double>(of_looks)));
  };
  if (expected(steps) > meter.left()) throw WorkLimitReached(meter.done() + expected(steps));
  if (expected(bytes) > memory_left()) throw OutOfRoom(held_memory() + expected(bytes), held_memory() + memory_left());
}

}  // namespace upsweep
