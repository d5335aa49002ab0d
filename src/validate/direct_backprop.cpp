#include "upsweep/validate/direct_backprop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "direct_operators.hpp"
#include "upsweep/base/rounding.hpp"
#include "upsweep/jacobian/forward.hpp"

namespace upsweep {
namespace {

void require_length(const std::string& what, std::size_t found, std::size_t wanted) {
  if (found != wanted) throw std::invalid_argument(fmt::format("{}: {} numbers, accepted are {}", what, found, wanted));
}

void require_weights(const Operator& op, const OperatorWeights& weights) {
  const std::string name = fmt::format("{} '{}'", kind_name(op.kind), op.name);
  if (const auto shape = weight_shape(op.kind, op.in_shape))
    require_length("weights of " + name, weights.values.size(), elements(*shape));
  const OperatorParameters parameters = parameters_of(op.kind, op.in_shape);
  if (parameters.statistics == 0) return;
  if (!weights.values.empty()) require_length("scales of " + name, weights.values.size(), parameters.scales);
  if (!weights.running_var.empty())
    require_length("running variances of " + name, weights.running_var.size(), parameters.statistics);
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
    const ChainLink& link = network.link(i);
    for (const std::size_t o : link.operators) require_weights(operators[o], weights[o]);
    const Operator& op = operators[link.output()];
    require_length(
        fmt::format("input of {}{} '{}'", link.is_block ? "the block that ends in " : "", kind_name(op.kind), op.name),
        inputs[i].size(), elements(network.shape_of(link.input)));
  }
  const std::size_t output = elements(operators.back().out_shape);
  require_length("output of the network", inputs.back().size(), output);
  require_length("loss gradient", loss_gradient.size(), output);
}

/// What back-propagation knows of an activation. Shapes: its elements each; all empty before anything is handed to it.
struct Handed {
  std::vector<double> gradient;
  std::vector<double> magnitude;
  std::vector<double> absolute;  ///< the magnitude without cancellation and underflow
  std::vector<double> squares;   ///< of the deviation
};

/// The sum of what two readers of an activation hand back.
void add(Handed& sum, Handed part) {
  if (sum.gradient.empty()) {
    sum = std::move(part);
    return;
  }
  for (std::size_t k = 0; k < sum.gradient.size(); ++k) {
    sum.gradient[k] += part.gradient[k];
    sum.magnitude[k] += part.magnitude[k];
    sum.absolute[k] += part.absolute[k];
    // The errors come from one join and may be the same ones: their deviations add up, not the squares (Minkowski's
    // inequality holds for any dependence).
    const double deviation = std::sqrt(sum.squares[k]) + std::sqrt(part.squares[k]);
    sum.squares[k] = deviation * deviation;
  }
}

/// The `count` elements from `first` on.
Handed slice(const Handed& whole, std::size_t first, std::size_t count) {
  const auto part = [&](const std::vector<double>& from) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  return {part(whole.gradient), part(whole.magnitude), part(whole.absolute), part(whole.squares)};
}

Handed through_operator(const Operator& op, const OperatorWeights& weights, std::span<const double> x,
                        const Handed& upstream) {
  Handed result{hand_back(op, weights, x, upstream.gradient, PassKind::gradient),
                hand_back(op, weights, x, upstream.magnitude, PassKind::magnitude),
                hand_back(op, weights, x, upstream.absolute, PassKind::magnitude),
                hand_back(op, weights, x, upstream.squares, PassKind::square)};
  add_cancellation(op, weights, x, upstream.absolute, result.magnitude);
  raise_to_terms(op, weights, x, upstream.gradient, result.squares);
  return result;
}

/// Back-propagation through the links, the last one first.
class BackwardPass {
 public:
  BackwardPass(const Network& network, const NetworkWeights& weights, std::span<const double> loss_gradient)
      : network_(network), weights_(weights) {
    for (const double value : loss_gradient) {
      at_.gradient.push_back(value);
      at_.absolute.push_back(std::fabs(value));
      at_.magnitude.push_back(std::fabs(value) + kSmallestProduct<float>);
      at_.squares.push_back(value * value);
    }
  }

  /// Of the input of the last link that was passed; before that, of the network's output.
  [[nodiscard]] const Handed& at() const { return at_; }

