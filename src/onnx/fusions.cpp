#include <algorithm>
#include <cmath>

#include "importer.hpp"

namespace upsweep {
namespace {

/// Matches sequences of nodes from their last node backwards, and notes what is inside.
class Matcher {
 public:
  Matcher(const onnx::GraphProto& graph, const GraphReaders& readers,
          const std::function<std::optional<double>(const std::string&)>& number_of,
          const std::function<bool(const std::string&)>& is_constant)
      : graph_(graph), readers_(readers), number_of_(number_of), is_constant_(is_constant) {}

  Fusions run() {
    for (int n = 0; n < graph_.node_size(); ++n) {
      const std::string& type = graph_.node(n).op_type();
      if (type == "Mul") gate(n);
      if (type == "Erf") gelu(n);
      if (type == "Sqrt") layer_norm(n);
    }
    return std::move(fusions_);
  }

 private:
  [[nodiscard]] const onnx::NodeProto& node(int n) const { return graph_.node(n); }

  /// The node that makes a value, if it is of a type and nothing but one node reads it; else -1.
  [[nodiscard]] int made_by(const std::string& value, const char* type, int reads = 1) const {
    const int n = readers_.maker(value);
    return n >= 0 && node(n).op_type() == type && readers_.count(value) == reads ? n : -1;
  }
  [[nodiscard]] int read_by(int n, const char* type) const {
    const int reader = n < 0 ? -1 : readers_.only_reader(node(n).output(0));
    return reader >= 0 && node(reader).op_type() == type ? reader : -1;
  }
  /// Of a node with two inputs, one of which is a constant near `number`: the place of the other; else -1.
  [[nodiscard]] int other_than(int n, double number) const {
    if (n < 0 || node(n).input_size() != 2) return -1;
    for (int k = 0; k < 2; ++k) {
      const std::optional<double> found = number_of_(node(n).input(k));
      if (found && std::fabs(*found - number) <= 1e-4 * std::fabs(number)) return 1 - k;
    }
    return -1;
  }
  void fuse(int last, Fusion fusion, std::initializer_list<int> inside) {
    fusions_.at.emplace(last, std::move(fusion));
    fusions_.inside.insert(inside);
  }

  /// x · sigmoid(x), x · hardsigmoid(x).
  void gate(int n) {
    if (node(n).input_size() != 2) return;
    for (int k = 0; k < 2; ++k) {
      const std::string& x = node(n).input(k);
      const int sigmoid = made_by(node(n).input(1 - k), "Sigmoid");
      if (sigmoid >= 0 && node(sigmoid).input(0) == x) return fuse(n, {Fusion::Kind::silu, x}, {sigmoid});
      if (const int soft = mish_of(node(n).input(1 - k), x); soft >= 0)
        return fuse(n, {Fusion::Kind::mish, x}, {soft, readers_.maker(node(n).input(1 - k))});
      const int hard = made_by(node(n).input(1 - k), "HardSigmoid");
      if (hard < 0 || node(hard).input(0) != x) continue;
      double alpha = 0.2;
      double beta = 0.5;
      for (const auto& attribute : node(hard).attribute()) {
        if (attribute.name() == "alpha") alpha = static_cast<double>(attribute.f());
        if (attribute.name() == "beta") beta = static_cast<double>(attribute.f());
      }
      if (std::fabs(alpha - 1.0 / 6) < 1e-4 && beta == 0.5) return fuse(n, {Fusion::Kind::hardswish, x}, {hard});
    }
  }

  /// The softplus of tanh(softplus(x)), or -1.
  [[nodiscard]] int mish_of(const std::string& value, const std::string& x) const {
    const int bent = made_by(value, "Tanh");
    const int soft = bent < 0 ? -1 : made_by(node(bent).input(0), "Softplus");
    return soft >= 0 && node(soft).input(0) == x ? soft : -1;
  }

  /// x · (1 + erf(x / √2)) · 1/2, in the orders in which PyTorch writes it.
  void gelu(int erf) {
    int scaled = made_by(node(erf).input(0), "Div");
    int side = other_than(scaled, std::sqrt(2.0));
    if (side != 0) {
      scaled = made_by(node(erf).input(0), "Mul");
      side = other_than(scaled, std::sqrt(0.5));
    }
    if (side < 0) return;
    const std::string& x = node(scaled).input(side);
    const int plus = read_by(erf, "Add");
    if (other_than(plus, 1) < 0) return;
    const int product = read_by(plus, "Mul");
    if (product < 0) return;
    const std::string& factor = node(product).input(node(product).input(0) == node(plus).output(0) ? 1 : 0);
    if (factor == x) {
      const int half = read_by(product, "Mul");
      if (other_than(half, 0.5) >= 0) fuse(half, {Fusion::Kind::gelu, x}, {scaled, erf, plus, product});
      return;
    }
    const int half = made_by(factor, "Mul");
    const int of = other_than(half, 0.5);
    if (of >= 0 && node(half).input(of) == x) fuse(product, {Fusion::Kind::gelu, x}, {scaled, erf, plus, half});
  }

