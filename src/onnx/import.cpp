#include "upsweep/onnx/import.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "importer.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep {
namespace {

/// The oldest opset whose nodes are read as the newer ones are.
constexpr std::int64_t kOldestOpset = 7;

std::string label_of(const onnx::NodeProto& node, int place) {
  const std::string name = node.name().empty() ? fmt::format("{}", place + 1) : node.name();
  return fmt::format("node '{}' ({})", name, node.op_type());
}

/// Reads one graph.
class GraphImport {
 public:
  GraphImport(const std::string& path, const OnnxOptions& options, bool values)
      : path_(path),
        options_(options),
        file_(read_stored_model(path)),
        graph_(file_.model.graph()),
        readers_(graph_),
        builder_(network_, values) {}

  OnnxNetwork run() {
    read_opset();
    network_.name = std::filesystem::path(path_).stem().string();
    network_.facts.has_values = true;
    network_.facts.operators = static_cast<std::uint64_t>(graph_.node_size());
    read_initializers();
    check_stated_inputs();
    read_inputs();
    find_needed();
    const Fusions fusions = find_fusions(
        graph_, readers_, [&](const std::string& name) { return stated_number(name); },
        [&](const std::string& name) { return stated_constant(name) != nullptr; });
    for (const int n : order_) {
      if (fusions.inside.contains(n)) {
        ++network_.facts.counted;
        continue;
      }
      const std::string label = label_of(graph_.node(n), n);
      try {
        const auto fusion = fusions.at.find(n);
        builder_.start_node(label, graph_.node(n).name());
        fusion == fusions.at.end() ? read_node(n) : read_fusion(n, fusion->second);
      } catch (const CountOverflow& error) {
        throw fault(fmt::format("{}: {}", label, error.what()));
      } catch (const std::invalid_argument& error) {
        throw fault(fmt::format("{}: {}", label, error.what()));
      }
    }
    network_.facts.free = network_.facts.operators - network_.facts.counted;
    finish();
    return std::move(network_);
  }

 private:
  [[nodiscard]] InputError fault(const std::string& message) const { return InputError(path_ + ": " + message); }

  void read_opset() {
    for (const auto& opset : file_.model.opset_import()) {
      if (opset.domain().empty() || opset.domain() == "ai.onnx") network_.facts.opset = opset.version();
    }
    if (network_.facts.opset < kOldestOpset)
      throw fault(fmt::format("opset {}, accepted is {} or newer", network_.facts.opset, kOldestOpset));
  }

  void read_initializers() {
    const auto folder = std::make_shared<const std::string>(std::filesystem::path(path_).parent_path().string());
    for (int i = 0; i < graph_.initializer_size(); ++i) {
      const onnx::TensorProto& tensor = graph_.initializer(i);
      try {
        OnnxValue value{{}, tensor_of(tensor, folder)};
        if (const auto large = file_.large.find(i); large != file_.large.end()) value.constant->range = large->second;
        value.dims = value.constant->dims;
        if (!values_.emplace(tensor.name(), std::move(value)).second)
          throw std::invalid_argument("the name is used twice, accepted are unique names");
      } catch (const CountOverflow& error) {
        throw fault(fmt::format("tensor '{}': {}", tensor.name(), error.what()));
      } catch (const std::invalid_argument& error) {
        throw fault(fmt::format("tensor '{}': {}", tensor.name(), error.what()));
      }
    }
    folder_ = folder;
  }

  [[nodiscard]] Shape shape_of_input(const onnx::ValueInfoProto& input, bool is_data) const {
    if (const auto stated = options_.inputs.find(input.name()); stated != options_.inputs.end()) return stated->second;
    Shape shape;
    for (const auto& axis : input.type().tensor_type().shape().dim()) {
      if (axis.has_dim_value() && axis.dim_value() > 0) {
        shape.push_back(static_cast<std::uint64_t>(axis.dim_value()));
      } else if (is_data && shape.empty()) {
        shape.push_back(1);
      } else {
        throw fault(
            fmt::format("axis {} of input '{}' is dynamic ('{}'), accepted is a size: state the shape of this "
                        "input",
                        shape.size(), input.name(), axis.dim_param()));
      }
    }
    if (shape.empty() && is_data)
      throw fault(fmt::format("input '{}' has no shape, accepted is one: state it", input.name()));
    return shape;
  }

