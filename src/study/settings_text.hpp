#pragma once

#include <string_view>

#include "upsweep/base/content_key.hpp"
#include "upsweep/study/point_factory.hpp"

namespace upsweep {

/// The key of a point's result: everything that it depends on. Points with equal keys have equal results.
[[nodiscard]] ContentKey point_key(const PointInputs& inputs, std::string_view tool_version);

}  // namespace upsweep
