#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "recurrent/stacked_plan.hpp"

// Plans of a stack of layers carried out with numbers, and the gradients by direct substitution.

namespace upsweep::testing {

/// A number modulo the prime 2^31 - 1: exact, and products of matrices of them do not commute.
struct Residue {
  std::uint64_t value = 0;
  static constexpr std::uint64_t kPrime = 2'147'483'647;

  friend Residue operator+(Residue a, Residue b) { return {(a.value + b.value) % kPrime}; }
  friend Residue operator*(Residue a, Residue b) { return {a.value * b.value % kPrime}; }
  friend bool operator==(const Residue&, const Residue&) = default;
};

/// Given blocks and gradient, by number of the plan; blocks row-major.
template <class T>
using Blocks = std::vector<std::vector<T>>;

/// Operations that a run really did.
struct RunCounts {
  std::uint64_t multiply_adds = 0;
  std::uint64_t additions = 0;
};

/// rows × rows times rows × columns.
template <class T>
std::vector<T> product(const std::vector<T>& a, const std::vector<T>& b, std::size_t rows, RunCounts& counts) {
  const std::size_t columns = b.size() / rows;
  std::vector<T> c(rows * columns, T{});
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t l = 0; l < rows; ++l) {
      for (std::size_t j = 0; j < columns; ++j) {
        c[r * columns + j] = c[r * columns + j] + a[r * rows + l] * b[l * columns + j];
        ++counts.multiply_adds;
      }
    }
  }
  return c;
}

/// All values of a plan. Throws std::logic_error where an operand is not made in an earlier level.
template <class T>
Blocks<T> carry_out(const Plan& plan, const Blocks<T>& given, RunCounts& counts) {
  Blocks<T> values = given;
  for (const PlanLevel& level : plan.levels) {
    const std::size_t before = values.size();
    for (const PlanOp& op : level.ops) {
      if (op.a >= before || op.b >= before) throw std::logic_error("an operand is of the same level or a later one");
      if (!level.adds) {
        values.push_back(product(values[op.a], values[op.b], plan.shape.hidden, counts));
        continue;
      }
      std::vector<T> sum = values[op.a];
      for (std::size_t e = 0; e < sum.size(); ++e) sum[e] = sum[e] + values[op.b][e];
      counts.additions += sum.size();
      values.push_back(std::move(sum));
    }
  }
  return values;
}

/// g(i, s) at (i - 1) · T + s - 1, cell after cell: back-propagation through layers and time.
template <class T>
Blocks<T> substituted(const Plan& plan, const Blocks<T>& given) {
  const StackedShape& shape = plan.shape;
  Blocks<T> gradients(plan.cells(), std::vector<T>(shape.hidden, T{}));
  const auto add_product = [&](std::vector<T>& to, const std::vector<T>& block, const std::vector<T>& x) {
    for (std::size_t r = 0; r < shape.hidden; ++r) {
      for (std::size_t c = 0; c < shape.hidden; ++c) to[r] = to[r] + block[r * shape.hidden + c] * x[c];
    }
  };
  for (std::size_t s = shape.steps; s > 0; --s) {
    for (std::size_t i = shape.layers; i > 0; --i) {
      std::vector<T>& g = gradients[plan.cell(i, s)];
      if (i == shape.layers && s == shape.steps) g = given[plan.given()];
      if (i < shape.layers) add_product(g, given[plan.p(i, s)], gradients[plan.cell(i + 1, s)]);
      if (s < shape.steps) add_product(g, given[plan.q(i, s)], gradients[plan.cell(i, s + 1)]);
    }
  }
  return gradients;
}

/// The gradients of a plan's run, as substituted() orders them.
template <class T>
Blocks<T> gradients_of(const Plan& plan, const Blocks<T>& values) {
  Blocks<T> gradients;
  for (const std::size_t value : plan.results) gradients.push_back(values[value]);
  return gradients;
}

/// Given blocks with entries of `draw`.
template <class T, class Draw>
Blocks<T> random_blocks(const Plan& plan, Draw draw) {
  const std::size_t hidden = plan.shape.hidden;
  Blocks<T> blocks;
  for (std::size_t value = 0; value <= plan.given(); ++value) {
    blocks.emplace_back(value < plan.given() ? hidden * hidden : hidden);
    for (T& entry : blocks.back()) entry = draw();
  }
  return blocks;
}

}  // namespace upsweep::testing
