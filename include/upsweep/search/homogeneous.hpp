#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/search/depth.hpp"
#include "upsweep/sim/homogeneous.hpp"

namespace upsweep {

/// A schedule over a homogeneous chain, scored.
struct HomogeneousCandidate {
  std::optional<std::uint32_t> depth;  ///< of a hybrid; nothing for other schemes
  std::string schedule;
  bool feasible = true;
  std::string reason;           ///< why it is infeasible, else empty
  std::optional<double> score;  ///< FLOPs; nothing where the simulation gave up
  std::uint64_t levels = 0;
  Totals totals;
  HomogeneousPram pram;
  std::optional<std::uint32_t> same_as;  ///< the smallest depth with the same figures, where that is another one
  std::string same_scheme;               ///< without such a depth the first other scheme with the same; empty if none
};

/// The result of a search, as SearchResult.
struct HomogeneousSearchResult {
  SearchOptions options;
  std::uint64_t workers = 1;
  HomogeneousReference reference;
  std::vector<HomogeneousCandidate> candidates;  ///< by depth, from 0
  std::vector<HomogeneousCandidate> schemes;     ///< scheme_candidates(), where they were searched
  std::optional<std::size_t> best;               ///< nothing when none is feasible or a feasible one has no score
  std::optional<double> margin;                  ///< runner-up's score / best score - 1
  std::optional<std::size_t> best_scheme;        ///< at() of the best of candidates and schemes; nothing as for best
  std::optional<double> scheme_margin;           ///< as margin, over candidates and schemes

  /// Plain back-propagation: the candidate of depth 0.
  [[nodiscard]] const HomogeneousCandidate& linear() const { return candidates.front(); }
  /// Candidates and, after them, schemes.
  [[nodiscard]] const HomogeneousCandidate& at(std::size_t i) const {
    return i < candidates.size() ? candidates[i] : schemes[i - candidates.size()];
  }
  /// How many at() has.
  [[nodiscard]] std::size_t size() const { return candidates.size() + schemes.size(); }
};

/// The longest chain over which other schemes than hybrids, which have no closed form, are searched combine by combine
/// without a noticeable wait.
inline constexpr std::uint64_t kMostSchemeElements = 10'000;

/// search_depth() over a homogeneous chain: the same scores, reasons, best and margins. Depths are scored for every
/// length, other schemes where the chain has at most `scheme_elements` elements.
///
/// Without a machine: options.machine must be null. Throws std::invalid_argument for that, 0 workers and like
/// profile_homogeneous(); CountOverflow. Cost: that of homogeneous_pram() for each depth, and that of pram_profile()
/// for each scheme: up to n · log2 n combines.
[[nodiscard]] HomogeneousSearchResult search_homogeneous(const HomogeneousChain& chain, const SearchOptions& options,
                                                         std::uint64_t scheme_elements = 0);

/// Where a hybrid scan overtakes plain back-propagation.
struct Overtaking {
  std::uint64_t workers = 1;
  std::uint32_t depth = 0;         ///< the best one with these workers
  std::uint64_t scan_flops = 0;    ///< its makespan
  std::uint64_t linear_flops = 0;  ///< larger

  friend bool operator==(const Overtaking&, const Overtaking&) = default;
};

/// The smallest number of workers with which the FLOPs makespan of some depth is below that of depth 0; nothing when
/// none up to `most_workers` does, or when a simulation gives up.
///
/// Throws like profile_homogeneous(). Cost: under Execution::level a binary search, as more workers are never slower
/// there; under Execution::dag one simulation per depth for each number of workers that no lower bound rules out.
[[nodiscard]] std::optional<Overtaking> overtaking_workers(const HomogeneousChain& chain, Execution execution,
                                                           Scope scope, std::uint64_t most_workers);

}  // namespace upsweep
