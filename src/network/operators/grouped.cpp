#include "upsweep/network/operators/grouped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "upsweep/base/checked.hpp"
#include "upsweep/network/operator.hpp"

namespace upsweep {
namespace {

/// First element of group `g`.
std::size_t first_of(const Grouped& kind, std::size_t g) {
  return g / kind.inner * kind.size * kind.inner + g % kind.inner;
}

struct Moments {
  double mean = 0;
  double deviation = 0;
};

Moments moments_of(const Grouped& kind, std::span<const double> x, std::size_t first) {
  Moments moments;
  const auto count = static_cast<double>(kind.size);
  for (std::size_t k = 0; k < kind.size; ++k) moments.mean += x[first + k * kind.inner] / count;
  double variance = 0;
  for (std::size_t k = 0; k < kind.size; ++k) {
    const double off = x[first + k * kind.inner] - moments.mean;
    variance += off * off / count;
  }
  moments.deviation = std::sqrt(variance + kind.eps);
  return moments;
}

/// The member of a group that is its least or largest; the first of several.
std::size_t chosen_of(const Grouped& kind, std::span<const double> x, std::size_t first) {
  std::size_t best = first;
  for (std::size_t k = 1; k < kind.size; ++k) {
    const std::size_t at = first + k * kind.inner;
    if (kind.rule == GroupRule::least ? x[at] < x[best] : x[at] > x[best]) best = at;
  }
  return best;
}

double reduced(const Grouped& kind, std::span<const double> x, std::size_t first) {
  if (kind.rule == GroupRule::least || kind.rule == GroupRule::largest) return x[chosen_of(kind, x, first)];
  double result = kind.rule == GroupRule::product ? 1 : 0;
  for (std::size_t k = 0; k < kind.size; ++k) {
    const double one = x[first + k * kind.inner];
    if (kind.rule == GroupRule::product) {
      result *= one;
    } else {
      result += kind.rule == GroupRule::norm ? one * one : one;
    }
  }
  if (kind.rule == GroupRule::mean) return result / static_cast<double>(kind.size);
  return kind.rule == GroupRule::norm ? std::sqrt(result) : result;
}

double scale_at(const Grouped& kind, const OperatorWeights& weights, std::size_t e) {
  return weights.values.empty() ? 1 : weights.values[e / kind.affine_inner % kind.affine_size];
}

/// Writes a group of a rule that keeps all its elements.
void map_group(const Grouped& kind, const OperatorWeights& weights, std::span<const double> x, std::size_t first,
               std::vector<double>& out) {
  if (kind.rule == GroupRule::normalise) {
    const Moments moments = moments_of(kind, x, first);
    for (std::size_t k = 0; k < kind.size; ++k) {
      const std::size_t e = first + k * kind.inner;
      const double shift = weights.bias.empty() ? 0 : weights.bias[e / kind.affine_inner % kind.affine_size];
      out[e] = (x[e] - moments.mean) / moments.deviation * scale_at(kind, weights, e) + shift;
    }
    return;
  }
  double most = x[first];
  for (std::size_t k = 1; k < kind.size; ++k) most = std::max(most, x[first + k * kind.inner]);
  double sum = 0;
  for (std::size_t k = 0; k < kind.size; ++k) sum += std::exp(x[first + k * kind.inner] - most);
  for (std::size_t k = 0; k < kind.size; ++k) {
    const std::size_t e = first + k * kind.inner;
    out[e] = kind.rule == GroupRule::softmax ? std::exp(x[e] - most) / sum : x[e] - most - std::log(sum);
  }
}

}  // namespace

Shape Grouped::shape(std::span<const Shape> in) const {
  require_fit(in.size() == 1, in, "one");
  require_positive("size", size);
  require_positive("inner", inner);
  const std::uint64_t count = elements(in[0]);
  if (count % checked_mul(size, inner) != 0) {
    throw std::invalid_argument(fmt::format("its input has shape {}, accepted is a multiple of size · inner, {} · {}",
                                            to_string(in[0]), size, inner));
  }
  return reduces() ? Shape{count / size} : in[0];
}

SharedRows Grouped::rows(const Operator& op, std::size_t) const {
  const std::uint64_t count = elements(op.in_shape);
  SharedRows rows;
  rows.count = static_cast<std::uint32_t>(count / size);
  rows.number_of.resize(count);
  for (std::size_t e = 0; e < count; ++e) rows.number_of[e] = static_cast<std::uint32_t>(group_of(e));
  rows.write = [kind = *this](std::uint32_t g, std::vector<std::uint32_t>& columns) {
    if (kind.reduces()) return columns.push_back(g);
    const std::size_t first = first_of(kind, g);
    for (std::size_t k = 0; k < kind.size; ++k) columns.push_back(static_cast<std::uint32_t>(first + k * kind.inner));
  };
  return rows;
}

std::uint64_t Grouped::entries(const Operator& op, std::size_t) const {
  return checked_mul(elements(op.in_shape), reduces() ? 1 : size);
}

std::uint64_t Grouped::baseline_flops(const Operator& op, std::size_t) const {
  return checked_add(elements(op.in_shape), elements(op.out_shape));
}

std::vector<double> Grouped::value(const Operator& op, const OperatorWeights& weights,
                                   std::span<const std::span<const double>> inputs) const {
  std::vector<double> out(elements(op.out_shape));
  for (std::size_t g = 0; g < inputs[0].size() / size; ++g) {
    if (reduces()) {
      out[g] = reduced(*this, inputs[0], first_of(*this, g));
    } else {
      map_group(*this, weights, inputs[0], first_of(*this, g), out);
    }
  }
  return out;
}

double Grouped::slope(const Operator&, const OperatorWeights& weights, std::size_t, const MixingSample& sample,
                      std::size_t row, std::size_t column) const {
  const std::span<const double> x = sample.inputs[0];
  const std::span<const double> y = sample.output;
  const double same = row == column ? 1 : 0;
  const std::size_t first = first_of(*this, group_of(row));
  switch (rule) {
    case GroupRule::softmax:
      return y[column] * (same - y[row]);
    case GroupRule::log_softmax:
      return same - std::exp(y[row]);
    case GroupRule::normalise: {
      const Moments moments = moments_of(*this, x, first);
      const double a = (x[row] - moments.mean) / moments.deviation;
      const double b = (x[column] - moments.mean) / moments.deviation;
      const double all = (1 + a * b) / static_cast<double>(size);
      return (same - all) / moments.deviation * scale_at(*this, weights, column);
    }
    case GroupRule::mean:
      return 1 / static_cast<double>(size);
    case GroupRule::sum:
      return 1;
    case GroupRule::least:
    case GroupRule::largest:
      return chosen_of(*this, x, first) == row ? 1 : 0;
    case GroupRule::product: {
      double others = 1;
      for (std::size_t k = 0; k < size; ++k) {
        if (first + k * inner != row) others *= x[first + k * inner];
      }
      return others;
    }
    case GroupRule::norm:
      return y[column] == 0 ? 0 : x[row] / y[column];
  }
  return 0;
}

void Grouped::add_value_gradients(const Operator&, const OperatorWeights&, std::span<const OperatorSample> samples,
                                  std::span<double> gradient) const {
  for (const OperatorSample& sample : samples) {
    for (std::size_t e = 0; e < sample.input.size(); ++e) {
      const Moments moments = moments_of(*this, sample.input, first_of(*this, group_of(e)));
      gradient[e / affine_inner % affine_size] +=
          sample.upstream[e] * (sample.input[e] - moments.mean) / moments.deviation;
    }
  }
}

}  // namespace upsweep