  /// Shapes are stated of inputs without numbers alone.
  void check_stated_inputs() const {
    std::set<std::string> names;
    for (const auto& input : graph_.input()) {
      if (!values_.contains(input.name())) names.insert(input.name());
    }
    for (const auto& [name, shape] : options_.inputs) {
      if (!names.contains(name))
        throw fault(fmt::format("it has no input '{}' without numbers, accepted are {}", name, fmt::join(names, ", ")));
    }
  }

  /// The first input that has no numbers is the network's; the others are weights that were left out.
  void read_inputs() {
    for (const auto& input : graph_.input()) {
      if (values_.contains(input.name())) continue;
      const bool is_data = input_.empty();
      OnnxValue value{shape_of_input(input, is_data)};
      if (elements(value.dims) > kMaxElements || elements(value.dims) == 0)
        throw fault(fmt::format("input '{}' has shape {}", input.name(), to_string(value.dims)));
      if (is_data) {
        input_ = input.name();
        Shape sample = value.dims;
        if (sample.size() > 1) {
          if (sample[0] != 1) {
            throw fault(fmt::format("input '{}' has shape {}, accepted is a batch of 1: state the shape of this input",
                                    input_, to_string(sample)));
          }
          sample.erase(sample.begin());
        }
        network_.input = sample;
        builder_.set_input(sample);
        value.sources = {kInputName};
      } else {
        value.constant = Tensor{value.dims};
        value.constant->name = input.name();
      }
      values_.emplace(input.name(), std::move(value));
    }
    if (input_.empty()) throw fault("it has no input, accepted is at least one");
  }

  /// The nodes that the output needs, each after those it reads.
  void find_needed() {
    if (graph_.output_size() == 0) throw fault("it has no output, accepted is at least one");
    output_ = options_.output.value_or(graph_.output(0).name());
    if (readers_.maker(output_) < 0) {
      std::vector<std::string> names;
      for (const auto& output : graph_.output()) names.push_back(output.name());
      throw fault(fmt::format("it has no output '{}', accepted are {}", output_, fmt::join(names, ", ")));
    }
    std::set<std::string> made;
    for (int n = 0; n < graph_.node_size(); ++n) {
      for (const std::string& output : graph_.node(n).output()) {
        if (!output.empty() && (!made.insert(output).second || values_.contains(output))) {
          throw fault(fmt::format("{}: its output '{}' is a name used twice, accepted are unique names",
                                  label_of(graph_.node(n), n), output));
        }
      }
    }
    enum State : std::uint8_t { unseen, open, done };
    std::vector<State> states(static_cast<std::size_t>(graph_.node_size()), unseen);
    std::vector<std::pair<int, int>> stack = {{readers_.maker(output_), 0}};
    states[static_cast<std::size_t>(stack[0].first)] = open;
    while (!stack.empty()) {
      auto& [n, next] = stack.back();
      if (next == graph_.node(n).input_size()) {
        states[static_cast<std::size_t>(n)] = done;
        order_.push_back(n);
        stack.pop_back();
        continue;
      }
      const std::string& input = graph_.node(n).input(next++);
      const int before = input.empty() || values_.contains(input) ? -1 : readers_.maker(input);
      if (before < 0) {
        if (input.empty() || values_.contains(input)) continue;
        throw fault(fmt::format("{}: its input '{}' is made by no node", label_of(graph_.node(n), n), input));
      }
      State& state = states[static_cast<std::size_t>(before)];
      if (state == open) {
        throw fault(
            fmt::format("{} is part of a cycle, accepted are graphs without", label_of(graph_.node(before), before)));
      }
      if (state == unseen) {
        state = open;
        stack.emplace_back(before, 0);
      }
    }
  }

