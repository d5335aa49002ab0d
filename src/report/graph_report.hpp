#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "upsweep/document/document.hpp"
#include "upsweep/network/network.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/search/graph_scores.hpp"
#include "upsweep/sim/graph_backprop.hpp"

namespace upsweep {

/// Names of the operators that operator `o` reads, the network's input among them.
[[nodiscard]] Json inputs_json(const Network& network, std::size_t o);

/// The links of the chain: operators and blocks, with what forming the latter costs.
[[nodiscard]] Table links_table(const Network& network, const NetworkProfile& profile);

/// Tasks, FLOPs, topological levels, critical path and makespans; means over the inputs.
[[nodiscard]] Json work_json(const GraphWork& work, std::uint64_t inputs);

/// Makespans of a scan over those of back-propagation over the graph, by executor: of the scan alone, with the
/// formation of the blocks' Jacobians before it, and with the gradients inside blocks after it; null where the graph
/// has no work.
[[nodiscard]] Json ratios_json(const PramProfile& scan, const GraphComparison& comparison);

/// The same comparison for people, with what it means; empty without blocks.
[[nodiscard]] Document graph_document(const Network& network, const PramProfile& scan,
                                      const GraphComparison& comparison, std::uint64_t inputs);

/// Adds `seconds` to the works of a comparison; null where they are not known.
void add_graph_seconds(const std::optional<GraphScores>& seconds, Json& graph_bp, Json& formation, Json& inside);

/// What they take on a machine, as a sentence; empty where they are not known.
[[nodiscard]] std::string graph_seconds_text(const std::optional<GraphScores>& seconds);

}  // namespace upsweep
