#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "direct_operators.hpp"
#include "direct_recurrence.hpp"

namespace upsweep {
namespace {

using Inputs = std::span<const std::span<const double>>;

/// Gathers what each input element gets: add(input element, derivative, output element).
class Gradient {
 public:
  Gradient(std::size_t count, std::span<const double> upstream, PassKind pass)
      : upstream_(upstream), pass_(pass), result_(count, 0.0) {}

  void add(std::size_t element, double derivative, std::size_t output) {
    result_[element] += taken(derivative, pass_) * upstream_[output];
  }
  [[nodiscard]] std::vector<double> take() { return std::move(result_); }

 private:
  std::span<const double> upstream_;
  PassKind pass_;
  std::vector<double> result_;
};

void through(const Operator& op, const IndexMap& map, const OperatorWeights&, Inputs inputs, std::size_t input,
             Gradient& gradient) {
  std::size_t before = 0;
  for (std::size_t k = 0; k < input; ++k) before += inputs[k].size();
  for (std::size_t o = 0; o < elements(op.out_shape); ++o) {
    const std::size_t from = map.indices[o];
    if (from != IndexMap::kFill && from >= before && from - before < inputs[input].size())
      gradient.add(from - before, 1, o);
  }
}

/// The element of an input that is at the coordinates of output `o`, those of axes of size 1 being 0.
std::size_t broadcast_source(const Shape& in, const Shape& out, std::size_t o) {
  std::size_t source = 0;
  std::size_t step = 1;
  for (std::size_t back = 1; back <= in.size(); ++back) {
    const std::size_t coordinate = o % out[out.size() - back];
    o /= out[out.size() - back];
    if (in[in.size() - back] > 1) source += coordinate * step;
    step *= in[in.size() - back];
  }
  return source;
}

void through(const Operator& op, const Pairwise& kind, const OperatorWeights&, Inputs inputs, std::size_t input,
             Gradient& gradient) {
  for (std::size_t o = 0; o < elements(op.out_shape); ++o) {
    const std::size_t at[] = {broadcast_source(op.input_shape(0), op.out_shape, o),
                              broadcast_source(op.input_shape(1), op.out_shape, o)};
    const double a = inputs[0][at[0]];
    const double b = inputs[1][at[1]];
    const double to_first[] = {1, 1, b, 1 / b, a <= b ? 1.0 : 0.0, a >= b ? 1.0 : 0.0};
    const double to_second[] = {1, -1, a, -(a / b) / b, a <= b ? 0.0 : 1.0, a >= b ? 0.0 : 1.0};
    gradient.add(at[input], (input == 0 ? to_first : to_second)[static_cast<std::size_t>(kind.rule)], o);
  }
}

void through(const Operator& op, const MatMul&, const OperatorWeights&, Inputs inputs, std::size_t input,
             Gradient& gradient) {
  const std::size_t n = op.out_shape.back();
  const std::size_t m = op.out_shape[op.out_shape.size() - 2];
  const std::size_t inner = op.in_shape.back();
  for (std::size_t o = 0; o < elements(op.out_shape); ++o) {
    const std::size_t product = o / (m * n);
    for (std::size_t l = 0; l < inner; ++l) {
      const std::size_t left = (product * m + o / n % m) * inner + l;
      const std::size_t right = (product * inner + l) * n + o % n;
      gradient.add(input == 0 ? left : right, input == 0 ? inputs[1][right] : inputs[0][left], o);
    }
  }
}

/// Derivatives within one group, whose elements stand at `at`; by the quotient rule and the like, from the inputs.
void through_group(const Grouped& kind, const OperatorWeights& weights, std::span<const double> x,
                   const std::vector<std::size_t>& at, std::size_t group, Gradient& gradient) {
  const auto count = static_cast<double>(at.size());
  double sum = 0;
  double squares = 0;
  double most = x[at[0]];
  for (const std::size_t e : at) {
    sum += x[e];
    squares += x[e] * x[e];
    most = std::max(most, x[e]);
  }
  double weight = 0;  // of the exponentials
  double centred = 0;
  for (const std::size_t e : at) {
    weight += std::exp(x[e] - most);
    centred += (x[e] - sum / count) * (x[e] - sum / count);
  }
  const double variance = centred / count + kind.eps;
  const auto extreme = [&](bool is_least) {
    const auto less = [&](std::size_t a, std::size_t b) { return x[a] < x[b]; };
    return is_least ? *std::ranges::min_element(at, less) : *std::ranges::max_element(at, less);
  };
  for (const std::size_t r : at) {
    const double share = std::exp(x[r] - most) / weight;
    for (const std::size_t c : at) {
      const double same = r == c ? 1 : 0;
      const double other = std::exp(x[c] - most) / weight;
      const double scale = weights.values.empty() ? 1 : weights.values[c / kind.affine_inner % kind.affine_size];
      const double off = (x[r] - sum / count) * (x[c] - sum / count);
      switch (kind.rule) {
        case GroupRule::softmax:
          gradient.add(r, same * other - share * other, c);
          break;
        case GroupRule::log_softmax:
          gradient.add(r, same - share, c);
          break;
        case GroupRule::normalise:
          gradient.add(r, scale * ((same - 1 / count) - off / (count * variance)) / std::sqrt(variance), c);
          break;
        default:
          break;
      }
    }
    if (!kind.reduces()) continue;
    double others = 1;
    for (const std::size_t c : at) others *= c == r ? 1 : x[c];
    const double derivative[] = {1 / count,
                                 1,
                                 extreme(true) == r ? 1.0 : 0.0,
                                 extreme(false) == r ? 1.0 : 0.0,
                                 others,
                                 squares == 0 ? 0 : x[r] / std::sqrt(squares)};
    const auto first = static_cast<std::size_t>(GroupRule::mean);
    gradient.add(r, derivative[static_cast<std::size_t>(kind.rule) - first], group);
  }
}

void through(const Operator&, const Grouped& kind, const OperatorWeights& weights, Inputs inputs, std::size_t,
             Gradient& gradient) {
  std::size_t group = 0;
  for (std::size_t outer = 0; outer < inputs[0].size(); outer += kind.size * kind.inner) {
    for (std::size_t i = 0; i < kind.inner; ++i, ++group) {
      std::vector<std::size_t> at;
      for (std::size_t k = 0; k < kind.size; ++k) at.push_back(outer + k * kind.inner + i);
      through_group(kind, weights, inputs[0], at, group, gradient);
    }
  }
}

}  // namespace

std::vector<double> hand_back(const Operator& op, const OperatorWeights& weights, Inputs inputs, std::size_t input,
                              std::span<const double> upstream, PassKind pass) {
  if (const auto* recurrence = std::get_if<Recurrence>(&op.kind))
    return through_time(op, *recurrence, weights, inputs[0], upstream, pass);
  Gradient gradient(inputs[input].size(), upstream, pass);
  visit_operator(
      op.kind,
      [&]<MixingOperator K>(const K& kind) {
        if constexpr (!std::is_same_v<K, Recurrence>) through(op, kind, weights, inputs, input, gradient);
      },
      [&]<class K>(const K&) requires(!MixingOperator<K>) {
        throw std::invalid_argument(kind_name(op.kind) + " reads one activation");
      });
  return gradient.take();
}

}  // namespace upsweep
