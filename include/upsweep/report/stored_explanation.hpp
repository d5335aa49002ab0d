#pragma once

#include <string>
#include <vector>

#include "upsweep/store/stored_run.hpp"

namespace upsweep {

/// Why a schedule of a stored search in FLOPs is faster or slower than plain back-propagation: the sentences of
/// `explain`, by both rules of ops, from the ops as they are stored. Empty where these have no spans or are none of the
/// schedules, and beyond some thousand ops.
[[nodiscard]] std::vector<std::string> stored_explanation(const RunDetails& schedule, const RunDetails& plain);

}  // namespace upsweep
