#include "upsweep/onnx/torch_operators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "torch_call.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

std::vector<TorchOperator> sorted_operators() {
  std::vector<TorchOperator> all;
  for (auto part : {torch_functions(), torch_groups(), torch_windows(), torch_products(), torch_moves()})
    all.insert(all.end(), part.begin(), part.end());
  std::ranges::sort(all, {}, [](const TorchOperator& one) { return std::string_view(one.name); });
  return all;
}

/// Lowers a list of operators, one after the other.
class ListLowering {
 public:
  ListLowering(const Shape& input, const std::vector<ListedOperator>& list) : list_(list), builder_(network_, true) {
    builder_.set_input(input);
    values_[kInputName] = activation(input, kInputName);
  }

  LoweredOperators run() {
    std::vector<OperatorSpec> specs;
    std::set<std::string> names;
    for (const ListedOperator& one : list_) {
      specs.push_back(one.spec);
      if (one.torch != nullptr) specs.back().called = one.torch->name;
      names.insert(one.spec.name);
    }
    const std::vector<std::size_t> order = dependency_order(specs);
    builder_.reserve(std::move(names));
    for (const std::size_t i : order) {
      const std::string label = this->label(list_[i]);
      try {
        lower(i, label);
      } catch (const CountOverflow& error) {
        throw OperatorError(i, fmt::format("{}: {}", label, error.what()));
      } catch (const std::invalid_argument& error) {
        throw OperatorError(i, fmt::format("{}: {}", label, error.what()));
      }
    }
    return {std::move(network_.specs), std::move(network_.weights), std::move(entries_)};
  }

 private:
  static std::string label(const ListedOperator& one) {
    return fmt::format("{} '{}'", one.torch != nullptr ? one.torch->name : kind_name(one.spec.kind), one.spec.name);
  }
  /// An activation with the batch in front.
  static OnnxValue activation(Shape shape, const std::string& name) {
    shape.insert(shape.begin(), 1);
    return {std::move(shape), {}, {name}};
  }
  static Shape without_batch(const Shape& dims) { return {dims.begin() + 1, dims.end()}; }

  [[nodiscard]] std::vector<OnnxValue> inputs_of(std::size_t i) const {
    const auto& stated = list_[i].spec.inputs;
    if (!stated) return {values_.at(i == 0 ? std::string(kInputName) : list_[i - 1].spec.name)};
    std::vector<OnnxValue> inputs;
    for (const std::string& name : *stated) inputs.push_back(values_.at(name));
    return inputs;
  }

  /// The operator under PyTorch's name that an entry is: also one of a kind that does not take inputs of these shapes.
  [[nodiscard]] static const TorchOperator* torch_of(const ListedOperator& one, const std::vector<OnnxValue>& inputs) {
    if (one.torch != nullptr) return one.torch;
    std::vector<Shape> shapes;
    for (const OnnxValue& input : inputs) shapes.push_back(without_batch(input.dims));
    try {
      static_cast<void>(infer_shape(one.spec.kind, shapes));
      return nullptr;
    } catch (const std::invalid_argument&) {
      return inputs.size() > 1 ? find_torch_operator(kind_name(one.spec.kind)) : nullptr;
    }
  }

  void lower(std::size_t i, const std::string& label) {
    const ListedOperator& one = list_[i];
    std::vector<OnnxValue> inputs = inputs_of(i);
    builder_.start_node(label, one.spec.name);
    const TorchOperator* torch = torch_of(one, inputs);
    OnnxValue value = torch != nullptr ? lower_torch(*torch, one, std::move(inputs)) : add_kind(one, inputs);
    values_.insert_or_assign(one.spec.name, std::move(value));
    entries_.resize(network_.specs.size(), i);
  }

  OnnxValue add_kind(const ListedOperator& one, std::vector<OnnxValue>& inputs) {
    std::vector<std::string> names;
    for (OnnxValue& input : inputs) names.push_back(builder_.source(input, without_batch(input.dims)));
    const std::string name = builder_.add(one.spec.kind, names);
    return activation(builder_.shape_of(name), name);
  }

  OnnxValue lower_torch(const TorchOperator& torch, const ListedOperator& one, std::vector<OnnxValue> inputs) {
    if (inputs.size() < torch.least_inputs || inputs.size() > torch.most_inputs) {
      throw std::invalid_argument(fmt::format("it reads {} activations, accepted are {}{}", inputs.size(),
                                              torch.least_inputs,
                                              torch.most_inputs > torch.least_inputs ? " or more" : ""));
    }
    const std::size_t before = network_.specs.size();
    TorchCall call{one.arguments, std::move(inputs), builder_};
    OnnxValue value = torch.lower(call);
    value.producer.clear();
    while (value.dims.size() < 2 || value.dims[0] != 1) value.dims.insert(value.dims.begin(), 1);
    const Shape shape = without_batch(value.dims);
    if (network_.specs.size() == before && !value.map && value.sources.size() == 1) {
      value.sources = {builder_.add(shape.size() == 1 ? OperatorKind(Flatten{}) : Reshape{shape}, value.sources)};
    } else {
      value.sources = {builder_.materialise(value, shape)};
    }
    return value;
  }

  const std::vector<ListedOperator>& list_;
  OnnxNetwork network_;
  NetworkBuilder builder_;
  std::unordered_map<std::string, OnnxValue> values_;
  std::vector<std::size_t> entries_;
};

}  // namespace

std::span<const TorchOperator> torch_operators() {
  static const std::vector<TorchOperator> all = sorted_operators();
  return all;
}

const TorchOperator* find_torch_operator(const std::string& name) {
  const auto all = torch_operators();
  const auto found = std::ranges::find(all, name, &TorchOperator::name);
  return found == all.end() ? nullptr : &*found;
}

LoweredOperators lower_operators(const Shape& input, const std::vector<ListedOperator>& list) {
  return ListLowering(input, list).run();
}

}  // namespace upsweep
