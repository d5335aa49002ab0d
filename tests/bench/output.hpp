#pragma once

#include <string>
#include <vector>

#include "cases.hpp"
#include "measure.hpp"

namespace upsweep::bench {

/// Machine, compiler, libraries, date (UTC) and version; one line each.
[[nodiscard]] std::string heading();

/// One aligned row per case: name, median and least time in seconds, peak memory in MiB, repetitions,
/// cores kept busy by others.
[[nodiscard]] std::string table(const std::vector<Measured>& measured);

/// Ratios and times that have a target, from the same run: by medians and by least times.
[[nodiscard]] std::string targets(const Settings& settings, const std::vector<Measured>& measured);

}  // namespace upsweep::bench
