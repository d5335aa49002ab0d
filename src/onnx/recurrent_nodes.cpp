#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <stdexcept>

#include "importer.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

using Values = std::vector<OnnxValue>;

/// A node of type RNN, GRU or LSTM.
struct RecurrentNode {
  const OnnxNode& node;
  RecurrentCell cell;
  std::uint64_t steps, features, hidden, directions;

  [[nodiscard]] std::uint64_t gates() const { return Recurrence{cell}.gates(); }
};

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Whether an rnn has relu for tanh. Throws std::invalid_argument where functions are none of those that are modelled.
bool has_relu(const RecurrentNode& mine) {
  const auto* stated = mine.node.find("activations");
  if (stated == nullptr || stated->strings_size() == 0) return false;
  const std::vector<std::string> usual = mine.cell == RecurrentCell::rnn ? std::vector<std::string>{"tanh"}
                                         : mine.cell == RecurrentCell::gru
                                             ? std::vector<std::string>{"sigmoid", "tanh"}
                                             : std::vector<std::string>{"sigmoid", "tanh", "tanh"};
  bool relu = false;
  for (int k = 0; k < stated->strings_size(); ++k) {
    const std::string function = lower_case(stated->strings(k));
    const bool is_relu = mine.cell == RecurrentCell::rnn && function == "relu";
    if (k == 0) relu = is_relu;
    if (is_relu == relu && (is_relu || function == usual[static_cast<std::size_t>(k) % usual.size()])) continue;
    throw std::invalid_argument(
        fmt::format("function '{}', accepted are the standard's, and Relu of an RNN", stated->strings(k)));
  }
  return relu;
}

void require_zero(const OnnxNode& node, std::size_t input, const char* what) {
  if (!node.has(input)) return;
  const OnnxValue& value = node.input(input);
  const bool is_zero =
      value.is_constant() &&
      (!value.constant->is_known() || std::ranges::all_of(value.constant->values(), [](double x) { return x == 0; }));
  if (!is_zero)
    throw std::invalid_argument(fmt::format("{} that are not 0 or depend on the input, accepted is 0", what));
}

RecurrentNode recurrent_node(const OnnxNode& node) {
  const OnnxValue& value = node.input(0);
  if (value.rank() != 3 || value.dims[1] != 1 || node.integer("layout", 0) != 0) {
    throw std::invalid_argument(
        fmt::format("an input of shape {}, accepted is [steps, 1, features]", to_string(value.dims)));
  }
  RecurrentNode mine{node,
                     node.type() == "RNN"   ? RecurrentCell::rnn
                     : node.type() == "GRU" ? RecurrentCell::gru
                                            : RecurrentCell::lstm,
                     value.dims[0],
                     value.dims[2],
                     static_cast<std::uint64_t>(std::max<std::int64_t>(0, node.integer("hidden_size", 0))),
                     node.text("direction", "forward") == "bidirectional" ? 2U : 1U};
  const std::uint64_t rows = checked_mul(mine.gates(), mine.hidden);
  const Shape wanted[] = {
      {mine.directions, rows, mine.features}, {mine.directions, rows, mine.hidden}, {mine.directions, 2 * rows}};
  for (std::size_t k = 1; k <= 3; ++k) {
    if ((k == 3 && !node.has(k)) || node.constant(k).dims == wanted[k - 1]) continue;
    throw std::invalid_argument(fmt::format("a weight of shape {}, accepted is {}", to_string(node.constant(k).dims),
                                            to_string(wanted[k - 1])));
  }
  require_zero(node, 5, "first states");
  require_zero(node, 6, "first cell states");
  require_zero(node, 7, "peepholes");
  if (node.has(4)) static_cast<void>(node.constant(4));  // lengths of the sequences, of which there is one
  if (node.find("clip") != nullptr || node.integer("input_forget", 0) != 0)
    throw std::invalid_argument("clip or input_forget, accepted are nodes without");
  return mine;
}

/// Rows of ONNX's gates in PyTorch's order: z, r, h to r, z, n; i, o, f, c to i, f, g, o.
std::vector<std::uint64_t> gate_order(RecurrentCell cell) {
  if (cell == RecurrentCell::gru) return {1, 0, 2};
  if (cell == RecurrentCell::lstm) return {0, 2, 3, 1};
  return {0};
}

