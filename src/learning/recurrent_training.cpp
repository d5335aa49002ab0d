#include "upsweep/learning/recurrent_training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "train_run.hpp"
#include "upsweep/base/laps.hpp"
#include "upsweep/learning/batch_order.hpp"
#include "upsweep/recurrent/forward.hpp"
#include "upsweep/recurrent/head.hpp"

namespace upsweep {
namespace {

template <class T>
bool is_finite(std::span<const T> values) {
  return std::all_of(values.begin(), values.end(), [](T value) { return std::isfinite(value); });
}

template <class T>
std::vector<T> flat(const CellWeights<T>& weights) {
  std::vector<T> all;
  for (const std::span<const T> array : weights.arrays()) all.insert(all.end(), array.begin(), array.end());
  return all;
}

std::vector<std::size_t> lengths_of(const CellWeights<double>& weights) {
  std::vector<std::size_t> lengths;
  for (const auto array : weights.arrays()) lengths.push_back(array.size());
  return lengths;
}

template <class T>
CellWeights<T> rounded(const CellWeights<double>& exact) {
  CellWeights<T> weights = zero_weights<T>(exact.shape);
  for (std::size_t array = 0; array < exact.arrays().size(); ++array) {
    std::ranges::transform(exact.arrays()[array], weights.arrays()[array].begin(),
                           [](double value) { return static_cast<T>(value); });
  }
  return weights;
}

void require_fitting(const RecurrentTraining& training, const SequenceShape& data) {
  const PassShape& shape = training.shape;
  require_valid(training.start);
  if (training.start.shape != shape.cell)
    throw std::invalid_argument("the initial weights are of another cell, accepted are those of the shape");
  if (data.steps == shape.steps && data.input == shape.cell.input && data.classes == shape.cell.classes) return;
  throw std::invalid_argument(
      fmt::format("sequences of {} steps, {} inputs and {} classes, accepted are {} steps, {} inputs and {} classes",
                  data.steps, data.input, data.classes, shape.steps, shape.cell.input, shape.cell.classes));
}

void add(const ScanTimes& times, ScanTimes& sum) {
  sum.jacobians += times.jacobians;
  sum.up += times.up;
  sum.middle += times.middle;
  sum.down += times.down;
}

/// A training in progress: all its memory.
template <class T>
class RecurrentRun {
 public:
  RecurrentRun(const RecurrentTraining& training, const SequenceData& data, BackwardPass<T>& pass,
               const OuterPasses<T>& outer, const std::string& name)
      : training_(training),
        data_(data),
        pass_(pass),
        outer_(outer),
        order_(data.shape().samples, training.shape.batch, training.shuffle_seed),
        optimizer_(training.optimizer, lengths_of(training.start)),
        gradients_(zero_weights<T>(training.shape.cell)),
        inputs_(training.shape.batch * training.shape.steps * training.shape.cell.input),
        labels_(training.shape.batch),
        hidden_gradients_((training.shape.steps + 1) * training.shape.batch * training.shape.cell.hidden) {
    require_fitting(training, data.shape());
    if (!pass.gives_all()) {
      throw std::invalid_argument(
          fmt::format("{} gives no gradients of the inner steps, accepted are passes that do", name));
    }
    trained_.curve.backward = name;
    trained_.weights = rounded<T>(training.start);
  }

  /// What was trained so far.
  [[nodiscard]] TrainedCell<T> take() {
    trained_.notes = pass_.notes();
    for (const auto& notes : {outer_.forward->notes(), outer_.parameters->notes()})
      trained_.notes.insert(trained_.notes.end(), notes.begin(), notes.end());
    return std::move(trained_);
  }
  [[nodiscard]] const LossCurve& curve() const { return trained_.curve; }

  /// All of an iteration but the update.
  void compute(std::size_t iteration) {
    const PassShape& shape = training_.shape;
    Laps laps;
    data_.fill(order_.at(iteration), std::span<T>(inputs_), std::span<std::uint32_t>(labels_));
    seconds_.data = laps.lap();
    try {
      outer_.forward->load(trained_.weights, inputs_, states_);
      static_cast<void>(outer_.forward->run());
      outer_.forward->fetch();
    } catch (const NonFiniteState& error) {
      throw TrainingDiverged(trained_.curve,
                             fmt::format("a hidden state of sample {} of the batch is not finite", error.sample()),
                             error.step());
    }
    head_ = run_head<T>(trained_.weights, states_.at(shape.steps), labels_);
    if (!std::isfinite(head_.loss)) throw TrainingDiverged(trained_.curve, "the loss is not finite");
    seconds_.forward = laps.lap();
    pass_.load(trained_.weights, states_, head_.hidden_gradient, hidden_gradients_);
    pass_seconds_ = pass_.run();
    pass_.fetch();
    seconds_.backward = laps.lap();
    outer_.parameters->load(trained_.weights, states_, inputs_, hidden_gradients_, head_, gradients_);
    static_cast<void>(outer_.parameters->run());
    outer_.parameters->fetch();
    require_finite_gradients();
    seconds_.parameters = laps.lap();
  }

