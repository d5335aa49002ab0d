#include "upsweep/learning/network_training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "network_parameters.hpp"
#include "train_run.hpp"
#include "upsweep/base/laps.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/learning/batch_order.hpp"
#include "upsweep/learning/network_gradients.hpp"

namespace upsweep {
namespace {

void require_fitting(const Network& network, const NetworkWeights& weights, const ImageData& data) {
  require_no_blocks(network, "training");
  if (weights.size() != network.operators().size()) {
    throw std::invalid_argument(
        fmt::format("weights of {} operators, accepted are those of {}", weights.size(), network.operators().size()));
  }
  for (std::size_t o = 0; o < weights.size(); ++o) {
    const Operator& op = network.operators()[o];
    const auto shape = weight_shape(op.kind, op.in_shape);
    if (!shape || weights[o].values.size() == elements(*shape)) continue;
    throw std::invalid_argument(fmt::format("{} '{}': {} weights, accepted are {}", kind_name(op.kind), op.name,
                                            weights[o].values.size(), elements(*shape)));
  }
  if (data.shape() != network.input()) {
    throw std::invalid_argument(fmt::format("images of the shape {}, accepted are those of the network's input, {}",
                                            to_string(data.shape()), to_string(network.input())));
  }
  const Shape& output = network.operators().back().out_shape;
  if (output.size() != 1 || output[0] < data.classes()) {
    throw std::invalid_argument(
        fmt::format("images of {} classes and a network with the output {}, accepted are outputs of [features], at "
                    "least one per class",
                    data.classes(), to_string(output)));
  }
}

/// A training in progress: all its memory.
template <class T>
class NetworkRun {
 public:
  NetworkRun(const Network& network, const NetworkWeights& initial, const NetworkTraining& training,
             const ImageData& data, const ActivationGradients& backward, const std::string& name)
      : network_(network),
        training_(training),
        data_(data),
        backward_(backward),
        order_(data.samples(), training.batch, training.shuffle_seed),
        trained_{{name, {}, {}, {}}, initial},
        parameters_(network, trained_.weights),
        optimizer_(training.optimizer, parameters_.lengths()),
        labels_(training.batch) {}

  /// What was trained so far.
  [[nodiscard]] TrainedNetwork take() { return std::move(trained_); }
  [[nodiscard]] const LossCurve& curve() const { return trained_.curve; }

  /// All of an iteration but the update.
  void compute(std::size_t iteration) {
    iteration_ = iteration;
    Laps laps;
    SampleVectors images = read_batch();
    seconds_.data = laps.lap();
    run_forward(std::move(images));
    seconds_.forward = laps.lap();
    run_backward();
    seconds_.backward = laps.lap();
    compute_parameter_gradients();
    seconds_.parameters = laps.lap();
  }

  /// The rest of it; only now it counts.
  void update() {
    Laps laps;
    std::vector<std::span<const T>> gradients(gradients_.begin(), gradients_.end());
    const std::vector<std::span<T>> arrays = parameters_.arrays();
    optimizer_.step(arrays, gradients);
    parameters_.store(network_, trained_.weights);
    seconds_.update = laps.lap();
    trained_.curve.seconds += seconds_;
    trained_.curve.loss.push_back(loss_.mean);
    trained_.curve.accuracy.push_back(static_cast<double>(loss_.correct) / static_cast<double>(training_.batch));
  }

 private:
  [[nodiscard]] SampleVectors read_batch() {
    const std::span<const std::size_t> samples = order_.at(iteration_);
    SampleVectors images(samples.size());
    parallel_chunks(samples.size(), 1, [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t s = begin; s < end; ++s) {
        images[s].resize(elements(data_.shape()));
        data_.write(samples[s], images[s]);
        labels_[s] = data_.label(samples[s]);
      }
    });
    return images;
  }

  void run_forward(SampleVectors images) {
    try {
      inputs_ = forward_batch(network_, trained_.weights, std::move(images));
    } catch (const OperatorError& error) {
      throw TrainingDiverged(trained_.curve, error.what());
    }
    loss_ = batch_loss(inputs_.back(), labels_);
    if (!std::isfinite(loss_.mean)) throw TrainingDiverged(trained_.curve, "the loss is not finite");
  }

  void run_backward() {
    activation_gradients_.resize(inputs_.size());
    activation_gradients_.back() = std::move(loss_.gradients);
    try {
      backward_(trained_.weights, inputs_, activation_gradients_);
    } catch (const std::overflow_error& error) {
      throw TrainingDiverged(trained_.curve, fmt::format("a derivative: {}", error.what()));
    }
  }

  void compute_parameter_gradients() {
    gradients_.clear();
    for (std::size_t i = 0; i < network_.links().size(); ++i) {
      const std::size_t o = network_.links()[i];
      const Operator& op = network_.operators()[o];
      if (!has_parameters(op)) continue;
      std::vector<OperatorSample> samples;
      for (std::size_t s = 0; s < training_.batch; ++s)
        samples.push_back({inputs_[i][s], activation_gradients_[i + 1][s]});
      const ParameterGradients gradients = operator_gradients(op, trained_.weights[o], samples);
      append(op, gradients.values);
      if (!gradients.bias.empty()) append(op, gradients.bias);
    }
  }

