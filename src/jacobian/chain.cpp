#include "upsweep/jacobian/chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "upsweep/base/checked.hpp"
#include "upsweep/jacobian/forward.hpp"

namespace upsweep {
namespace {

/// Memory that grows with the sizes alone: the row table, and the tables of windows along the axes.
double size_memory(const Operator& op) {
  constexpr double kPerPosition = 64;
  double positions = 0;
  for (const Shape* shape : {&op.in_shape, &op.out_shape}) {
    if (shape->size() == 3) positions += static_cast<double>((*shape)[1]) + static_cast<double>((*shape)[2]);
  }
  return static_cast<double>(elements(op.in_shape)) * sizeof(Row) + positions * kPerPosition;
}

/// About the memory of the entries of a guaranteed pattern, as lists or as bitmaps, whichever is smaller, and of making
/// them.
double entry_memory(const Operator& op, const OperatorWeights& weights) {
  const auto rows = static_cast<double>(elements(op.in_shape));
  const auto cols = static_cast<double>(elements(op.out_shape));
  if (std::holds_alternative<Linear>(op.kind) && weights.kept.empty()) return cols / 8;  // one row, shared
  double share = 1;
  if (!weights.kept.empty()) {
    const auto kept = std::count_if(weights.kept.begin(), weights.kept.end(), [](std::uint8_t k) { return k != 0; });
    share = static_cast<double>(kept) / static_cast<double>(weights.kept.size());
  }
  // While its rows are made, a convolution or masked linear also lists its nonzero weights, 8 bytes each.
  const auto shape = weight_shape(op.kind, op.in_shape);
  const double weight_list = shape ? 8 * share * static_cast<double>(elements(*shape)) : 0;
  const double nnz = share * static_cast<double>(unpruned_nnz(op));
  return std::min(nnz * sizeof(Index), rows * cols / 8) + weight_list;
}

std::vector<std::shared_ptr<const Pattern>> patterns_if(const Network& network, const NetworkWeights& weights,
                                                        bool also_input_dependent) {
  std::vector<std::shared_ptr<const Pattern>> patterns(network.operators().size());
  for (const std::size_t o : network.links()) {
    const Operator& op = network.operators()[o];
    if (also_input_dependent || !depends_on_input(op.kind)) {
      patterns[o] = std::make_shared<Pattern>(guaranteed_pattern(op, weights[o]));
    }
  }
  return patterns;
}

/// The links in scan order: last operator first.
JacobianChain in_scan_order(const Network& network, const std::vector<std::shared_ptr<const Pattern>>& patterns) {
  JacobianChain chain;
  const auto& links = network.links();
  chain.gradient_length = elements(network.operators()[links.back()].out_shape);
  for (const std::size_t link : links) chain.jacobians.push_back(patterns[link]);
  std::reverse(chain.jacobians.begin(), chain.jacobians.end());
  check_chain(chain);
  return chain;
}

}  // namespace

void require_pattern_memory(const Network& network, const NetworkWeights& weights, std::uint64_t memory_limit) {
  const auto available = static_cast<double>(memory_limit);
  double total = 0;
  for (const std::size_t o : network.links()) {
    const Operator& op = network.operators()[o];
    total += size_memory(op);
    // The sizes come first: counting entries needs the tables of windows.
    if (total <= available) total += entry_memory(op, weights[o]);
    if (total <= available) continue;
    constexpr double kGiB = 1 << 30;
    throw OperatorError(o,
                        fmt::format("{} '{}': the Jacobian patterns up to here need about {:.1f} GiB, accepted is at "
                                    "most {:.1f} GiB",
                                    kind_name(op.kind), op.name, total / kGiB, available / kGiB));
  }
}

void check_chain(const JacobianChain& chain) {
  if (chain.jacobians.empty()) throw std::invalid_argument("the chain has no Jacobian, expected at least one");
  std::uint64_t size = chain.gradient_length;
  for (std::size_t i = 0; i < chain.jacobians.size(); ++i) {
    const Pattern& pattern = *chain.jacobians[i];
    if (pattern.cols() != size) {
      throw std::invalid_argument(
          fmt::format("a[{}] is {} x {}, expected {} columns, the length of what stands before it", i + 1,
                      pattern.rows(), pattern.cols(), size));
    }
    size = pattern.rows();
  }
}

JacobianChain guaranteed_chain(const Network& network, const NetworkWeights& weights) {
  return in_scan_order(network, patterns_if(network, weights, true));
}

SampleChains::SampleChains(const Network& network, const NetworkWeights& weights)
    : network_(network), weights_(weights) {
  fixed_ = patterns_if(network, weights, false);
}

JacobianChain SampleChains::at(std::span<const double> x) const {
  std::vector<std::shared_ptr<const Pattern>> patterns = fixed_;
  const std::vector<std::vector<double>> inputs = link_inputs(network_, weights_, x);
  for (std::size_t link = 0; link < network_.links().size(); ++link) {
    const std::size_t o = network_.links()[link];
    const Operator& op = network_.operators()[o];
    if (depends_on_input(op.kind)) {
      patterns[o] = std::make_shared<Pattern>(sample_pattern(op, weights_[o], inputs[link]));
    }
  }
  return in_scan_order(network_, patterns);
}

}  // namespace upsweep
