#pragma once

#include <string>
#include <vector>

#include "upsweep/anchors/anchor_row.hpp"

namespace upsweep {

/// Validations of a database as rows of `anchors`: predicted when they ran, by the machine that was given then.
///
/// Families: "validation" (an iteration), "validation level" (its levels), "chain" (building the Jacobians). The
/// library says backend, workers, execution and numbers, `line` is the run. Iterations shorter than kLeastOwnTime have
/// the status "short", and their levels are left out. Throws InputError as StoreReader does.
[[nodiscard]] std::vector<AnchorRow> own_times(const std::string& db);
/// Seconds. What is shorter says more of interrupts and clocks than of a model.
inline constexpr double kLeastOwnTime = 1e-3;

/// Whether a file is a database rather than a table.
[[nodiscard]] bool is_database(const std::string& file);

}  // namespace upsweep
