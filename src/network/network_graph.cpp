#include "network_graph.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/biconnected_components.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/graph/topological_sort.hpp>
#include <iterator>
#include <unordered_map>

namespace upsweep {
namespace {

// Vertex 0 is the network's input, vertex i + 1 operator i; an edge is an activation.
using DirectedGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using UndirectedGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;

std::size_t vertex_of(std::size_t i) { return i == kNetworkInput ? 0 : i + 1; }

template <class Graph>
Graph graph_of(const std::vector<std::vector<std::size_t>>& inputs) {
  Graph graph(inputs.size() + 1);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (const std::size_t source : inputs[i]) boost::add_edge(vertex_of(source), vertex_of(i), graph);
  }
  return graph;
}

/// Operators of the first strongly connected component with several, by place in the list; one that reads itself alone.
std::vector<std::size_t> first_cycle(const std::vector<std::vector<std::size_t>>& inputs) {
  const auto graph = graph_of<DirectedGraph>(inputs);
  std::vector<std::size_t> component(inputs.size() + 1);
  const std::size_t count = boost::strong_components(graph, component.data());
  std::vector<std::vector<std::size_t>> members(count);
  for (std::size_t i = 0; i < inputs.size(); ++i) members[component[i + 1]].push_back(i);
  std::vector<std::size_t> found;
  for (const std::vector<std::size_t>& group : members) {
    const bool reads_itself = group.size() == 1 && std::find(inputs[group[0]].begin(), inputs[group[0]].end(),
                                                             group[0]) != inputs[group[0]].end();
    if (group.size() < 2 && !reads_itself) continue;
    if (found.empty() || group[0] < found[0]) found = group;
  }
  return found;
}

}  // namespace

std::string label(const OperatorSpec& spec) {
  return fmt::format("{} '{}'", spec.called.empty() ? kind_name(spec.kind) : spec.called, spec.name);
}

NetworkGraph::NetworkGraph(const std::vector<OperatorSpec>& specs) {
  connect(specs);
  sort(specs);
  require_one_end(specs);
  find_articulation_points();
}

void NetworkGraph::connect(const std::vector<OperatorSpec>& specs) {
  std::unordered_map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const auto [first, inserted] = place.emplace(specs[i].name, i);
    if (!inserted) {
      throw OperatorError(i, fmt::format("{}: the name is used twice, first by operator {}; accepted are unique names",
                                         label(specs[i]), first->second + 1));
    }
  }
  const bool has_input_name = !place.emplace(kInputName, kNetworkInput).second;
  inputs_.resize(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!specs[i].inputs) {
      inputs_[i].push_back(i == 0 ? kNetworkInput : i - 1);
      continue;
    }
    for (const std::string& input : *specs[i].inputs) {
      if (has_input_name && input == kInputName) {
        throw OperatorError(i, fmt::format("{}: its input '{}' is the name of an operator and of the network's input, "
                                           "accepted is another name for the operator",
                                           label(specs[i]), input));
      }
      const auto source = place.find(input);
      if (source == place.end()) {
        throw OperatorError(i, fmt::format("{}: its input '{}' is not in the list, accepted are names of operators and "
                                           "'{}', the network's input",
                                           label(specs[i]), input, kInputName));
      }
      inputs_[i].push_back(source->second);
    }
    if (inputs_[i].empty()) {
      throw OperatorError(i, fmt::format("{} reads no activation, accepted is at least one", label(specs[i])));
    }
  }
}

void NetworkGraph::sort(const std::vector<OperatorSpec>& specs) {
  bool is_sorted = true;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    order_.push_back(i);
    for (const std::size_t source : inputs_[i]) is_sorted = is_sorted && (source == kNetworkInput || source < i);
  }
  if (is_sorted) return;
  order_.clear();
  std::vector<std::size_t> reversed;
  const auto graph = graph_of<DirectedGraph>(inputs_);
  try {
    boost::topological_sort(graph, std::back_inserter(reversed));
  } catch (const boost::not_a_dag&) {
    std::vector<std::string> names;
    const std::vector<std::size_t> cycle = first_cycle(inputs_);
    for (const std::size_t i : cycle) names.push_back(label(specs[i]));
    throw OperatorError(cycle.front(), fmt::format("{} is part of a cycle ({}), accepted are networks without",
                                                   names.front(), fmt::join(names, ", ")));
  }
  for (std::size_t k = reversed.size(); k-- > 0;) {
    if (reversed[k] != 0) order_.push_back(reversed[k] - 1);
  }
}

void NetworkGraph::require_one_end(const std::vector<OperatorSpec>& specs) const {
  std::vector<bool> is_read(specs.size());
  for (const std::vector<std::size_t>& inputs : inputs_) {
    for (const std::size_t source : inputs) {
      if (source != kNetworkInput) is_read[source] = true;
    }
  }
  for (const std::size_t i : order_) {
    if (is_read[i] || i == order_.back()) continue;
    throw OperatorError(i, fmt::format("{} ends nowhere: no operator reads it, and {} gives the network's output; "
                                       "accepted is one such operator",
                                       label(specs[i]), label(specs[order_.back()])));
  }
}

void NetworkGraph::find_articulation_points() {
  // Every operator lies on a path from the input to the output, so that what cuts the undirected graph lies on all of
  // them.
  std::vector<std::size_t> found;
  boost::articulation_points(graph_of<UndirectedGraph>(inputs_), std::back_inserter(found));
  std::vector<bool> is_cut(inputs_.size() + 1);
  for (const std::size_t vertex : found) is_cut[vertex] = true;
  is_cut[vertex_of(order_.back())] = true;
  for (const std::size_t i : order_) {
    if (is_cut[vertex_of(i)]) articulation_points_.push_back(i);
  }
}

}  // namespace upsweep
