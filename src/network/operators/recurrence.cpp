#include "upsweep/network/operators/recurrence.hpp"

#include <stdexcept>

#include "upsweep/base/checked.hpp"
#include "upsweep/network/operator.hpp"

namespace upsweep {

Shape Recurrence::shape(std::span<const Shape> in) const {
  require_fit(in.size() == 1 && in[0].size() == 2, in, "one of [steps, features]");
  require_positive("hidden_size", hidden);
  return {in[0][0], hidden};
}

SharedRows Recurrence::rows(const Operator& op, std::size_t) const {
  SharedRows rows;
  const std::uint64_t features = op.in_shape[1];
  rows.count = static_cast<std::uint32_t>(op.in_shape[0]);
  rows.number_of.resize(elements(op.in_shape));
  for (std::size_t e = 0; e < rows.number_of.size(); ++e) rows.number_of[e] = static_cast<std::uint32_t>(e / features);
  rows.write = [kind = *this, steps = op.in_shape[0]](std::uint32_t t, std::vector<std::uint32_t>& columns) {
    const std::uint64_t begin = kind.reversed ? 0 : t * kind.hidden;
    const std::uint64_t end = kind.reversed ? (t + 1) * kind.hidden : steps * kind.hidden;
    for (std::uint64_t c = begin; c < end; ++c) columns.push_back(static_cast<std::uint32_t>(c));
  };
  return rows;
}

std::uint64_t Recurrence::entries(const Operator& op, std::size_t) const {
  const std::uint64_t steps = op.in_shape[0];
  return checked_mul(checked_mul(steps * (steps + 1) / 2, op.in_shape[1]), hidden);
}

std::uint64_t Recurrence::baseline_flops(const Operator& op, std::size_t) const {
  // Back-propagation through time: two matrices of each gate in every step.
  const std::uint64_t gates = cell == RecurrentCell::rnn ? 1 : cell == RecurrentCell::gru ? 3 : 4;
  return checked_mul(2 * gates * op.in_shape[0], checked_mul(hidden, checked_add(hidden, op.in_shape[1])));
}

std::vector<double> Recurrence::value(const Operator& op, const OperatorWeights&,
                                      std::span<const std::span<const double>>) const {
  throw std::invalid_argument("recurrence '" + op.name +
                              "' is counted, its numbers are not modelled: accepted are recurrent models");
}

}  // namespace upsweep
