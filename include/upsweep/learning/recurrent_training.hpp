#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/learning/optimizer.hpp"
#include "upsweep/learning/sequence_data.hpp"
#include "upsweep/learning/train_result.hpp"
#include "upsweep/recurrent/backward_method.hpp"
#include "upsweep/recurrent/cell.hpp"
#include "upsweep/recurrent/recurrent_backend.hpp"

namespace upsweep {

/// How to train a recurrent cell and its head.
struct RecurrentTraining {
  /// Steps and batch of an iteration. `is_fused` counts for level-wise passes; the others form no Jacobians that could
  /// be split.
  PassShape shape;
  std::size_t iterations = 1;
  OptimizerSettings optimizer;
  CellWeights<double> start;       ///< initial weights, rounded to the type of the training
  std::uint64_t shuffle_seed = 0;  ///< BatchOrder
};

/// One training: its curve, what it learnt and the phases of its passes.
template <class T>
struct TrainedCell {
  LossCurve curve;
  CellWeights<T> weights;
  ScanTimes pass_seconds;          ///< sum of what the passes return: no transfers
  std::vector<std::string> notes;  ///< of the passes
};

/// Trains by one planned pass, which `name` calls in the curve and in errors.
///
/// Forward pass, backward pass and gradients of parameters run where they were planned, head, loss and update on the
/// CPU. The times of the curve are wall-clock times: those of a device hold its transfers, as every pass copies its
/// operands there and its result back; `forward` holds the head. One iteration without update comes first, so that no
/// time holds the first touch of memory. A training that diverges ends its curve, which says so. T is float or double.
/// Throws std::invalid_argument where the data do not have the steps, inputs and classes of the shape, or fewer samples
/// than a batch; what `progress` and the pass throw.
template <class T>
[[nodiscard]] TrainedCell<T> train_cell(const RecurrentTraining& training, const SequenceData& data,
                                        BackwardPass<T>& pass, const OuterPasses<T>& outer, const std::string& name,
                                        const TrainProgress& progress = {}, std::size_t index = 0);

/// The shape that a pass is planned for in a training of `shape`.
[[nodiscard]] PassShape shape_for(const BackwardMethod& method, const PassShape& shape);

/// Trains by every method in turn, all of an iteration's passes on `backend` and its outer(), each from the same
/// weights over the same batches, and compares them with the first. Those after one that diverges are trained all the
/// same.
///
/// Throws as train_cell(), as make_backward_pass() for any of the methods, with the outer
/// passes, before the first iteration, and std::invalid_argument for no methods.
template <class T>
[[nodiscard]] TrainResult train_by_all(const RecurrentTraining& training, const SequenceData& data,
                                       const RecurrentBackend& backend, const std::vector<BackwardMethod>& methods,
                                       const TrainProgress& progress = {});

}  // namespace upsweep