  void pass(const ChainLink& link, const std::vector<double>& input) {
    const std::vector<std::vector<double>> outputs = outputs_inside(link, input);
    const std::size_t first = link.operators.front();
    assert(link.output() == first + link.operators.size() - 1);  // their positions are in a row
    std::vector<Handed> inside(link.operators.size());
    inside.back() = std::move(at_);
    Handed entering;
    for (std::size_t k = inside.size(); k-- > 0;) {
      const Handed upstream = std::move(inside[k]);
      nearer_to_loss_ = std::accumulate(upstream.magnitude.begin(), upstream.magnitude.end(), nearer_to_loss_);
      std::size_t offset = 0;
      std::size_t which = 0;
      std::vector<std::span<const double>> read;
      for (const std::size_t source : network_.inputs_of(first + k))
        read.emplace_back(source == link.input ? input : outputs[source - first]);
      for (const std::size_t source : network_.inputs_of(first + k)) {
        const std::size_t count = elements(network_.shape_of(source));
        Handed& to = source == link.input ? entering : inside[source - first];
        add(to, through(first + k, read, which++, upstream, offset, count));
        offset += count;
      }
      // All readers of the operator before, or of what enters the link, have been passed.
      finish(k > 0 ? inside[k - 1] : entering);
    }
    at_ = std::move(entering);
  }

 private:
  /// Outputs of the operators of a link but the last one, which nothing inside reads.
  [[nodiscard]] std::vector<std::vector<double>> outputs_inside(const ChainLink& link,
                                                                const std::vector<double>& input) const {
    std::vector<std::vector<double>> outputs;
    for (std::size_t k = 0; k + 1 < link.operators.size(); ++k) {
      const std::size_t o = link.operators[k];
      std::vector<std::span<const double>> read;
      for (const std::size_t source : network_.inputs_of(o))
        read.emplace_back(source == link.input ? input : outputs[source - link.operators.front()]);
      outputs.push_back(forward(network_.operators()[o], weights_[o], read));
    }
    return outputs;
  }

  /// What operator `o` hands to one of its inputs: `count` elements, from `offset` on where it joins several.
  [[nodiscard]] Handed through(std::size_t o, std::span<const std::span<const double>> read, std::size_t which,
                               const Handed& upstream, std::size_t offset, std::size_t count) const {
    const Operator& op = network_.operators()[o];
    if (joins_parts(op.kind)) return slice(upstream, offset, count);
    if (is_join(op.kind) || is_view(op.kind)) return upstream;
    if (is_mixing(op.kind)) {
      const auto handed = [&](const std::vector<double>& from, PassKind pass) {
        return hand_back(op, weights_[o], read, which, from, pass);
      };
      return {handed(upstream.gradient, PassKind::gradient), handed(upstream.magnitude, PassKind::magnitude),
              handed(upstream.absolute, PassKind::magnitude), handed(upstream.squares, PassKind::square)};
    }
    return through_operator(op, weights_[o], read[0], upstream);
  }

  void finish(Handed& at) const {
    for (std::size_t k = 0; k < at.gradient.size(); ++k) {
      at.magnitude[k] += kSmallestProduct<float> * std::max(1.0, nearer_to_loss_);
      at.squares[k] = std::max(at.squares[k], at.gradient[k] * at.gradient[k]);
    }
  }

  const Network& network_;
  const NetworkWeights& weights_;
  Handed at_;
  double nearer_to_loss_ = 0;  // the sum of all magnitudes so far
};

std::vector<double> deviation_of(const std::vector<double>& squares) {
  std::vector<double> deviation;
  deviation.reserve(squares.size());
  for (const double square : squares) deviation.push_back(std::sqrt(square) + kSmallestProduct<float>);
  return deviation;
}

}  // namespace

DirectGradients direct_backprop(const Network& network, const NetworkWeights& weights,
                                const std::vector<std::vector<double>>& inputs, std::span<const double> loss_gradient) {
  require_lengths(network, weights, inputs, loss_gradient);
  const std::size_t links = network.links().size();
  const std::vector<std::vector<double>> empty(links + 1);
  DirectGradients result{empty, empty, empty};
  BackwardPass backward(network, weights, loss_gradient);
  for (std::size_t i = links + 1; i-- > 0;) {
    if (i < links) backward.pass(network.link(i), inputs[i]);
    result.gradient[i] = backward.at().gradient;
    result.magnitude[i] = backward.at().magnitude;
    result.deviation[i] = deviation_of(backward.at().squares);
  }
  return result;
}

}  // namespace upsweep