  /// A constant that the file states, through nodes that hand it on.
  [[nodiscard]] const OnnxValue* stated_constant(const std::string& name) {
    std::string at = name;
    for (int steps = 0; steps <= graph_.node_size(); ++steps) {  // nodes that nothing needs may be a cycle
      const auto found = values_.find(at);
      if (found != values_.end()) return found->second.is_constant() ? &found->second : nullptr;
      const int n = readers_.maker(at);
      if (n < 0) return nullptr;
      const onnx::NodeProto& node = graph_.node(n);
      if (node.op_type() == "Constant") return constant_value(name, node);
      if (node.op_type() != "Identity" || node.input_size() != 1) return nullptr;
      at = node.input(0);
    }
    return nullptr;
  }

  [[nodiscard]] const OnnxValue* constant_value(const std::string& name, const onnx::NodeProto& node) {
    try {
      OnnxValue value{{}, constant_of(node, folder_)};
      value.dims = value.constant->dims;
      return &stated_.insert_or_assign(name, std::move(value)).first->second;
    } catch (const std::invalid_argument&) {
      return nullptr;
    }
  }

  [[nodiscard]] std::optional<double> stated_number(const std::string& name) {
    const OnnxValue* value = stated_constant(name);
    if (value == nullptr || !value->constant->is_known() || elements(value->dims) != 1) return std::nullopt;
    try {
      return value->constant->values()[0];
    } catch (const std::invalid_argument&) {
      return std::nullopt;
    }
  }

  /// A value as a node reads it.
  [[nodiscard]] OnnxValue value_for_reader(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end())
      throw std::invalid_argument(fmt::format("its input '{}' is an output that is not modelled", name));
    OnnxValue value = found->second;
    if (readers_.count(name) > 1) value.producer.clear();
    return value;
  }

  void read_node(int n) {
    const onnx::NodeProto& proto = graph_.node(n);
    OnnxNode node{proto, network_.facts.opset, {}};
    for (const std::string& name : proto.input()) {
      node.inputs.emplace_back();
      if (!name.empty()) node.inputs.back() = value_for_reader(name);
    }
    LoweredNode lowered = lower_node(node, builder_, {folder_, options_.fold_norms});
    limit_made(node, lowered.outputs);
    if (lowered.is_counted) ++network_.facts.counted;
    keep(proto, std::move(lowered.outputs));
  }

  /// Elements that nodes make: a small file could fill any memory and time.
  struct Made {
    const char* what;
    std::uint64_t most;
    std::uint64_t made = 0;

    void add(std::uint64_t more) {
      made += more;
      if (made > most) {
        throw std::invalid_argument(
            fmt::format("the nodes up to here make {} {}, accepted are at most {}", made, what, most));
      }
    }
  };

  /// Of a tensor in the file as many numbers as it has are free once: weights may be moved about.
  void limit_made(const OnnxNode& node, const std::vector<OnnxValue>& outputs) {
    if (node.type() == "Constant") return;  // its numbers stand in the file
    std::uint64_t numbers = 0;
    for (const OnnxValue& output : outputs) {
      const auto is_same = [&](const std::optional<OnnxValue>& input) { return input && input->map == output.map; };
      if (output.map && std::ranges::none_of(node.inputs, is_same)) places_.add(output.map->size());
      if (output.constant && output.constant->is_known()) numbers += elements(output.dims);
    }
    for (const std::optional<OnnxValue>& input : node.inputs) {
      if (numbers == 0 || !input || !input->constant || input->constant->stored == nullptr) continue;
      if (moved_.insert(input->constant->stored).second) numbers -= std::min(numbers, elements(input->dims));
    }
    numbers_.add(numbers);
  }

