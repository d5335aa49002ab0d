#include "upsweep/validate/direct_backprop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "direct_operators.hpp"

namespace upsweep {
namespace {

constexpr double kSmallest = std::numeric_limits<float>::min();

void require_length(const std::string& what, std::size_t found, std::size_t wanted) {
  if (found != wanted) throw std::invalid_argument(fmt::format("{}: {} numbers, accepted are {}", what, found, wanted));
}

void require_weights(const Operator& op, const OperatorWeights& weights) {
  const std::string name = fmt::format("{} '{}'", kind_name(op.kind), op.name);
  if (const auto shape = weight_shape(op.kind, op.in_shape))
    require_length("weights of " + name, weights.values.size(), elements(*shape));
  if (!std::holds_alternative<BatchNorm2d>(op.kind)) return;
  if (!weights.values.empty()) require_length("scales of " + name, weights.values.size(), op.in_shape[0]);
  if (!weights.running_var.empty())
    require_length("running variances of " + name, weights.running_var.size(), op.in_shape[0]);
}

void require_lengths(const Network& network, const NetworkWeights& weights,
                     const std::vector<std::vector<double>>& inputs, std::span<const double> loss_gradient) {
  const std::vector<Operator>& operators = network.operators();
  const std::vector<std::size_t>& links = network.links();
  if (weights.size() != operators.size()) {
    throw std::invalid_argument(
        fmt::format("weights of {} operators, accepted are those of {}", weights.size(), operators.size()));
  }
  if (inputs.size() != links.size() + 1) {
    throw std::invalid_argument(
        fmt::format("{} activations, accepted are the inputs of {} links and the output", inputs.size(), links.size()));
  }
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Operator& op = operators[links[i]];
    require_weights(op, weights[links[i]]);
    require_length(fmt::format("input of {} '{}'", kind_name(op.kind), op.name), inputs[i].size(),
                   elements(op.in_shape));
  }
  const std::size_t output = elements(operators.back().out_shape);
  require_length("output of the network", inputs.back().size(), output);
  require_length("loss gradient", loss_gradient.size(), output);
}

/// d_i of the rule for the deviation, from d_{i+1} and the gradients.
std::vector<double> squares_before(const Operator& op, const OperatorWeights& weights, std::span<const double> x,
                                   std::span<const double> squares, std::span<const double> upstream,
                                   std::span<const double> gradient) {
  std::vector<double> result = hand_back(op, weights, x, squares, PassKind::square);
  raise_to_terms(op, weights, x, upstream, result);
  for (std::size_t k = 0; k < result.size(); ++k) result[k] = std::max(result[k], gradient[k] * gradient[k]);
  return result;
}

std::vector<double> deviation_of(const std::vector<double>& squares) {
  std::vector<double> deviation;
  deviation.reserve(squares.size());
  for (const double square : squares) deviation.push_back(std::sqrt(square) + kSmallest);
  return deviation;
}

}  // namespace

DirectGradients direct_backprop(const Network& network, const NetworkWeights& weights,
                                const std::vector<std::vector<double>>& inputs, std::span<const double> loss_gradient) {
  require_lengths(network, weights, inputs, loss_gradient);
  const std::size_t links = network.links().size();
  const std::vector<std::vector<double>> empty(links + 1);
  DirectGradients result{empty, empty, empty};
  std::vector<double> absolute;  // the magnitude without cancellation and underflow
  for (const double value : loss_gradient) absolute.push_back(std::fabs(value));
  result.gradient[links].assign(loss_gradient.begin(), loss_gradient.end());
  result.magnitude[links] = absolute;
  for (double& value : result.magnitude[links]) value += kSmallest;
  std::vector<double> squares;
  for (const double value : loss_gradient) squares.push_back(value * value);
  result.deviation[links] = deviation_of(squares);
  double nearer_to_loss = 0;  // the sum of all magnitudes so far
  for (std::size_t i = links; i-- > 0;) {
    const Operator& op = network.operators()[network.links()[i]];
    const OperatorWeights& mine = weights[network.links()[i]];
    const std::vector<double>& before = result.magnitude[i + 1];
    nearer_to_loss = std::accumulate(before.begin(), before.end(), nearer_to_loss);
    result.gradient[i] = hand_back(op, mine, inputs[i], result.gradient[i + 1], PassKind::gradient);
    result.magnitude[i] = hand_back(op, mine, inputs[i], before, PassKind::magnitude);
    add_cancellation(op, mine, inputs[i], absolute, result.magnitude[i]);
    for (double& value : result.magnitude[i]) value += kSmallest * std::max(1.0, nearer_to_loss);
    absolute = hand_back(op, mine, inputs[i], absolute, PassKind::magnitude);
    squares = squares_before(op, mine, inputs[i], squares, result.gradient[i + 1], result.gradient[i]);
    result.deviation[i] = deviation_of(squares);
  }
  return result;
}

}  // namespace upsweep
