#include "upsweep/network/operators/scale.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "upsweep/network/operators/shift.hpp"

namespace upsweep {
namespace {

/// The shape of an input whose elements have the constants of `kind`.
const Shape& fitting(const auto& kind, const Shape& in) {
  require_positive("size", kind.size);
  require_positive("inner", kind.inner);
  if (elements(in) % kind.inner == 0 && elements(in) / kind.inner % kind.size == 0) return in;
  throw std::invalid_argument(fmt::format("its input has shape {}, accepted is a multiple of size · inner, {} · {}",
                                          to_string(in), kind.size, kind.inner));
}

}  // namespace

Shape Scaling::shape(const Shape& in) const { return fitting(*this, in); }

Shape Shifting::shape(const Shape& in) const { return fitting(*this, in); }

void Scaling::add_value_gradients(const Operator&, const OperatorWeights&, std::span<const OperatorSample> samples,
                                  std::span<double> gradient) const {
  for (const OperatorSample& sample : samples) {
    for (std::size_t i = 0; i < sample.input.size(); ++i) {
      if (negative_part && sample.input[i] > 0) continue;
      gradient[parameter_of(i)] += sample.upstream[i] * sample.input[i];
    }
  }
}

}  // namespace upsweep
