#include "upsweep/solve/forward_sweeps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "upsweep/base/checked.hpp"
#include "upsweep/jacobian/elementwise.hpp"
#include "upsweep/jacobian/forward.hpp"
#include "upsweep/jacobian/patterns.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

/// What an operator that is not affine holds: gains of elements or positions of inputs.
enum class Held : std::uint8_t { nothing, gain, positions };

Held held_by(const OperatorKind& kind) {
  return visit_operator(
      kind, [](const AffineOperator auto&) { return Held::nothing; },
      [](const ChoosingOperator auto&) { return Held::positions; },
      []<MixingOperator K>(const K&) -> Held requires(!AffineOperator<K>) {
        throw std::invalid_argument(std::string(K::kTraits.name) + " is not modelled by sweeps");
      },
      []<ElementwiseOperator K>(const K&) requires(!AffineOperator<K>) { return Held::gain; });
}

/// The limit of f(y) / y at 0 where f(0) = 0, from the right: the slope just right of it.
double gain_at_zero(const Operator& op, const OperatorWeights& weights, std::size_t i) {
  const double right = std::numeric_limits<double>::denorm_min();
  double slope = 0;
  elementwise_slopes(op, weights, i, std::span(&right, 1), std::span(&slope, 1));
  return slope;
}

double gain_at(const Operator& op, const OperatorWeights& weights, std::size_t i, double y, double value,
               std::size_t index) {
  if (y == 0 && value == 0) return gain_at_zero(op, weights, i);
  const double gain = value / y;
  // A y that is not finite itself is a sweep's overflow, and goes away with the sweeps.
  if (std::isfinite(gain) || !std::isfinite(y)) return gain;
  throw OperatorError(index, fmt::format("{} '{}': element {} has y = {} and f(y) = {}, accepted are a y of larger "
                                         "size or f(0) = 0: 1 / D = f(y) / y is no finite number there",
                                         kind_name(op.kind), op.name, i, y, value));
}

using Outputs = std::vector<std::vector<double>>;

/// What operator `position` reads, in its order.
std::vector<std::span<const double>> read_inputs(const Network& network, std::size_t position,
                                                 std::span<const double> x, const Outputs& outputs) {
  std::vector<std::span<const double>> inputs;
  for (const std::size_t from : network.inputs_of(position)) {
    inputs.push_back(from == kNetworkInput ? x : std::span<const double>(outputs[from]));
  }
  return inputs;
}

HeldOperator held_operator(const Operator& op, const OperatorWeights& weights, std::size_t index,
                           std::span<const double> y) {
  HeldOperator held;
  const Held what = held_by(op.kind);
  if (what == Held::positions) held.positions = max_positions(op, y);
  if (what != Held::gain) return held;
  held.gain.resize(y.size());
  elementwise_values(op, weights, 0, y, held.gain);
  for (std::size_t i = 0; i < y.size(); ++i) held.gain[i] = gain_at(op, weights, i, y[i], held.gain[i], index);
  return held;
}

void check_length(const std::string& what, std::size_t found, std::size_t accepted) {
  if (found == accepted) return;
  throw std::invalid_argument(fmt::format("{}: {} entries, accepted are {}", what, found, accepted));
}

/// z of an operator that is not affine.
std::vector<double> hold(const Operator& op, const HeldOperator& held, std::span<const double> y) {
  std::vector<double> z(elements(op.out_shape));
  if (held_by(op.kind) == Held::positions) {
    check_length(op.name + " held", held.positions.size(), z.size());
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = y[held.positions[i]];
    return z;
  }
  check_length(op.name + " held", held.gain.size(), z.size());
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = held.gain[i] * y[i];
  return z;
}

std::vector<double> errors_of(const Outputs& found, const Outputs& exact) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < exact.size(); ++i) errors.push_back(relative_error(found[i], exact[i]));
  return errors;
}

HeldOperators held_after(const Network& network, const NetworkWeights& weights, std::span<const double> x,
                         const Outputs& outputs, const std::string& pass) {
  try {
    return held_operators(network, weights, x, outputs);
  } catch (const OperatorError& error) {
    throw OperatorError(error.index(), fmt::format("{}, {}", pass, error.what()));
  }
}

/// Entries of the Jacobians of an affine operator; FLOPs.
std::uint64_t affine_flops(const Network& network, std::size_t position, const OperatorWeights& weights) {
  const Operator& op = network.operators()[position];
  if (is_view(op.kind) || joins_parts(op.kind)) return 0;
  if (is_join(op.kind)) return checked_mul(network.inputs_of(position).size() - 1, elements(op.out_shape));
  return flops_of_products(guaranteed_pattern(op, weights).nnz());
}

}  // namespace

