#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "upsweep/network/sample.hpp"
#include "upsweep/profile/profile.hpp"

namespace upsweep {

/// An operator of the network with its Jacobian, counted. Sums over the inputs, as in profile.hpp; all 0 for views and
/// joins, which hand gradients on.
struct OperatorProfile {
  std::uint64_t rows = 0;  ///< of the transposed Jacobian
  std::uint64_t cols = 0;
  std::uint64_t nnz = 0;
  std::uint64_t bytes = 0;           ///< as a CSR matrix
  std::uint64_t baseline_flops = 0;  ///< of dense back-propagation through this operator
  /// The Jacobian times the gradient of the output, by input: one, or several of a mixing operator. Where numbers only
  /// move, FLOPs are additions.
  std::vector<OpProfile> gradients = {};
};

/// A step that forms the Jacobian of a block, and the steps that it reads.
struct FormationStep {
  /// Of a product J^T · G, `right` is J^T; of a sum both are summands. FLOPs are 0 where it is a copy.
  OpProfile op;
  bool is_sum = false;
  std::vector<std::size_t> reads;  ///< positions of earlier steps
};

/// What forming the Jacobian of a block costs. Sums over the inputs.
struct FormationProfile {
  std::uint64_t products = 0;  ///< matched pairs, 2 FLOPs each
  std::uint64_t product_flops = 0;
  std::uint64_t additions = 0;  ///< of entries that both summands have, 1 FLOP each
  std::uint64_t addition_flops = 0;
  std::uint64_t peak_bytes = 0;      ///< of all matrices in use at a time, in fp64; the most of any input
  std::vector<FormationStep> steps;  ///< in the order of BlockPlan::steps; empty for a single operator

  [[nodiscard]] std::uint64_t flops() const;  ///< Throws CountOverflow.
};

/// An element of the chain: an operator or a block. Sums over the inputs.
struct LinkProfile {
  std::uint64_t rows = 0;  ///< of the transposed Jacobian
  std::uint64_t cols = 0;
  std::uint64_t nnz = 0;
  std::uint64_t bytes = 0;  ///< as a CSR matrix
  FormationProfile formation;
};

/// What does not depend on the schedule.
struct NetworkProfile {
  std::uint64_t inputs = 1;
  std::vector<OperatorProfile> operators;  ///< by operator of the network, views included
  std::vector<LinkProfile> links = {};     ///< by link of the network
  std::uint64_t baseline_flops = 0;        ///< dense back-propagation: operators whose input has a gradient, additions
  std::uint64_t addition_flops = 0;        ///< 1 per element for each further reader of an activation with a gradient
  std::uint64_t linear_flops = 0;          ///< plain back-propagation over the chain with the same sparse Jacobians
  std::uint64_t build_values = 0;          ///< Jacobian values to write per iteration, links 2..n
  std::uint64_t build_bytes = 0;           ///< their bytes: value_bytes each
  std::uint64_t formation_flops = 0;       ///< of forming the Jacobians of blocks, links 2..n
  std::uint64_t pattern_rows = 0;          ///< of the Jacobians of all links
  /// Of these, those that were looked at: one of each class of rows that are shifts of each other (Pattern::classes()),
  /// otherwise all. Products have classes of their own.
  std::uint64_t pattern_classes = 0;

  /// What `pattern_classes` tells in a word.
  [[nodiscard]] const char* counted_by() const { return pattern_classes < pattern_rows ? "classes" : "rows"; }
};

/// A network under several schedules.
struct Analysis {
  NetworkProfile network;
  std::vector<ScheduleProfile> schedules;
  std::vector<UncountedSchedule> uncounted = {};  ///< those that limits ended
};

/// FLOPs of dense back-propagation through `op`, whose shown pattern has `nnz` entries: conv2d and linear 2 · nnz of
/// the unpruned pattern; elementwise, elements + nnz; pooling, input + output elements; views and joins 0.
///
/// Source: the artifact of BPPSA (pruned_vgg11_analysis.py). Throws CountOverflow.
[[nodiscard]] std::uint64_t baseline_flops(const Operator& op, std::uint64_t nnz);

/// A network with all that its Jacobian patterns depend on; refers to values that live elsewhere.
struct NetworkView {
  const Network& network;
  const NetworkWeights& weights;
  const SampleInputs* sample = nullptr;  ///< with numbers; PatternKind::sample needs it
  unsigned value_bytes = 4;
};

/// The chains that the counts of a network are of: one of the guaranteed pattern, one per input of the sample pattern.
class NetworkChains {
 public:
  /// What the view refers to must outlive this. Throws std::invalid_argument for the sample pattern without a sample.
  NetworkChains(const NetworkView& view, PatternKind pattern, PatternForm form);

  [[nodiscard]] std::size_t inputs() const { return samples_ ? view_.sample->count : 1; }
  /// Made anew, for counts. Throws like guaranteed_chain() and SampleChains::at().
  [[nodiscard]] JacobianChain at(std::size_t i) const;

 private:
  NetworkView view_;
  PatternForm form_;
  std::optional<SampleChains> samples_;
};

/// For every operator whether back-propagation needs the gradient of its output: true unless it is a view or join of
/// nothing but the network's input and such views and joins.
[[nodiscard]] std::vector<bool> needs_gradient(const Network& network);

/// How many operators read each operator's output; one that reads it twice counts twice.
[[nodiscard]] std::vector<std::size_t> reader_counts(const Network& network);

/// Profiles a network under `schedules`, each of length links + 1; every chain is made once, one at a time.
///
/// The guaranteed pattern has one chain, the sample pattern one per input. `progress(done, inputs)`, where given, is
/// called after each chain. Throws like profile_schedules(), guaranteed_chain() and SampleChains::at();
/// std::invalid_argument for the sample pattern without a sample. `form` of the guaranteed pattern: counts do not
/// depend on it. `limits`, where given, end schedules that take more; without, it throws OperatorError
/// where there is no memory for a product.
[[nodiscard]] Analysis analyse(const NetworkView& view, PatternKind pattern, std::vector<Schedule> schedules,
                               const std::function<void(std::size_t done, std::size_t inputs)>& progress = {},
                               PatternForm form = PatternForm::classes, const CountLimits* limits = nullptr);

}  // namespace upsweep
