#pragma once

#include <cstdint>
#include <optional>

#include "upsweep/profile/network_profile.hpp"
#include "upsweep/search/candidate.hpp"

namespace upsweep {

/// Plain back-propagation over a graph with branches, and what a scan over the chain of its blocks leaves to do; of the
/// batch, by the objective of a search, FLOPs (means over the inputs) or seconds as scores are.
struct GraphScores {
  double backprop = 0;   ///< over the graph
  double formation = 0;  ///< of the blocks' Jacobians, before the scan
  double inner = 0;      ///< gradients inside blocks, after the scan

  /// What comes on top of the score of a scan.
  [[nodiscard]] double beside_scan() const { return formation + inner; }
};

/// Each op on one worker without a machine and on a pram; on the others as a schedule's ops, by graph_seconds(). Of
/// options the objective, execution, batch, machine and value bytes count. Nothing where that is not known: under
/// Execution::dag of batches and of kernels that are fused by levels. Throws CountOverflow.
[[nodiscard]] std::optional<GraphScores> graph_scores(const Network& network, const NetworkProfile& profile,
                                                      const SearchOptions& options, std::uint64_t workers);

}  // namespace upsweep
