#include "upsweep/network/network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "network_graph.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

/// Shape of what an operator of these inputs gives. Throws OperatorError.
Shape shape_after(const OperatorSpec& spec, std::size_t index, const std::vector<Shape>& in) {
  try {
    Shape out = infer_shape(spec.kind, in);
    if (elements(out) > kMaxElements) {
      throw std::invalid_argument(fmt::format("its output {} has {} elements, accepted are at most {}",
                                              upsweep::to_string(out), elements(out), kMaxElements));
    }
    const auto weight = weight_shape(spec.kind, in[0]);
    if (weight && elements(*weight) > kMaxElements) {
      throw std::invalid_argument(fmt::format("its weight {} has {} elements, accepted are at most {}",
                                              upsweep::to_string(*weight), elements(*weight), kMaxElements));
    }
    return out;
  } catch (const CountOverflow&) {
    throw OperatorError(index, fmt::format("{}: the product of its sizes exceeds 64 bits, its input is {}", label(spec),
                                           upsweep::to_string(in[0])));
  } catch (const std::invalid_argument& error) {
    throw OperatorError(index, fmt::format("{}: {}", label(spec), error.what()));
  }
}

}  // namespace

Network::Network(Shape input, const std::vector<OperatorSpec>& specs) : input_(std::move(input)) {
  if (specs.empty()) throw std::invalid_argument("the list of operators is empty, accepted is at least one operator");
  const NetworkGraph graph(specs);
  std::vector<std::size_t> position(specs.size());  // in operators(), by place in the list
  for (const std::size_t i : graph.order()) {
    position[i] = operators_.size();
    std::vector<std::size_t> inputs;
    std::vector<Shape> in;
    for (const std::size_t source : graph.inputs(i)) {
      inputs.push_back(source == kNetworkInput ? kNetworkInput : position[source]);
      in.push_back(shape_of(inputs.back()));
    }
    Shape out = shape_after(specs[i], i, in);
    operators_.push_back({specs[i].name, specs[i].kind, in[0], std::move(out)});
    inputs_.push_back(std::move(inputs));
  }
  // Between two articulation points in a row stand the operators of a link, whatever the order.
  std::size_t next = 0;
  std::size_t before = kNetworkInput;
  for (const std::size_t i : graph.articulation_points()) {
    ChainLink link;
    link.input = std::exchange(before, position[i]);
    for (; next <= position[i]; ++next) link.operators.push_back(next);
    link.is_block = link.operators.size() > 1 || inputs_[position[i]].size() > 1;
    if (!link.is_block && is_view(operators_[position[i]].kind)) continue;
    links_.push_back(position[i]);
    chain_.push_back(std::move(link));
  }
  if (links_.empty()) {
    throw std::invalid_argument(
        "all operators are views (flatten, dropout), accepted is at least one operator with a Jacobian");
  }
}

bool Network::has_blocks() const {
  return std::any_of(chain_.begin(), chain_.end(), [](const ChainLink& link) { return link.is_block; });
}

void require_no_blocks(const Network& network, const std::string& what) {
  for (std::size_t i = 0; i < network.links().size(); ++i) {
    if (!network.link(i).is_block) continue;
    const std::size_t output = network.link(i).output();
    const Operator& op = network.operators()[output];
    throw OperatorError(output, fmt::format("{} '{}' joins branches, accepted for {} are networks without",
                                            kind_name(op.kind), op.name, what));
  }
}

}  // namespace upsweep