  void append(const Operator& op, const std::vector<double>& gradient) {
    std::vector<T>& rounded = gradients_.emplace_back();
    for (const double number : gradient) {
      rounded.push_back(static_cast<T>(number));
      if (std::isfinite(rounded.back())) continue;
      throw TrainingDiverged(trained_.curve, fmt::format("the gradient of a parameter of {} '{}' is not finite",
                                                         kind_name(op.kind), op.name));
    }
  }

  const Network& network_;
  const NetworkTraining& training_;
  const ImageData& data_;
  const ActivationGradients& backward_;
  BatchOrder order_;
  TrainedNetwork trained_;
  Parameters<T> parameters_;
  Optimizer<T> optimizer_;
  std::vector<std::uint32_t> labels_;
  std::vector<std::vector<T>> gradients_;  // in the order of Parameters
  BatchVectors inputs_;
  BatchVectors activation_gradients_;
  BatchLoss loss_;
  std::size_t iteration_ = 0;
  PhaseTimes seconds_;  // of this iteration
};

std::vector<double> flat(const Network& network, const NetworkWeights& weights) {
  std::vector<double> all;
  for_each_parameter_array(
      network, weights, [&](const std::vector<double>& array) { all.insert(all.end(), array.begin(), array.end()); });
  return all;
}

template <class T>
std::string note_of(const std::string& name, const ScanBackward<T>& scan) {
  return fmt::format(
      "{}: {} FLOPs of products per image, {} Jacobian values written per image and {} per iteration, {:.1f} MiB for "
      "plan and values",
      name, scan.flops(), scan.values_per_sample(), scan.values_per_iteration(),
      static_cast<double>(scan.bytes()) / (1 << 20U));
}

/// Throws where the plan of any scan but the first pass's, which comes next anyway, does not fit into the memory: this
/// is said before hours are spent on the passes before it. Only planning knows; each plan is given back.
template <class T>
void require_plans(const Network& network, const NetworkWeights& initial, const std::vector<std::string>& backward) {
  for (std::size_t i = 1; i < backward.size(); ++i) {
    if (backward[i] != kPlainBackward) ScanBackward<T>(network, initial, backward[i]);
  }
}

}  // namespace

template <class T>
TrainedNetwork train_network(const Network& network, const NetworkWeights& initial, const NetworkTraining& training,
                             const ImageData& data, const ActivationGradients& backward, const std::string& name,
                             const TrainProgress& progress, std::size_t index) {
  require_fitting(network, initial, data);
  return train_run(NetworkRun<T>(network, initial, training, data, backward, name), training.iterations, progress,
                   index);
}

template <class T>
TrainResult train_network_by_all(const Network& network, const NetworkWeights& initial, const NetworkTraining& training,
                                 const ImageData& data, const std::vector<std::string>& backward,
                                 const TrainProgress& progress) {
  if (backward.empty()) throw std::invalid_argument("no backward pass to train by, accepted is 1 or more");
  for (const std::string& name : backward) static_cast<void>(network_backward_name(name));
  require_fitting(network, initial, data);
  require_plans<T>(network, initial, backward);
  TrainResult result;
  std::optional<std::vector<double>> reference;
  for (std::size_t i = 0; i < backward.size(); ++i) {
    std::optional<ScanBackward<T>> scan;
    ActivationGradients pass = plain_backward(network);
    if (backward[i] != kPlainBackward) {
      scan.emplace(network, initial, backward[i]);
      result.notes.push_back(note_of(backward[i], *scan));
      pass = [&scan](const NetworkWeights& weights, const BatchVectors& inputs, BatchVectors& gradients) {
        scan->run(weights, inputs, gradients);
      };
    }
    TrainedNetwork trained = train_network<T>(network, initial, training, data, pass, backward[i], progress, i);
    add_training(std::move(trained.curve), flat(network, trained.weights), reference, result);
  }
  compare_all(result);
  return result;
}

std::uint64_t trained_parameters(const Network& network, const NetworkWeights& weights) {
  NetworkWeights written = weights;
  write_out_parameters(network, written);
  std::uint64_t count = 0;
  for_each_parameter_array(network, written, [&](const std::vector<double>& array) { count += array.size(); });
  for (const OperatorWeights& of_operator : weights)
    count -= static_cast<std::uint64_t>(std::count(of_operator.kept.begin(), of_operator.kept.end(), std::uint8_t{0}));
  return count;
}

template TrainedNetwork train_network<float>(const Network&, const NetworkWeights&, const NetworkTraining&,
                                             const ImageData&, const ActivationGradients&, const std::string&,
                                             const TrainProgress&, std::size_t);
template TrainedNetwork train_network<double>(const Network&, const NetworkWeights&, const NetworkTraining&,
                                              const ImageData&, const ActivationGradients&, const std::string&,
                                              const TrainProgress&, std::size_t);
template TrainResult train_network_by_all<float>(const Network&, const NetworkWeights&, const NetworkTraining&,
                                                 const ImageData&, const std::vector<std::string>&,
                                                 const TrainProgress&);
template TrainResult train_network_by_all<double>(const Network&, const NetworkWeights&, const NetworkTraining&,
                                                  const ImageData&, const std::vector<std::string>&,
                                                  const TrainProgress&);

}  // namespace upsweep
