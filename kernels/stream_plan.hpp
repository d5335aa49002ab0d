#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "upsweep/scan/execution.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep::kernels {

/// Which stream each combine goes to, and the order in which combines are put into streams.
struct StreamPlan {
  std::vector<std::uint32_t> order;   ///< combine ids; operands come before results
  std::vector<std::uint32_t> stream;  ///< by combine id
  std::uint32_t streams = 1;          ///< streams in use: all numbers are below it

  friend bool operator==(const StreamPlan&, const StreamPlan&) = default;
};

/// Spreads a schedule over at most `workers` streams (0 counts as 1).
///
/// Under Execution::level the combines of a level go round the streams from the most expensive to the cheapest; the
/// first of a level is on stream 0. Under Execution::dag each goes, in id order, to the stream that is free first if
/// time were `costs`; a stream executes what it holds in order, so that at most `workers` combines run at a time.
///
/// Shapes: `costs` has one number per combine. Throws std::invalid_argument for a wrong length.
[[nodiscard]] StreamPlan plan_streams(const Schedule& schedule, std::span<const std::uint64_t> costs,
                                      std::size_t workers, Execution execution);

}  // namespace upsweep::kernels
