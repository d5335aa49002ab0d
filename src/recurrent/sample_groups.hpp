#pragma once

#include <cstddef>

namespace upsweep {

/// Samples whose vectors a blocked scan of this processor takes through a step together: their product has as many
/// rows.
inline constexpr std::size_t kSamplesPerGroup = 8;

}  // namespace upsweep