  void read_fusion(int n, const Fusion& fusion) {
    ++network_.facts.counted;
    OnnxValue value = value_for_reader(fusion.input);
    if (fusion.kind == Fusion::Kind::layer_norm) {
      const auto tensor = [&](const std::string& name) { return name.empty() ? nullptr : &*values_.at(name).constant; };
      value = normalise(value, 1, fusion.eps, tensor(fusion.scale), tensor(fusion.shift), builder_);
    } else {
      const OperatorKind kind = fusion.kind == Fusion::Kind::silu   ? OperatorKind(Silu{})
                                : fusion.kind == Fusion::Kind::gelu ? OperatorKind(Gelu{})
                                : fusion.kind == Fusion::Kind::mish ? Activation{Function::mish}
                                                                    : Activation{Function::hardswish};
      value = apply_function(value, kind, builder_);
    }
    keep(graph_.node(n), {value});
  }

  void keep(const onnx::NodeProto& node, std::vector<OnnxValue> outputs) {
    for (int k = 0; k < node.output_size(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (at < outputs.size() && !node.output(k).empty())
        values_.insert_or_assign(node.output(k), std::move(outputs[at]));
    }
  }

  /// Makes the output an operator, and leaves out what does not lead to it.
  void finish() {
    if (!values_.contains(output_)) throw fault(fmt::format("output '{}' is one that is not modelled", output_));
    OnnxValue& output = values_.at(output_);
    if (output.is_constant())
      throw fault(fmt::format("no path leads from input '{}' to output '{}', accepted is a network", input_, output_));
    Shape shape = output.dims;
    if (shape.size() > 1 && shape[0] == 1) shape.erase(shape.begin());
    builder_.start_node("the output", "output");
    const std::string last =
        !output.map && output.sources.size() == 1 ? output.sources[0] : builder_.source(output, shape);
    std::set<std::string> needed = {last};
    for (std::size_t o = network_.specs.size(); o-- > 0;) {
      if (needed.contains(network_.specs[o].name))
        needed.insert(network_.specs[o].inputs->begin(), network_.specs[o].inputs->end());
    }
    OnnxNetwork kept;
    for (std::size_t o = 0; o < network_.specs.size(); ++o) {
      if (!needed.contains(network_.specs[o].name)) continue;
      kept.specs.push_back(std::move(network_.specs[o]));
      kept.weights.push_back(std::move(network_.weights[o]));
      kept.nodes.push_back(std::move(network_.nodes[o]));
      kept.tensors.push_back(std::move(network_.tensors[o]));
    }
    if (kept.specs.empty()) throw fault("it only moves its input, accepted is at least one operator");
    network_.specs = std::move(kept.specs);
    network_.weights = std::move(kept.weights);
    network_.nodes = std::move(kept.nodes);
    network_.tensors = std::move(kept.tensors);
  }

  const std::string& path_;
  const OnnxOptions& options_;
  StoredModel file_;
  const onnx::GraphProto& graph_;
  GraphReaders readers_;
  OnnxNetwork network_;
  NetworkBuilder builder_;
  std::shared_ptr<const std::string> folder_;
  std::unordered_map<std::string, OnnxValue> values_;
  std::unordered_map<std::string, OnnxValue> stated_;
  std::string input_, output_;
  std::vector<int> order_;
  Made numbers_{"numbers", kMostMoved};
  Made places_{"places of elements", 8 * kMostMoved};
  std::set<const onnx::TensorProto*> moved_;
};

}  // namespace

std::uint64_t ForwardMacs::total() const {
  return checked_add(checked_add(conv, linear), checked_add(matmul, recurrent));
}

bool looks_like_onnx(const std::string& path) {
  if (path.ends_with(".onnx")) return true;
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure)) return false;
  std::ifstream in(path, std::ios::binary);
  return in.get() == 0x08;  // the field ir_version, which no text begins with
}

OnnxNetwork import_onnx(const std::string& path, const OnnxOptions& options, bool values) {
  GOOGLE_PROTOBUF_VERIFY_VERSION;
  google::protobuf::SetLogHandler(nullptr);
  try {
    return GraphImport(path, options, values).run();
  } catch (const CountOverflow& error) {  // of what no node is to blame for, such as the shape of an input
    throw InputError(fmt::format("{}: {}, accepted are smaller tensors", path, error.what()));
  }
}

}  // namespace upsweep
