#pragma once

#include <vector>

#include "options.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep::cli {

/// Reads the model with what its pattern needs. Throws InputError, also where the patterns cannot fit into memory.
[[nodiscard]] Model load(const ModelOptions& options);

/// analyse(), with progress on standard error when that is a terminal.
[[nodiscard]] Analysis analyse_with_progress(const Model& model, PatternKind pattern, std::vector<Schedule> schedules);

}  // namespace upsweep::cli
