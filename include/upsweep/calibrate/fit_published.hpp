#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/calibrate/fit.hpp"
#include "upsweep/machine/published_rates.hpp"

namespace upsweep {

/// A published time that rates are fitted to.
struct PublishedSample {
  TimePoint point;        ///< counts by published_units()
  std::string structure;  ///< rows of equal sizes leave a fit together
  std::uint32_t key = 0;  ///< row_key()
};

/// Rates of a kind that fit_robustly() finds for the samples: unit_s, interval and, but for the file, what they rest
/// on.
///
/// Every sample is also predicted from a fit without its structure. The interval holds kIntervalShare of the times that
/// are left out, by quantiles of the logarithm of measured over predicted; with fewer than kFewestStructures
/// structures, where nothing is left out, it is that of the samples themselves, kUnprovenFactor wider to either side.
/// Throws std::invalid_argument without samples or for a time that is not positive.
[[nodiscard]] PublishedRates fit_published(PublishedKind kind, const std::vector<PublishedSample>& samples);
inline constexpr std::size_t kFewestStructures = 4;
inline constexpr double kUnprovenFactor = 1.3;

/// For every sample, rates of the others of other structures; those of all where there are fewer than
/// kFewestStructures. Without intervals.
[[nodiscard]] std::vector<PublishedRates> left_out_rates(PublishedKind kind,
                                                         const std::vector<PublishedSample>& samples);

}  // namespace upsweep
