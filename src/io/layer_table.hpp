#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/network/network.hpp"
#include "upsweep/onnx/import.hpp"

namespace upsweep {

/// Other names of operators, of the tensors that they come from; empty where there is none.
using OperatorAliases = std::vector<std::string>;

/// A share in [0, 1] for each of some operators with a weight, from a table of percents.
struct LayerShares {
  std::vector<std::pair<std::size_t, double>> of;  ///< places in operators()
  bool is_kept = false;  ///< of what stays (the column's name has 'kept' or 'density' or 'activation' in it), else of
                         ///< what is pruned
};

/// Reads a column of a table of layers. A row named 'total' is passed over.
///
/// Rows are found by the names of operators or by their aliases, each row and each operator with a weight once; or, in
/// the order of the network, one after the other. Throws InputError that names the file, and the row.
[[nodiscard]] LayerShares read_layer_shares(const Network& network, const OperatorAliases& aliases,
                                            const BudgetFile& budget, const char* usual_column);

}  // namespace upsweep
