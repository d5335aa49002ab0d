#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/sim/complexity.hpp"
#include "upsweep/sim/shared_ops.hpp"

namespace upsweep {

/// A stack of recurrent layers over time, as its gradient sees it: a triangular system whose diagonal blocks are
/// triangular systems.
///
/// The unknown g(i, s), the gradient of the loss with respect to the state of layer i = 1..k at step s = 1..T, has h
/// entries: g(i, s) = P(i, s) · g(i + 1, s) + Q(i, s) · g(i, s + 1), g(k, T) is given, terms outside of the grid are 0.
/// P(i, s), the transposed Jacobian of a layer's state with respect to that of the layer below, and Q(i, s), the one
/// with respect to its own at the step before, are dense h × h blocks with the derivatives of the nonlinearity folded
/// in, of an rnn and of a gru alike.
/// Source: Naumov, "Parallel complexity of forward and backward propagation", 2018, Equations 22 to 29, whose v is g
/// times the derivative of the nonlinearity.
struct StackedShape {
  std::uint64_t layers = 1;  ///< k, 1 .. kMostLayers
  std::uint64_t steps = 1;   ///< T, 1 .. 2^39
  std::uint64_t hidden = 1;  ///< h >= 1

  friend bool operator==(const StackedShape&, const StackedShape&) = default;
};

/// The most layers of a stack.
inline constexpr std::uint64_t kMostLayers = 1024;

/// Ways to solve the system.
enum class StackedKind : std::uint8_t {
  wavefront,         ///< substitution by anti-diagonals of the grid
  layers_then_time,  ///< one transition of all layers per step, by scans over the layers; a scan over time of those
  layer_by_layer,    ///< per layer, from the last, a scan over time of affine maps
  products_ahead,    ///< the same, but the products of matrices of all layers before the vectors of the second
};

/// Scans over time.
enum class TimeScan : std::uint8_t { hybrid, kogge_stone };

/// A way to solve the system; a wavefront has no scan.
struct StackedMethod {
  StackedKind kind = StackedKind::wavefront;
  TimeScan scan = TimeScan::hybrid;
  std::uint32_t depth = 0;  ///< of a hybrid scan; larger ones mean the largest

  friend bool operator==(const StackedMethod&, const StackedMethod&) = default;
};

/// "wavefront", "layers-then-time/linear", "layer-by-layer/hybrid:3", "products-ahead/kogge-stone", ...
[[nodiscard]] std::string to_string(const StackedMethod& method);

/// What a part of a way is for.
enum class StackedPhase : std::uint8_t {
  wavefront,   ///< anti-diagonals
  layers,      ///< transitions of the steps, and the given gradient through the layers
  right_side,  ///< a layer's right sides from the layer above
  up,          ///< of a hybrid scan over time
  middle,      ///< of a hybrid scan over time
  down,        ///< of a hybrid scan over time
  rounds,      ///< of a Kogge-Stone scan over time
};

/// "wavefront", "layers", "right-side", "up", "middle", "down" or "rounds".
[[nodiscard]] std::string to_string(StackedPhase phase);

/// Operations of a level, all independent: on h × h blocks, and on vectors of h entries.
///
/// Of products, one with a matrix costs 2·h³ FLOPs and one with a vector 2·h²; of additions, h² and h.
struct StackedOps {
  std::uint64_t matrix = 0;
  std::uint64_t vector = 0;

  friend bool operator==(const StackedOps&, const StackedOps&) = default;
};

/// A level of products, and the levels that add those of them that belong to one block, in pairs.
struct StackedStage {
  StackedPhase phase = StackedPhase::wavefront;
  std::uint64_t repeat = 1;  ///< how many stages are like this one
  StackedOps products;
  std::vector<StackedOps> additions;  ///< a level each

  friend bool operator==(const StackedStage&, const StackedStage&) = default;
};

/// A way to solve the system, counted without a list of its operations. Every operation is needed by some result.
struct StackedProfile {
  StackedShape shape;
  StackedMethod method;  ///< with the depth that it has
  unsigned value_bytes = 4;
  std::vector<StackedStage> stages;   ///< in the order in which each occurs first
  std::uint64_t levels = 0;           ///< of products
  std::uint64_t addition_levels = 0;  ///< after them
  StackedOps products;
  StackedOps additions;
  std::uint64_t flops = 0;                ///< of the products, which the FLOP rule charges 2 per multiply-add
  std::uint64_t addition_flops = 0;       ///< on top, since products of one block are written apart
  std::uint64_t per_step_flops = 0;       ///< the most expensive product
  std::uint64_t critical_path_flops = 0;  ///< Σ over levels, those of additions too, of the most expensive operation
  std::uint64_t widest = 0;               ///< the most operations of a level
  std::uint64_t memory_bytes = 0;  ///< given blocks, gradients, arrays of the scans, products of the largest level
};

/// Counts a way by closed forms.
///
/// `value_bytes` is 4 or 8. Throws std::invalid_argument for a shape out of range, naming it; CountOverflow.
/// Cost: O(min(layers, steps) + layers · log layers + log² steps), whatever the operations.
/// Source: for the numbers of scans Kogge and Stone, "A parallel algorithm for the efficient solution of a general
/// class of recurrence equations", 1973, and profile_homogeneous().
[[nodiscard]] StackedProfile profile_stacked(const StackedShape& shape, const StackedMethod& method,
                                             unsigned value_bytes);

/// Makespans of `batch` >= 1 sequences on `workers` >= 1 workers, levels in order with a barrier after each; in a level
/// products or additions of matrices come before those of vectors, each on the worker that becomes free first.
///
/// `unit` counts 1 for a product and nothing for an addition; `flops` covers both. Never larger with more workers.
/// Throws std::invalid_argument for 0 workers, CountOverflow. Cost: O(stages).
[[nodiscard]] Makespan stacked_makespan(const StackedProfile& profile, std::uint64_t workers, std::uint64_t batch = 1);

/// Of the makespan in FLOPs what each stage takes, all its repetitions; by stage. Throws and costs likewise.
[[nodiscard]] std::vector<std::uint64_t> stacked_stage_makespans(const StackedProfile& profile, std::uint64_t workers,
                                                                 std::uint64_t batch = 1);

/// FLOPs of a level of products and of the levels that add them, on matrices and on vectors.
struct StageFlops {
  std::uint64_t matrix = 0;
  std::uint64_t vector = 0;
};

/// Of one of the repetitions of a stage of the profile. Throws CountOverflow.
[[nodiscard]] StageFlops stage_flops(const StackedProfile& profile, const StackedStage& stage);

/// A way as workers that share operations see it: a product of h × h blocks or with a vector has a multiplication and a
/// tree of additions over h pairs, an addition one. Its levels are their own longest chain. Throws CountOverflow.
[[nodiscard]] SharedWork shared_work(const StackedProfile& profile);

/// Values of the Jacobian blocks P and Q that every way starts from: h² each. Throws like profile_stacked().
[[nodiscard]] std::uint64_t stacked_jacobian_values(const StackedShape& shape);

}  // namespace upsweep
