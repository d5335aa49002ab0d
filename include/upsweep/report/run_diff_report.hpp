#pragma once

#include <string>

#include "upsweep/document/document.hpp"
#include "upsweep/store/run_diff.hpp"

namespace upsweep {

/// "before", "after", and "inputs", "rules" and "figures" with name, before, after, ratio, which CSV has all. People
/// read why numbers moved (which inputs, which rule, which version; or that nothing differs), then tables.
[[nodiscard]] Document document(const RunDiff& diff);

}  // namespace upsweep
