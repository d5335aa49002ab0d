#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "upsweep/network/network.hpp"

namespace upsweep {

/// "kind 'name'", as errors call an operator.
[[nodiscard]] std::string label(const OperatorSpec& spec);

/// The operators of a list as a graph whose edges are activations. Operators are known by their place in the list.
class NetworkGraph {
 public:
  /// Throws OperatorError: a name used twice, an input that does not exist, an operator without input, a cycle, an
  /// output that nothing reads beside that of the last operator.
  explicit NetworkGraph(const std::vector<OperatorSpec>& specs);

  /// What operator i reads, in its order; kNetworkInput for the network's input.
  [[nodiscard]] const std::vector<std::size_t>& inputs(std::size_t i) const { return inputs_[i]; }

  /// All operators, each after those it reads: the list's order where that is one.
  [[nodiscard]] const std::vector<std::size_t>& order() const { return order_; }

  /// The operators whose output every path from the input to the output goes through, in the order of the data; the
  /// last one gives the network's output.
  [[nodiscard]] const std::vector<std::size_t>& articulation_points() const { return articulation_points_; }

 private:
  void connect(const std::vector<OperatorSpec>& specs);
  void sort(const std::vector<OperatorSpec>& specs);
  void require_one_end(const std::vector<OperatorSpec>& specs) const;
  void find_articulation_points();

  std::vector<std::vector<std::size_t>> inputs_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> articulation_points_;
};

}  // namespace upsweep
