#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/network/network.hpp"
#include "upsweep/profile/convention.hpp"

namespace upsweep {

/// The module of an operator: the first `depth` >= 1 parts of its name, parts ending at dots and slashes. Parts that
/// repeat those before them, as exporters write "layer1/layer1.0/conv1", count once.
[[nodiscard]] std::string module_of(const std::string& name, std::size_t depth);

/// A sum over operators by one convention.
struct SummedCosts {
  Costs costs;                ///< of the operators whose numbers are known; nothing where there is none
  std::uint64_t unknown = 0;  ///< operators of which a number is not known
};

/// Operators that a name has in common.
struct ModuleCosts {
  std::string name;
  std::uint64_t operators = 0;
  std::vector<SummedCosts> costs = {};  ///< by convention of the table
};

/// What conventions count of a network. Parameters are those of the network, all else is of a whole batch.
struct CostTable {
  std::uint64_t batch = 1;
  unsigned value_bytes = 4;
  std::size_t module_depth = 1;
  std::vector<const Convention*> conventions = {};
  std::vector<std::vector<OperatorCosts>> operators = {};  ///< by convention, then by operator of the network
  std::vector<std::string> modules = {};                   ///< by operator of the network
  std::vector<ModuleCosts> by_module = {};                 ///< in the order in which they begin
  std::vector<SummedCosts> totals = {};                    ///< by convention
  /// By convention: kinds of operators of which this program counts FLOPs and the convention nothing.
  std::vector<std::vector<std::string>> left_out = {};
};

/// Counts a network by conventions. Throws CountOverflow.
[[nodiscard]] CostTable count_costs(const Network& network, std::vector<const Convention*> by, std::uint64_t batch,
                                    unsigned value_bytes, std::size_t module_depth);

}  // namespace upsweep
