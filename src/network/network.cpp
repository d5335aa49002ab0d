#include "upsweep/network/network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/graph/adjacency_list.hpp>
#include <unordered_map>
#include <utility>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

// Vertex 0 is the network's input, vertex i + 1 operator i; an edge is an activation.
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
using Vertex = Graph::vertex_descriptor;
constexpr Vertex kInput = 0;

std::string label(const OperatorSpec& spec) { return fmt::format("{} '{}'", kind_name(spec.kind), spec.name); }

Graph build_graph(const std::vector<OperatorSpec>& specs) {
  std::unordered_map<std::string, std::size_t> position;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const auto [first, inserted] = position.emplace(specs[i].name, i);
    if (!inserted) {
      throw OperatorError(i, fmt::format("{}: the name is used twice, first by operator {}; accepted are unique names",
                                         label(specs[i]), first->second + 1));
    }
  }
  Graph graph(specs.size() + 1);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!specs[i].inputs) {
      boost::add_edge(i, i + 1, graph);
      continue;
    }
    for (const std::string& input : *specs[i].inputs) {
      const auto source = position.find(input);
      if (source == position.end()) {
        throw OperatorError(i, fmt::format("{}: its input '{}' is not in the list, accepted are names of operators",
                                           label(specs[i]), input));
      }
      boost::add_edge(source->second + 1, i + 1, graph);
    }
  }
  return graph;
}

void refuse_branches(const Graph& graph, const std::vector<OperatorSpec>& specs) {
  const auto name = [&](Vertex v) { return v == kInput ? std::string("the network's input") : label(specs[v - 1]); };
  for (Vertex v = 0; v < boost::num_vertices(graph); ++v) {
    std::vector<std::string> others;
    if (boost::in_degree(v, graph) > 1) {
      for (auto [e, end] = boost::in_edges(v, graph); e != end; ++e) others.push_back(name(boost::source(*e, graph)));
      throw OperatorError(
          v - 1, fmt::format("{} reads {} activations ({}), accepted is one: networks with branches are not modelled",
                             name(v), others.size(), fmt::join(others, ", ")));
    }
    if (boost::out_degree(v, graph) > 1) {
      for (auto [e, end] = boost::out_edges(v, graph); e != end; ++e) others.push_back(name(boost::target(*e, graph)));
      throw OperatorError(
          v == kInput ? 0 : v - 1,
          fmt::format("{} feeds {} operators ({}), accepted is one: networks with branches are not modelled", name(v),
                      others.size(), fmt::join(others, ", ")));
    }
    if (v != kInput && boost::in_degree(v, graph) == 0) {
      throw OperatorError(v - 1, fmt::format("{} reads no activation, accepted is one", name(v)));
    }
  }
}

/// The operators from the input on; every vertex has at most one neighbour on each side.
std::vector<std::size_t> chain_order(const Graph& graph, const std::vector<OperatorSpec>& specs) {
  std::vector<std::size_t> order;
  Vertex at = kInput;
  while (boost::out_degree(at, graph) == 1) {
    at = boost::target(*boost::out_edges(at, graph).first, graph);
    order.push_back(at - 1);
  }
  if (order.size() == specs.size()) return order;
  std::vector<bool> reached(specs.size());
  for (const std::size_t i : order) reached[i] = true;
  std::size_t lost = 0;
  while (reached[lost]) ++lost;
  throw OperatorError(
      lost, fmt::format("{} cannot be reached from the network's input: it is part of a cycle", label(specs[lost])));
}

}  // namespace

Network::Network(Shape input, const std::vector<OperatorSpec>& specs) : input_(std::move(input)) {
  if (specs.empty()) throw std::invalid_argument("the list of operators is empty, accepted is at least one operator");
  const Graph graph = build_graph(specs);
  refuse_branches(graph, specs);
  Shape shape = input_;
  for (const std::size_t i : chain_order(graph, specs)) {
    const OperatorSpec& spec = specs[i];
    try {
      Shape out = infer_shape(spec.kind, shape);
      if (elements(out) > kMaxElements) {
        throw std::invalid_argument(fmt::format("its output {} has {} elements, accepted are at most {}",
                                                upsweep::to_string(out), elements(out), kMaxElements));
      }
      const auto weight = weight_shape(spec.kind, shape);
      if (weight && elements(*weight) > kMaxElements) {
        throw std::invalid_argument(fmt::format("its weight {} has {} elements, accepted are at most {}",
                                                upsweep::to_string(*weight), elements(*weight), kMaxElements));
      }
      if (!is_view(spec.kind)) links_.push_back(operators_.size());
      operators_.push_back({spec.name, spec.kind, std::exchange(shape, out), out});
    } catch (const CountOverflow&) {
      throw OperatorError(i, fmt::format("{}: the product of its sizes exceeds 64 bits, its input is {}", label(spec),
                                         upsweep::to_string(shape)));
    } catch (const std::invalid_argument& error) {
      throw OperatorError(i, fmt::format("{}: {}", label(spec), error.what()));
    }
  }
  if (links_.empty()) {
    throw std::invalid_argument(
        "all operators are views (flatten, dropout), accepted is at least one operator with a Jacobian");
  }
}

}  // namespace upsweep
