#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "upsweep/backend/backend.hpp"

namespace upsweep::kernels {

/// Most repetitions, whatever RunOptions::min_seconds says.
inline constexpr std::size_t kMostRepetitions = 1000;

/// Calls `once`, which returns the seconds that it took, as often as `options` say. Returns all seconds; at least one.
[[nodiscard]] std::vector<double> repeat(const RunOptions& options, const std::function<double()>& once);

/// The median; the mean of the two in the middle for an even number. `numbers` is not empty.
[[nodiscard]] double median(std::vector<double> numbers);

/// Medians over repetitions, by item. `samples[repetition][item]`; at least one repetition.
[[nodiscard]] std::vector<double> medians(const std::vector<std::vector<double>>& samples);

}  // namespace upsweep::kernels
