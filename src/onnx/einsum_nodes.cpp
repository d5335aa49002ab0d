#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "made_nodes.hpp"
#include "products.hpp"

namespace upsweep {
namespace {

/// A value with a label for each axis.
struct Labelled {
  OnnxValue value;
  std::string labels;
};

using LabelSizes = std::map<char, std::uint64_t>;

std::uint64_t count_of_labels(const std::string& labels, const LabelSizes& sizes) {
  std::uint64_t product = 1;
  for (const char label : labels) product *= sizes.at(label);
  return product;
}

Shape dims_of_labels(const std::string& labels, const LabelSizes& sizes) {
  Shape dims;
  for (const char label : labels) dims.push_back(sizes.at(label));
  return dims;
}

/// The axes in the order of `labels`, which are all of them.
OnnxValue ordered(const Labelled& from, const std::string& labels, NetworkBuilder& builder) {
  if (from.labels == labels) return from.value;
  std::vector<std::int64_t> perm;
  for (const char label : labels) perm.push_back(static_cast<std::int64_t>(from.labels.find(label)));
  return made_node("Transpose", {{"perm", perm}}, {from.value}, builder);
}

/// Sums over the axes whose label is in none of `kept`.
Labelled summed(const Labelled& from, const std::string& kept, NetworkBuilder& builder) {
  std::vector<std::int64_t> axes;
  Labelled result{{}, ""};
  for (std::size_t a = 0; a < from.labels.size(); ++a) {
    if (kept.find(from.labels[a]) == std::string::npos) {
      axes.push_back(static_cast<std::int64_t>(a));
    } else {
      result.labels += from.labels[a];
    }
  }
  if (axes.empty()) return from;
  result.value = made_node("ReduceSum", {{"axes", axes}, {"keepdims", std::int64_t{0}}}, {from.value}, builder);
  return result;
}

/// The product of two, with the labels that later factors or the output need.
Labelled product(Labelled a, Labelled b, const std::string& later, const LabelSizes& sizes, NetworkBuilder& builder) {
  if (a.value.is_constant() && !b.value.is_constant()) std::swap(a, b);
  a = summed(a, b.labels + later, builder);
  b = summed(b, a.labels + later, builder);
  std::string batch, inner, left, right;
  for (const auto& [label, size] : sizes) {
    const bool in_a = a.labels.find(label) != std::string::npos;
    const bool in_b = b.labels.find(label) != std::string::npos;
    if (in_a && in_b) (later.find(label) != std::string::npos ? batch : inner) += label;
    if (in_a != in_b) (in_a ? left : right) += label;
  }
  const auto count = [&](const std::string& labels) { return count_of_labels(labels, sizes); };
  OnnxValue first = ordered(a, batch + left + inner, builder);
  OnnxValue second = ordered(b, batch + inner + right, builder);
  first.dims = {count(batch), count(left), count(inner)};
  second.dims = {count(batch), count(inner), count(right)};
  if (first.is_constant()) first.constant->dims = first.dims;
  if (second.is_constant()) second.constant->dims = second.dims;
  OnnxValue result;
  if (!second.is_constant()) {
    result = times(first, second, builder);
  } else if (first.is_constant()) {
    throw std::invalid_argument("two constants among its inputs, accepted is one beside an activation");
  } else if (batch.empty()) {
    first.dims.erase(first.dims.begin());
    result = times_matrix(first, {*second.constant, count(inner), count(right), true}, builder);
  } else {
    result = times_matrices(first, *second.constant, builder);
  }
  result.producer.clear();
  result.dims = dims_of_labels(batch + left + right, sizes);
  return {std::move(result), batch + left + right};
}

/// What an equation without an arrow means: the labels that are there once, sorted.
std::string implied_output(const std::string& inputs) {
  std::string out;
  for (const char label : std::set<char>(inputs.begin(), inputs.end())) {
    if (label != ',' && std::ranges::count(inputs, label) == 1) out += label;
  }
  return out;
}

std::vector<OnnxValue> einsum(OnnxNode& node, NetworkBuilder& builder) {
  std::string equation = node.text("equation", "");
  std::erase(equation, ' ');
  const std::size_t arrow = equation.find("->");
  const std::string inputs = equation.substr(0, arrow);
  const std::string out = arrow == std::string::npos ? implied_output(inputs) : equation.substr(arrow + 2);
  const auto refuse = [&](const std::string& why) {
    return std::invalid_argument(
        fmt::format("equation '{}' {}, accepted are distinct letters for the axes of every input", equation, why));
  };
  std::vector<Labelled> factors;
  LabelSizes sizes;
  for (std::size_t begin = 0; begin <= inputs.size();) {
    const std::size_t end = std::min(inputs.find(',', begin), inputs.size());
    Labelled one{node.input(factors.size()), inputs.substr(begin, end - begin)};
    if (std::set<char>(one.labels.begin(), one.labels.end()).size() != one.labels.size() ||
        one.labels.find('.') != std::string::npos || one.labels.size() != one.value.rank())
      throw refuse("for an input of shape " + to_string(one.value.dims));
    for (std::size_t a = 0; a < one.labels.size(); ++a) {
      const auto [size, is_new] = sizes.emplace(one.labels[a], one.value.dims[a]);
      if (!is_new && size->second != one.value.dims[a]) throw refuse("has axes of one letter and two sizes");
    }
    factors.push_back(std::move(one));
    begin = end + 1;
  }
  if (factors.size() != node.inputs.size()) throw refuse("has another number of inputs");
  for (const char label : out) {
    if (!sizes.contains(label)) throw refuse("has a letter in its output alone");
    if (std::ranges::count(out, label) > 1) throw refuse("has a letter twice in its output");
  }
  Labelled result = std::move(factors[0]);
  for (std::size_t k = 1; k < factors.size(); ++k) {
    std::string later = out;
    for (std::size_t rest = k + 1; rest < factors.size(); ++rest) later += factors[rest].labels;
    result = product(std::move(result), std::move(factors[k]), later, sizes, builder);
  }
  result = summed(result, out, builder);
  return {ordered(result, out, builder)};
}

}  // namespace

const LoweringTable& einsum_lowerings() {
  static const LoweringTable table = {{"Einsum", einsum}};
  return table;
}

}  // namespace upsweep
