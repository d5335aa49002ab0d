#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/report/format.hpp"
#include "upsweep/search/homogeneous.hpp"
#include "upsweep/sim/homogeneous.hpp"

// Parts of reports on chains with closed forms, whatever these chains stand for.

namespace upsweep {

/// A profile of a homogeneous chain; refers to values that live elsewhere.
struct CountedSchedule {
  const HomogeneousProfile& profile;
  const HomogeneousPram& pram;
  const HomogeneousReference& reference;
  const std::string& requested;  ///< the schedule as it was asked for
};

/// Adds the keys of `profile`: "schedule", "levels" (runs of equal ones), "totals", "baseline", "linear", "chain_build"
/// and "pram".
void add_counts(Json& object, const CountedSchedule& counted, const std::optional<std::uint64_t>& baseline);
/// The runs of levels, with a head.
[[nodiscard]] std::string levels_csv(const HomogeneousProfile& profile);
[[nodiscard]] std::string levels_text(const HomogeneousProfile& profile, const TextStyle& style);
/// Work, paths, memory, and the makespans on the workers, in two lines.
[[nodiscard]] std::string figures_text(const CountedSchedule& counted);

/// Whether some depth beats plain back-propagation.
[[nodiscard]] bool scan_pays(const HomogeneousSearchResult& result);
/// A candidate of a search; `baseline`: FLOPs of the model's own back-propagation, where known.
[[nodiscard]] Json candidate_json(const HomogeneousSearchResult& result, const HomogeneousCandidate& candidate,
                                  const std::optional<std::uint64_t>& baseline);
/// Adds the keys of `search` but for the model: settings, "candidates", "best", "margin".
void add_search(Json& object, const HomogeneousSearchResult& result, const std::optional<std::uint64_t>& baseline);
[[nodiscard]] Json overtaking_json(const std::optional<Overtaking>& overtaking);
/// All candidates, with a head.
[[nodiscard]] std::string candidates_csv(const HomogeneousSearchResult& result);
[[nodiscard]] std::string candidates_text(const HomogeneousSearchResult& result, const TextStyle& style);
/// The best depth and what it wins, in a line.
[[nodiscard]] std::string best_depth_text(const HomogeneousSearchResult& result);
/// From how many workers on some depth wins, in a line.
[[nodiscard]] std::string overtaking_text(const std::optional<Overtaking>& overtaking);
/// The best of depths and schemes, what it wins, and what the best depth has instead; empty without schemes.
[[nodiscard]] std::string best_scheme_text(const HomogeneousSearchResult& result);

}  // namespace upsweep