/// The weight and the biases of a direction as the operator has them.
OperatorWeights weights_of_direction(const RecurrentNode& mine, std::uint64_t direction, NetworkBuilder& builder) {
  const Tensor &w = mine.node.constant(1), &r = mine.node.constant(2);
  const std::uint64_t rows = mine.gates() * mine.hidden;
  const Shape shape = {rows, mine.features + mine.hidden};
  const auto order = gate_order(mine.cell);
  const auto source_row = [&](std::uint64_t row) { return order[row / mine.hidden] * mine.hidden + row % mine.hidden; };
  OperatorWeights weights;
  if (!w.is_known() || !r.is_known()) {
    Tensor missing{shape};
    missing.name = w.name;
    static_cast<void>(builder.weights_of(missing));
  } else {
    const std::vector<double> from_w = w.values();
    const std::vector<double> from_r = r.values();
    std::vector<double> all;
    all.reserve(elements(shape));
    const auto append = [&](const std::vector<double>& from, std::uint64_t row, std::uint64_t width) {
      const auto begin = from.begin() + static_cast<std::ptrdiff_t>((direction * rows + source_row(row)) * width);
      all.insert(all.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
    };
    for (std::uint64_t row = 0; row < rows; ++row) {
      append(from_w, row, mine.features);
      append(from_r, row, mine.hidden);
    }
    Tensor both = Tensor::of(shape, std::move(all), false);
    both.name = w.name;
    weights = builder.weights_of(both);
  }
  if (!mine.node.has(3)) return weights;
  const std::vector<double> biases = builder.numbers_of(mine.node.constant(3));
  for (std::uint64_t k = 0; k < 2 * rows && !biases.empty(); ++k)
    weights.bias.push_back(biases[(direction * 2 + k / rows) * rows + source_row(k % rows)]);
  return weights;
}

Values recurrent(OnnxNode& node, NetworkBuilder& builder) {
  const RecurrentNode mine = recurrent_node(node);
  const auto [steps, hidden] = std::pair{mine.steps, mine.hidden};
  OnnxValue value = node.input(0);
  Recurrence kind{mine.cell, hidden};
  kind.relu = has_relu(mine);
  kind.reset_after = mine.cell != RecurrentCell::gru || node.integer("linear_before_reset", 0) != 0;
  kind.bias = node.has(3);
  require_size({steps, hidden});
  const std::string from = builder.source(value, {steps, mine.features});
  std::vector<OnnxValue> states;
  std::vector<OnnxValue> last;
  for (std::uint64_t direction = 0; direction < mine.directions; ++direction) {
    kind.reversed = direction == 1 || node.text("direction", "forward") == "reverse";
    OnnxValue all{
        {steps, 1, 1, hidden}, {}, {builder.add(kind, {from}, weights_of_direction(mine, direction, builder))}};
    Move end{{1, 1, hidden}, std::vector<std::uint32_t>(hidden), 0};
    std::iota(end.from.begin(), end.from.end(), static_cast<std::uint32_t>(kind.reversed ? 0 : (steps - 1) * hidden));
    last.push_back(builder.moved(end, {all}));
    states.push_back(std::move(all));
    add_to(builder.network().macs.recurrent,
           checked_mul(steps * mine.gates(), checked_mul(hidden, hidden + mine.features)));
  }
  if (states.size() == 1) return {states[0], last[0]};
  Move all{{steps, 2, 1, hidden}, {}, 0};
  for (std::uint64_t t = 0; t < steps; ++t) {
    for (std::uint64_t e = 0; e < 2 * hidden; ++e) {
      const std::uint64_t at = (e < hidden ? 0 : steps * hidden) + t * hidden + e % hidden;
      all.from.push_back(static_cast<std::uint32_t>(at));
    }
  }
  Values outputs = {builder.moved(all, states)};
  if (node.proto.output_size() < 2 || node.proto.output(1).empty()) return outputs;
  Move both{{2, 1, hidden}, std::vector<std::uint32_t>(2 * hidden), 0};
  std::iota(both.from.begin(), both.from.end(), 0U);
  outputs.push_back(builder.moved(both, last));
  return outputs;
}

}  // namespace

const LoweringTable& recurrent_lowerings() {
  static const LoweringTable table = {{"RNN", recurrent}, {"GRU", recurrent}, {"LSTM", recurrent}};
  return table;
}

}  // namespace upsweep
