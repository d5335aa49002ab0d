#pragma once

#include "upsweep/jacobian/block.hpp"
#include "upsweep/jacobian/patterns.hpp"

namespace upsweep {

/// form_block() of operators whose patterns are kept by `form`: so is the identity that it starts from.
[[nodiscard]] BlockPlan form_block(const Network& network, std::size_t link, const PatternSource& pattern_of,
                                   StepPatterns patterns, PatternForm form);

}  // namespace upsweep
