#pragma once

#include "sections.hpp"

namespace upsweep {

/// A section at a glance: what was asked, under what, the verdict in a sentence, a bar for the scan beside each
/// baseline with its interval, from where on it overtakes, what binds and what would turn it. Empty where it concluded
/// nothing.
[[nodiscard]] Markup card(const SectionEntry& entry);

}  // namespace upsweep
