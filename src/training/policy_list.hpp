#pragma once

#include <vector>

#include "upsweep/training/policy.hpp"

namespace upsweep {

/// What the files in policies/ give, by file name; the build writes this function.
[[nodiscard]] std::vector<Policy> policy_list();

}  // namespace upsweep
