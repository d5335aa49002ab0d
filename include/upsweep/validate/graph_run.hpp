#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "upsweep/backend/backend.hpp"
#include "upsweep/network/network.hpp"
#include "upsweep/network/weights.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/validate/compare.hpp"

namespace upsweep {

/// A network at one input, with all that back-propagation over its graph starts from.
struct GraphAtInput {
  const Network& network;
  const NetworkWeights& weights;                    ///< with the values of every conv2d and linear
  std::span<const double> x;                        ///< elements of the network's input
  const std::vector<std::vector<double>>& outputs;  ///< activations() at x
  std::span<const double> loss_gradient;            ///< elements of the network's output
  PatternKind pattern = PatternKind::guaranteed;
};

/// Back-propagation over the graph, as it was run.
struct GraphRun {
  std::vector<std::vector<double>> gradients;  ///< of the input of every link, then the loss gradient: links + 1
  std::vector<double> roundings;               ///< on a path to each of them, at most
  std::uint64_t flops = 0;                     ///< that its loops did, but for those of the next line
  std::uint64_t input_flops = 0;               ///< for the gradient of the network's input and of views and joins of it
  std::size_t levels = 0;                      ///< topological levels, a barrier after each; without those of the input
  std::size_t threads = 1;                     ///< that could take part
  double seconds = 0;                          ///< median over the repetitions; without the gradient of the input
  double build_seconds = 0;     ///< writing the numbers of the Jacobians that `seconds` reads; median of three
  std::size_t repetitions = 0;  ///< measured runs
};

/// Runs plain back-propagation over the graph on this processor, operator by operator, from transposed Jacobians with
/// numbers of type T (float or double): the block triangular system of all gradients, solved by topological levels.
///
/// The tasks are those of graph_backprop_tasks() (sim/graph_backprop.hpp); those of a level run side by side, each on
/// one thread. After them come, once and not measured, the gradient of the network's input and of views and joins of
/// it. `options`: workers, repetitions and min_seconds count, as for a backend; one run before is not measured.
/// Roundings: 1 for every number that is rounded to T, 1 for a multiplication and 1 for each further entry of the
/// longest row, 1 for each further summand where several operators read an output.
/// Throws OperatorError where a number does not fit into T, std::invalid_argument for wrong lengths. Not to be called
/// from a chunk of parallel_chunks(). Numbers do not depend on the threads.
/// Cost: the Jacobians of all operators, and a buffer for every product and sum.
/// Source: Naumov (2018), "Parallel Complexity of Forward and Backward Propagation".
template <class T>
[[nodiscard]] GraphRun run_graph_backprop(const GraphAtInput& at, const RunOptions& options);

/// Compares the gradients of all link inputs with direct back-propagation, the last first, as compare_values() does.
[[nodiscard]] ValueComparison compare_graph_run(const GraphRun& run, const DirectGradients& direct,
                                                double direct_roundings, unsigned value_bytes);

/// The mismatch, if any, of the FLOPs and levels of a run with those of graph_backprop_tasks(). `profile`: of the same
/// network, at the same input.
[[nodiscard]] std::optional<Mismatch> compare_graph_counts(const GraphRun& run, const Network& network,
                                                           const NetworkProfile& profile);

/// Back-propagation over the graph, run and compared.
struct GraphValidation {
  std::string skipped;  ///< why it was not run; empty otherwise
  GraphRun run;         ///< its gradients dropped
  std::optional<Mismatch> mismatch;
  ValueComparison values;  ///< not filled after a mismatch in counts
};

/// Runs and compares it in numbers of type T. A number that does not fit into T is a reason to skip it.
template <class T>
[[nodiscard]] GraphValidation validate_graph(const GraphAtInput& at, const NetworkProfile& profile,
                                             const DirectGradients& direct, double direct_roundings,
                                             const RunOptions& options);

/// Bytes of the Jacobians of all operators with numbers of `value_bytes`, and of as many column indices. Throws
/// CountOverflow.
[[nodiscard]] std::uint64_t graph_jacobian_bytes(const NetworkProfile& profile, unsigned value_bytes);

}  // namespace upsweep
