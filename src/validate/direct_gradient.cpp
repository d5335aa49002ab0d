#include "upsweep/validate/direct_gradient.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "direct_operators.hpp"

namespace upsweep {

std::vector<double> direct_gradient(const Operator& op, const OperatorWeights& weights, std::span<const double> x,
                                    std::span<const double> upstream) {
  if (x.size() != elements(op.in_shape) || upstream.size() != elements(op.out_shape)) {
    throw std::invalid_argument(fmt::format("{} '{}': an input of {} numbers and a gradient of {}, accepted are {}, {}",
                                            kind_name(op.kind), op.name, x.size(), upstream.size(),
                                            elements(op.in_shape), elements(op.out_shape)));
  }
  return hand_back(op, weights, x, upstream, PassKind::gradient);
}

}  // namespace upsweep
