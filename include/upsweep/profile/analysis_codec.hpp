#pragma once

#include <string>
#include <string_view>

#include "upsweep/profile/network_profile.hpp"

namespace upsweep {

/// An analysis as bytes that decode_analysis() reads back to equal values, compact: schedules by name and length,
/// counts as variable-length integers (as CBOR of nlohmann's library it takes a third more bytes and ten times as
/// long). The format has a version of its own; readers refuse others. Throws std::invalid_argument for 0 inputs, and
/// schedules that were not counted over the network's inputs or do not have the combines of their names.
[[nodiscard]] std::string encode_analysis(const Analysis& analysis);

/// Throws std::invalid_argument for bytes that encode_analysis() did not write, cut off or of another version; never
/// reads out of their range. What it returns has at least one input, the same number everywhere. Cost, also of wrong
/// bytes, in time and memory: O(bytes · log bytes).
[[nodiscard]] Analysis decode_analysis(std::string_view bytes);

}  // namespace upsweep
