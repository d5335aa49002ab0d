#pragma once

#include <cstdint>
#include <optional>

#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/search/candidate.hpp"

namespace upsweep {

/// The longest chain over which other schemes than hybrids, which have no closed form, are searched combine by combine
/// without a noticeable wait.
inline constexpr std::uint64_t kMostSchemeElements = 10'000;

/// search_depth() over a homogeneous chain: the same scores, reasons, best and margins. Depths are scored for every
/// length, other schemes where the chain has at most `scheme_elements` elements.
///
/// Throws std::invalid_argument for 0 workers
/// and like profile_homogeneous(); CountOverflow. Cost: that of homogeneous_pram() for each depth, and that of
/// pram_profile() for each scheme: up to n · log2 n combines.
[[nodiscard]] SearchResult search_chain(const HomogeneousChain& chain, const SearchOptions& options,
                                        std::uint64_t scheme_elements = 0);

/// The smallest number of workers with which the FLOPs makespan of some depth is below that of depth 0; nothing when
/// none up to `most_workers` does, or when a simulation gives up.
///
/// Throws like profile_homogeneous(). Cost: under Execution::level a binary search, as more workers are never slower
/// there; under Execution::dag one simulation per depth for each number of workers that no lower bound rules out.
[[nodiscard]] std::optional<Overtaking> hybrid_overtaking(const HomogeneousChain& chain, Execution execution,
                                                          Scope scope, std::uint64_t most_workers);

}  // namespace upsweep