bool is_affine(const OperatorKind& kind) { return held_by(kind) == Held::nothing; }

HeldOperators unit_operators(const Network& network) {
  HeldOperators held;
  for (const Operator& op : network.operators()) {
    HeldOperator one;
    const Held what = held_by(op.kind);
    if (what == Held::positions) {
      one.positions = max_positions(op, std::vector<double>(elements(op.in_shape), 0.0));
    } else if (what == Held::gain) {
      one.gain.assign(elements(op.out_shape), 1.0);
    }
    held.push_back(std::move(one));
  }
  return held;
}

HeldOperators held_operators(const Network& network, const NetworkWeights& weights, std::span<const double> x,
                             const Outputs& outputs) {
  check_length("outputs", outputs.size(), network.operators().size());
  HeldOperators held;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const Operator& op = network.operators()[o];
    const std::span<const double> y = read_inputs(network, o, x, outputs).front();
    check_length("input of " + op.name, y.size(), elements(op.in_shape));
    held.push_back(held_operator(op, weights[o], o, y));
  }
  return held;
}

Outputs sweep(const Network& network, const NetworkWeights& weights, const HeldOperators& held,
              std::span<const double> x) {
  check_length("held", held.size(), network.operators().size());
  check_length("input of the network", x.size(), elements(network.input()));
  Outputs outputs;
  for (std::size_t o = 0; o < held.size(); ++o) {
    const Operator& op = network.operators()[o];
    const auto inputs = read_inputs(network, o, x, outputs);
    outputs.push_back(is_affine(op.kind) ? forward(op, weights[o], inputs) : hold(op, held[o], inputs.front()));
  }
  return outputs;
}

std::vector<std::size_t> sweeps_until_exact(const Network& network) {
  std::vector<std::size_t> sweeps;
  for (std::size_t o = 0; o < network.operators().size(); ++o) {
    std::size_t needed = 1;
    for (const std::size_t from : network.inputs_of(o)) {
      if (from != kNetworkInput) needed = std::max(needed, sweeps[from]);
    }
    sweeps.push_back(is_affine(network.operators()[o].kind) ? needed : needed + 1);
  }
  return sweeps;
}

double relative_error(std::span<const double> found, std::span<const double> exact) {
  check_length("found numbers", found.size(), exact.size());
  double difference = 0;
  double largest = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (!std::isfinite(found[i])) return std::numeric_limits<double>::infinity();
    difference = std::max(difference, std::fabs(found[i] - exact[i]));
    largest = std::max(largest, std::fabs(exact[i]));
  }
  return largest == 0 ? difference : difference / largest;
}

SweepHistory forward_sweeps(const Network& network, const NetworkWeights& weights, std::span<const double> x,
                            std::optional<std::span<const double>> earlier, double tolerance) {
  if (!(tolerance >= 0))
    throw std::invalid_argument(fmt::format("tolerance is {}, accepted are numbers >= 0", tolerance));
  const Outputs exact = activations(network, weights, x);
  HeldOperators held =
      earlier ? held_after(network, weights, *earlier, activations(network, weights, *earlier), "the earlier pass")
              : unit_operators(network);
  SweepHistory history{{}, sweeps_until_exact(network), {}, {}};
  const std::size_t sweeps = history.until_exact.back();
  for (std::size_t s = 1; s <= sweeps; ++s) {
    history.last = sweep(network, weights, held, x);
    history.errors.push_back(errors_of(history.last, exact));
    if (s < sweeps) held = held_after(network, weights, x, history.last, fmt::format("sweep {}", s));
  }
  // An error may grow in between: what counts is from when on it stays small.
  for (std::size_t s = sweeps; s > 0 && history.output_error(s) <= tolerance; --s) history.needed = s;
  return history;
}

SweepCost sweep_cost(const Network& network, const NetworkWeights& weights) {
  SweepCost cost;
  for (std::size_t o = 0; o < network.operators().size(); ++o) {
    const Operator& op = network.operators()[o];
    if (is_affine(op.kind)) {
      const std::uint64_t flops = affine_flops(network, o, weights[o]);
      add_to(cost.flops, flops);
      add_to(cost.plain_flops, flops);
      continue;
    }
    add_to(cost.flops, flops_of_products(elements(op.out_shape)));
    add_to(cost.evaluations, unpruned_nnz(op));
    if (held_by(op.kind) == Held::gain) add_to(cost.divisions, elements(op.out_shape));
  }
  return cost;
}

}  // namespace upsweep
