#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/network/operator.hpp"

namespace upsweep {

/// What a convention counts of an operator, of a module or of a network. Nothing where it has no such number.
struct Costs {
  std::optional<std::uint64_t> parameters = {};
  std::optional<std::uint64_t> forward_macs = {};
  std::optional<std::uint64_t> forward_flops = {};
  std::optional<std::uint64_t> input_gradient_flops = {};
  std::optional<std::uint64_t> weight_gradient_flops = {};
  std::optional<std::uint64_t> backward_flops = {};  ///< of both gradients
  std::optional<std::uint64_t> activation_bytes = {};

  friend bool operator==(const Costs&, const Costs&) = default;
};

/// A number of Costs with its names for programs and for people.
struct CostQuantity {
  const char* name;
  const char* head;
  bool is_bytes;
  std::optional<std::uint64_t> Costs::*count;
};

/// All of them, in the order of the members.
inline constexpr std::array<CostQuantity, 7> kCostQuantities = {{
    {"parameters", "parameters", false, &Costs::parameters},
    {"forward_macs", "forward MACs", false, &Costs::forward_macs},
    {"forward_flops", "forward FLOPs", false, &Costs::forward_flops},
    {"input_gradient_flops", "input gradient FLOPs", false, &Costs::input_gradient_flops},
    {"weight_gradient_flops", "weight gradient FLOPs", false, &Costs::weight_gradient_flops},
    {"backward_flops", "backward FLOPs", false, &Costs::backward_flops},
    {"activation_bytes", "activation bytes", true, &Costs::activation_bytes},
}};

/// An operator of a network as conventions see it.
struct CostedOperator {
  const Operator& op;
  std::vector<bool> has_gradient = {};  ///< by input, of a join two or more: back-propagation needs that gradient
  std::uint64_t readers = 1;            ///< operators that read its output, one that reads it twice counted twice
  bool output_has_gradient = true;
  std::uint64_t batch = 1;
  unsigned value_bytes = 4;
};

/// What a convention counts of an operator, or why it is not known here.
struct OperatorCosts {
  Costs costs = {};
  std::string unknown = {};  ///< why a number that the convention has is not among the costs; else empty
};

/// How a tool counts.
struct Convention {
  const char* name;    ///< of --convention
  const char* title;   ///< of its column
  const char* source;  ///< repository, files and commits that were read; empty: this program's own
  const char* rule;    ///< what its numbers mean and leave out, in sentences
  OperatorCosts (*costs)(const CostedOperator&);
  std::vector<std::optional<std::uint64_t> Costs::*> counts;  ///< the numbers that it has

  [[nodiscard]] bool has(std::optional<std::uint64_t> Costs::*count) const;
};

/// This program's own convention, then those of tools.
[[nodiscard]] const std::vector<Convention>& conventions();

/// The convention of a name, all of them for "all", none for another name.
[[nodiscard]] std::vector<const Convention*> find_conventions(std::string_view name);

/// The names that find_conventions() knows: "upsweep", ..., "all".
[[nodiscard]] std::vector<std::string> convention_names();

}  // namespace upsweep
