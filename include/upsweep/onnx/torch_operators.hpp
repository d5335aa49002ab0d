#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "upsweep/network/network.hpp"
#include "upsweep/network/weights.hpp"

namespace upsweep {

// Operators under PyTorch's names, as model files have them: each is lowered like the nodes of ONNX files, to one or
// several of the kinds that there are. Axes are counted as PyTorch does, the batch being 0.

/// What an argument takes.
enum class TorchType : std::uint8_t {
  integer,
  integers,  ///< one, or a list
  number,
  numbers,  ///< one, or a list
  flag,
  text
};

/// By TorchType: integer; integers; number; numbers; flag; text.
using TorchValue =
    std::variant<std::int64_t, std::vector<std::int64_t>, double, std::vector<double>, bool, std::string>;

/// What a model file says of an operator, by argument.
using TorchArguments = std::map<std::string, TorchValue>;

struct TorchArgument {
  const char* key;  ///< PyTorch's, but `kernel`
  TorchType type;
  bool is_required = false;
};

struct TorchCall;
struct OnnxValue;

/// An operator of the table.
struct TorchOperator {
  const char* name;                      ///< of torch or torch.nn.functional
  std::vector<TorchArgument> arguments;  ///< those that are modelled
  OnnxValue (*lower)(TorchCall& call);
  std::size_t least_inputs = 1;
  std::size_t most_inputs = 1;
};

/// All of them, by name.
[[nodiscard]] std::span<const TorchOperator> torch_operators();

/// The operator of a name, or null.
[[nodiscard]] const TorchOperator* find_torch_operator(const std::string& name);

/// An entry of a list of operators: one of OperatorKind, or one under PyTorch's name.
struct ListedOperator {
  OperatorSpec spec;                     ///< of the latter its name and inputs alone
  const TorchOperator* torch = nullptr;  ///< null: the kind of `spec`
  TorchArguments arguments = {};
};

/// What a list of operators became.
struct LoweredOperators {
  std::vector<OperatorSpec> specs;
  NetworkWeights constants;        ///< by operator: numbers that the list states
  std::vector<std::size_t> entry;  ///< by operator: its place in the list
};

/// Makes operators of the entries. The one that does an entry's work has its name, others have it with a suffix.
///
/// `input`: the shape of one sample. Throws OperatorError with the place of the entry that is wrong.
[[nodiscard]] LoweredOperators lower_operators(const Shape& input, const std::vector<ListedOperator>& list);

}  // namespace upsweep
