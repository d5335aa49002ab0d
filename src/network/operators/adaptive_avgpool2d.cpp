#include "upsweep/network/operators/adaptive_avgpool2d.hpp"

#include "upsweep/network/window.hpp"

namespace upsweep {

Shape AdaptiveAvgPool2d::shape(const Shape& in) const {
  require_image(in);
  require_positive("output_size", output_size);
  return {in[0], output_size.y, output_size.x};
}

ImageWindows AdaptiveAvgPool2d::windows(const Operator& op) const {
  return {AxisWindows::adaptive(op.in_shape[1], op.out_shape[1]),
          AxisWindows::adaptive(op.in_shape[2], op.out_shape[2])};
}

std::vector<double> AdaptiveAvgPool2d::divisors(const Operator& op) const { return window_sizes(op); }

}  // namespace upsweep