  /// True where a mean is over the last axis.
  [[nodiscard]] bool is_over_last(int n) const {
    for (const auto& attribute : node(n).attribute()) {
      if (attribute.name() == "axes") return attribute.ints_size() == 1 && attribute.ints(0) == -1;
    }
    return node(n).input_size() == 2 && number_of_(node(n).input(1)) == -1.0;
  }

  /// d = x - mean(x); d / sqrt(mean(d²) + eps), times and plus constants.
  void layer_norm(int root) {
    const int plus = made_by(node(root).input(0), "Add");
    if (plus < 0) return;
    for (int k = 0; k < 2; ++k) {
      const std::optional<double> eps = number_of_(node(plus).input(k));
      const int variance = made_by(node(plus).input(1 - k), "ReduceMean");
      if (!eps || variance < 0 || !is_over_last(variance)) continue;
      int square = made_by(node(variance).input(0), "Pow");
      if (square < 0 || other_than(square, 2) != 0) {
        square = made_by(node(variance).input(0), "Mul");
        if (square < 0 || node(square).input(0) != node(square).input(1)) continue;
      }
      const std::string& centred = node(square).input(0);
      const int off = readers_.maker(centred);
      const int quotient = read_by(root, "Div");
      if (off < 0 || node(off).op_type() != "Sub" || quotient < 0 || node(quotient).input(0) != centred) continue;
      if (readers_.count(centred) != (node(square).op_type() == "Pow" ? 2 : 3)) continue;
      const int mean = made_by(node(off).input(1), "ReduceMean");
      if (mean < 0 || node(mean).input(0) != node(off).input(0) || !is_over_last(mean)) continue;
      Fusion fusion{Fusion::Kind::layer_norm, node(off).input(0), *eps};
      int last = quotient;
      const std::initializer_list<int> inside = {mean, off, square, variance, plus, root};
      fusions_.inside.insert(inside);
      if (const int scale = constant_after(last, "Mul", fusion.scale); scale >= 0) {
        fusions_.inside.insert(last);
        last = scale;
        if (const int shift = constant_after(last, "Add", fusion.shift); shift >= 0) {
          fusions_.inside.insert(last);
          last = shift;
        }
      }
      fusions_.at.emplace(last, std::move(fusion));
      return;
    }
  }

  /// The only reader of a node, where it is of a type and its other input a vector of constants; that is named.
  int constant_after(int n, const char* type, std::string& constant) const {
    const int reader = read_by(n, type);
    if (reader < 0 || node(reader).input_size() != 2) return -1;
    const std::string& other = node(reader).input(node(reader).input(0) == node(n).output(0) ? 1 : 0);
    if (!is_constant_(other)) return -1;
    constant = other;
    return reader;
  }

  const onnx::GraphProto& graph_;
  const GraphReaders& readers_;
  const std::function<std::optional<double>(const std::string&)>& number_of_;
  const std::function<bool(const std::string&)>& is_constant_;
  Fusions fusions_;
};

}  // namespace

GraphReaders::GraphReaders(const onnx::GraphProto& graph) {
  for (int n = 0; n < graph.node_size(); ++n) {
    for (const std::string& input : graph.node(n).input()) {
      if (!input.empty()) readers_[input].push_back(n);
    }
    for (const std::string& output : graph.node(n).output()) {
      if (!output.empty()) makers_.emplace(output, n);
    }
  }
  for (const auto& output : graph.output()) readers_[output.name()].push_back(-1);
}

int GraphReaders::count(const std::string& value) const {
  const auto found = readers_.find(value);
  return found == readers_.end() ? 0 : static_cast<int>(found->second.size());
}

int GraphReaders::only_reader(const std::string& value) const { return count(value) == 1 ? readers_.at(value)[0] : -1; }

int GraphReaders::maker(const std::string& value) const {
  const auto found = makers_.find(value);
  return found == makers_.end() ? -1 : found->second;
}

Fusions find_fusions(const onnx::GraphProto& graph, const GraphReaders& readers,
                     const std::function<std::optional<double>(const std::string&)>& number_of,
                     const std::function<bool(const std::string&)>& is_constant) {
  return Matcher(graph, readers, number_of, is_constant).run();
}

}  // namespace upsweep