  /// The rest of it; only now it counts.
  void update() {
    Laps laps;
    const auto gradients = std::as_const(gradients_).arrays();
    optimizer_.step(trained_.weights.arrays(), gradients);
    seconds_.update = laps.lap();
    trained_.curve.seconds += seconds_;
    add(pass_seconds_, trained_.pass_seconds);
    trained_.curve.loss.push_back(head_.loss);
    trained_.curve.accuracy.push_back(static_cast<double>(head_.correct) / static_cast<double>(training_.shape.batch));
  }

 private:
  /// Infinity reaches the parameters, so that those are looked at first.
  void require_finite_gradients() const {
    const auto arrays = gradients_.arrays();
    if (std::all_of(arrays.begin(), arrays.end(), [](auto array) { return is_finite(array); })) return;
    const std::size_t width = training_.shape.batch * training_.shape.cell.hidden;
    for (std::size_t t = training_.shape.steps; t > 0; --t) {
      if (!is_finite(std::span<const T>(hidden_gradients_).subspan(t * width, width)))
        throw TrainingDiverged(trained_.curve, "the gradient of a hidden state is not finite, seen from the loss", t);
    }
    throw TrainingDiverged(trained_.curve, "the gradient of a parameter is not finite");
  }

  const RecurrentTraining& training_;
  const SequenceData& data_;
  BackwardPass<T>& pass_;
  const OuterPasses<T>& outer_;
  BatchOrder order_;
  Optimizer<T> optimizer_;
  CellWeights<T> gradients_;
  ForwardStates<T> states_;
  HeadResult<T> head_;
  std::vector<T> inputs_;
  std::vector<std::uint32_t> labels_;
  std::vector<T> hidden_gradients_;
  PhaseTimes seconds_;  // of this iteration
  ScanTimes pass_seconds_;
  TrainedCell<T> trained_;
};

}  // namespace

template <class T>
TrainedCell<T> train_cell(const RecurrentTraining& training, const SequenceData& data, BackwardPass<T>& pass,
                          const OuterPasses<T>& outer, const std::string& name, const TrainProgress& progress,
                          std::size_t index) {
  return train_run(RecurrentRun<T>(training, data, pass, outer, name), training.iterations, progress, index);
}

PassShape shape_for(const BackwardMethod& method, const PassShape& shape) {
  PassShape planned = shape;
  // Plain back-propagation multiplies by no Jacobian, of which there might be one or two per step.
  planned.is_fused = shape.is_fused || method.kind == BackwardKind::sequential;
  return planned;
}

template <class T>
TrainResult train_by_all(const RecurrentTraining& training, const SequenceData& data, const RecurrentBackend& backend,
                         const std::vector<BackwardMethod>& methods, const TrainProgress& progress) {
  if (methods.empty()) throw std::invalid_argument("no backward pass to train by, accepted is 1 or more");
  require_fitting(training, data.shape());
  // What does not fit into the memory is said before hours are spent on the methods before it. Only planning knows:
  // each pass is made and given back, which takes less than one run of it.
  const OuterPasses<T> outer = make_outer_passes<T>(backend.outer(), training.shape);
  for (std::size_t i = 1; i < methods.size(); ++i)
    static_cast<void>(make_backward_pass<T>(backend, methods[i], shape_for(methods[i], training.shape)));
  TrainResult result;
  std::optional<std::vector<T>> reference;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    const auto pass = make_backward_pass<T>(backend, methods[i], shape_for(methods[i], training.shape));
    TrainedCell<T> trained = train_cell<T>(training, data, *pass, outer, to_string(methods[i]), progress, i);
    result.pass_seconds.push_back(trained.pass_seconds);
    for (const std::string& note : trained.notes)
      result.notes.push_back(fmt::format("{}: {}", trained.curve.backward, note));
    add_training(std::move(trained.curve), flat(trained.weights), reference, result);
  }
  compare_all(result);
  return result;
}

template TrainedCell<float> train_cell<float>(const RecurrentTraining&, const SequenceData&, BackwardPass<float>&,
                                              const OuterPasses<float>&, const std::string&, const TrainProgress&,
                                              std::size_t);
template TrainedCell<double> train_cell<double>(const RecurrentTraining&, const SequenceData&, BackwardPass<double>&,
                                                const OuterPasses<double>&, const std::string&, const TrainProgress&,
                                                std::size_t);
template TrainResult train_by_all<float>(const RecurrentTraining&, const SequenceData&, const RecurrentBackend&,
                                         const std::vector<BackwardMethod>&, const TrainProgress&);
template TrainResult train_by_all<double>(const RecurrentTraining&, const SequenceData&, const RecurrentBackend&,
                                          const std::vector<BackwardMethod>&, const TrainProgress&);

}  // namespace upsweep
