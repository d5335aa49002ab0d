#pragma once

namespace upsweep {

/// When all of `first` items of first_s seconds each, then `second` items of second_s, are done by `workers`: an item
/// goes to the worker that is free first.
///
/// Counts are whole numbers, workers at least 1. Cost: O(log second), whatever the counts.
[[nodiscard]] double makespan_of_two_kinds(double first, double first_s, double second, double second_s,
                                           double workers);

}  // namespace upsweep
