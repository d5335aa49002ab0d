#pragma once

#include "recurrent_devices.hpp"

namespace upsweep::kernels {

/// Our kernels for the forward pass and the parameter gradients, on device 0.
[[nodiscard]] OuterDevice cuda_outer_device();

}  // namespace upsweep::kernels
