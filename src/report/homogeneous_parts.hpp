#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/report/format.hpp"
#include "upsweep/sim/homogeneous.hpp"

// Parts of reports on chains with closed forms, whatever these chains stand for.

namespace upsweep {

/// A profile of a homogeneous chain; refers to values that live elsewhere.
struct ClosedFormCounts {
  const HomogeneousProfile& profile;
  const PramProfile& pram;
  const HomogeneousReference& reference;
  const std::string& requested;  ///< the schedule as it was asked for
};

/// Adds the keys of `profile`: "schedule", "levels" (runs of equal ones), "totals", "baseline", "linear", "chain_build"
/// and "pram".
void add_counts(Json& object, const ClosedFormCounts& counted, const std::optional<std::uint64_t>& baseline);
/// The runs of levels, with a head.
[[nodiscard]] std::string levels_csv(const HomogeneousProfile& profile);
[[nodiscard]] std::string levels_text(const HomogeneousProfile& profile, const TextStyle& style);
/// Work, paths, memory, and the makespans on the workers, in two lines.
[[nodiscard]] std::string figures_text(const ClosedFormCounts& counted);

}  // namespace upsweep
