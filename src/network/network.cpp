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
    if (is_mixing(specs[i].kind)) operators_.back().other_shapes.assign(in.begin() + 1, in.end());
    inputs_.push_back(std::move(inputs));
  }
  // Between two articulation points in a row stand the operators of a link, whatever the order.
  // Operators that only move elements are no links: they go with the next one.
  std::size_t next = 0;
  ChainLink link;
  for (const std::size_t i : graph.articulation_points()) {
    const std::size_t first = link.operators.size();
    for (; next <= position[i]; ++next) link.operators.push_back(next);
    link.is_block = link.operators.size() > 1 || inputs_[position[i]].size() > 1;
    const auto only = [&](const auto& copies) {
      return std::all_of(link.operators.begin(), link.operators.end(),
                         [&](std::size_t o) { return copies(operators_[o].kind); });
    };
    if (first == 0 && !link.is_block && is_view(operators_[position[i]].kind)) {
      link = {position[i], {}, false};
      continue;
    }
    if (only([](const OperatorKind& kind) { return is_view(kind) || is_moving(kind); })) continue;
    links_.push_back(position[i]);
    chain_.push_back(std::exchange(link, {position[i], {}, false}));
  }
  if (!link.operators.empty() && !chain_.empty()) {
    // What moves the last link's output belongs to it; views that were left out in between, too.
    ChainLink& last = chain_.back();
    while (last.operators.back() + 1 < operators_.size()) last.operators.push_back(last.operators.back() + 1);
    last.is_block = true;
    links_.back() = last.output();
  }
  if (links_.empty()) {
    throw std::invalid_argument(
        "all operators are views (flatten, dropout), accepted is at least one operator with a Jacobian");
  }
}

std::vector<std::size_t> dependency_order(const std::vector<OperatorSpec>& specs) {
  return NetworkGraph(specs).order();
}

bool Network::has_blocks() const {
  return std::any_of(chain_.begin(), chain_.end(), [](const ChainLink& link) { return link.is_block; });
}

void require_no_blocks(const Network& network, const std::string& what) {
  for (std::size_t o = 0; o < network.operators().size(); ++o) {
    const Operator& op = network.operators()[o];
    const bool is_vector_wise = structure_of(op.kind) == Structure::contraction && op.in_shape.size() > 1;
    if (is_vector_wise || is_mixing(op.kind) || std::holds_alternative<Scaling>(op.kind) ||
        std::holds_alternative<Shifting>(op.kind)) {
      throw OperatorError(o, fmt::format("{} '{}' takes {}, accepted for {} are operators of images and features",
                                         kind_name(op.kind), op.name, upsweep::to_string(op.in_shape), what));
    }
  }
  for (std::size_t i = 0; i < network.links().size(); ++i) {
    if (!network.link(i).is_block) continue;
    const std::size_t output = network.link(i).output();
    const Operator& op = network.operators()[output];
    throw OperatorError(output, fmt::format("{} '{}' joins branches, accepted for {} are networks without",
                                            kind_name(op.kind), op.name, what));
  }
}

}  // namespace upsweep
