#pragma once

#include <optional>
#include <vector>

#include "options.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/machine/machine.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep::cli {

/// Reads the model with what its pattern needs. Throws InputError, also where the patterns cannot fit into memory.
[[nodiscard]] Model load(const ModelOptions& options);

/// The same with these numbers.
[[nodiscard]] Model load(const ModelOptions& options, Numbers numbers);

/// analyse(), with progress on standard error when that is a terminal.
[[nodiscard]] Analysis analyse_with_progress(const Model& model, PatternKind pattern, std::vector<Schedule> schedules);

/// The machine of --machine, or nothing without it. Throws InputError.
[[nodiscard]] std::optional<Machine> load_machine_of(const ModelOptions& options);

/// Workers to simulate: --workers, else `widest`, at most those of the machine. Throws InputError where --workers
/// exceeds the machine's.
[[nodiscard]] std::size_t workers_of(const ModelOptions& options, std::size_t widest, const Machine* machine);

}  // namespace upsweep::cli
