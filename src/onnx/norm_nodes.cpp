#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "importer.hpp"

namespace upsweep {
namespace {

using Values = std::vector<OnnxValue>;

/// Scale and shift of a normalisation in evaluation mode, as numbers per channel; empty where they are unknown.
struct NormNumbers {
  std::vector<double> scale, shift, mean, variance;
};

/// Takes a normalisation into the operator before it.
bool fold_norm(const OnnxValue& value, const NormNumbers& norm, double eps, NetworkBuilder& builder) {
  if (value.producer.empty()) return false;
  OperatorSpec& spec = builder.spec(value.producer);
  OperatorWeights& weights = builder.weights(value.producer);
  const bool has_bias = std::visit(
      [](auto& kind) {
        if constexpr (requires { kind.bias; }) {
          kind.bias = true;
          return true;
        } else {
          return false;
        }
      },
      spec.kind);
  if (!has_bias || weights.values.empty() || norm.scale.empty()) return has_bias;
  const std::size_t each = weights.values.size() / norm.scale.size();
  weights.bias.resize(norm.scale.size());
  for (std::size_t c = 0; c < norm.scale.size(); ++c) {
    const double factor = norm.scale[c] / std::sqrt(norm.variance[c] + eps);
    for (std::size_t i = c * each; i < (c + 1) * each; ++i) weights.values[i] *= factor;
    weights.bias[c] = (weights.bias[c] - norm.mean[c]) * factor + norm.shift[c];
  }
  return true;
}

template <bool folds>
Values batch_norm(OnnxNode& node, NetworkBuilder& builder) {
  OnnxValue value = node.input(0);
  if (value.rank() < 2 || value.dims[0] != 1) {
    throw std::invalid_argument(
        fmt::format("an input of shape {}, accepted is [1, channels, ...]", to_string(value.dims)));
  }
  if (node.integer("training_mode", 0) != 0)
    throw std::invalid_argument("training_mode, accepted is that of evaluation");
  const std::uint64_t channels = value.dims[1];
  for (std::size_t k = 1; k < 5; ++k) {
    if (node.constant(k).dims != Shape{channels}) {
      throw std::invalid_argument(
          fmt::format("constants of shape {} of {} channels", to_string(node.constant(k).dims), channels));
    }
  }
  const NormNumbers norm{builder.numbers_of(node.constant(1)), builder.numbers_of(node.constant(2)),
                         builder.numbers_of(node.constant(3)), builder.numbers_of(node.constant(4))};
  const double eps = node.number("epsilon", 1e-5);
  if (folds && fold_norm(value, norm, eps, builder)) {
    value.producer.clear();
    return {value};
  }
  const std::uint64_t plane = elements(value.dims) / channels;
  Shape image = {channels, 1, plane};
  if (value.rank() == 4) image = {channels, value.dims[2], value.dims[3]};
  const std::string from = builder.source(value, image);
  OperatorWeights weights{{}, norm.scale, norm.shift, norm.mean, norm.variance};
  return {{value.dims, {}, {builder.add(BatchNorm2d{eps}, {from}, std::move(weights))}}};
}

}  // namespace

const LoweringTable& norm_lowerings() {
  static const LoweringTable table = {{"BatchNormalization", batch_norm<true>},
                                      {"BatchNormalization without folding", batch_norm<false>}};
  return table;
}

}  // namespace upsweep
