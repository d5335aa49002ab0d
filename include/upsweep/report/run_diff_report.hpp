#pragma once

#include <string>

#include "upsweep/report/format.hpp"
#include "upsweep/store/run_diff.hpp"

namespace upsweep {

/// {"before", "after", "inputs": [..], "rules": [..], "figures": [..]}, each entry with name, before, after, ratio.
[[nodiscard]] Json to_json(const RunDiff& diff);
[[nodiscard]] std::string to_csv(const RunDiff& diff);
/// A sentence that says why numbers moved (which inputs, which rule, which version; or that nothing differs), then
/// tables.
[[nodiscard]] std::string to_text(const RunDiff& diff, const TextStyle& style = {});

}  // namespace upsweep
