#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "upsweep/network/sample.hpp"
#include "upsweep/profile/profile.hpp"

namespace upsweep {

/// An operator of the network with its Jacobian, counted. Sums over the inputs, as in profile.hpp; all 0 for a view.
struct OperatorProfile {
  std::uint64_t rows = 0;  ///< of the transposed Jacobian
  std::uint64_t cols = 0;
  std::uint64_t nnz = 0;
  std::uint64_t bytes = 0;           ///< as a CSR matrix
  std::uint64_t baseline_flops = 0;  ///< of dense back-propagation through this operator
};

/// What does not depend on the schedule.
struct NetworkProfile {
  std::uint64_t inputs = 1;
  std::vector<OperatorProfile> operators;  ///< by operator of the network, views included
  std::uint64_t baseline_flops = 0;        ///< dense back-propagation, operators 2..n
  std::uint64_t linear_flops = 0;          ///< plain back-propagation with the same sparse Jacobians
  std::uint64_t build_values = 0;          ///< Jacobian values to write per iteration, operators 2..n
  std::uint64_t build_bytes = 0;           ///< their bytes: value_bytes each
};

/// A network under several schedules.
struct Analysis {
  NetworkProfile network;
  std::vector<ScheduleProfile> schedules;
};

/// FLOPs of dense back-propagation through `op`, whose shown pattern has `nnz` entries: conv2d and linear 2 · nnz of
/// the unpruned pattern; elementwise, elements + nnz; pooling, input + output elements; views 0.
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

/// Profiles a network under `schedules`, each of length links + 1; every chain is made once, one at a time.
///
/// The guaranteed pattern has one chain, the sample pattern one per input. `progress(done, inputs)`, where given, is
/// called after each chain. Throws like profile_schedules(), guaranteed_chain() and SampleChains::at();
/// std::invalid_argument for the sample pattern without a sample.
[[nodiscard]] Analysis analyse(const NetworkView& view, PatternKind pattern, std::vector<Schedule> schedules,
                               const std::function<void(std::size_t done, std::size_t inputs)>& progress = {});

}  // namespace upsweep
