#pragma once

#include <string>
#include <string_view>

#include "upsweep/profile/network_profile.hpp"

namespace upsweep {

/// An analysis as bytes that decode_analysis() reads back to equal values, compact: schedules by name and length,
/// counts as variable-length integers. The format has a version of its own; readers refuse others.
[[nodiscard]] std::string encode_analysis(const Analysis& analysis);

/// Throws std::invalid_argument for bytes that encode_analysis() did not write, cut off or of another version; never
/// reads out of their range.
[[nodiscard]] Analysis decode_analysis(std::string_view bytes);

}  // namespace upsweep
