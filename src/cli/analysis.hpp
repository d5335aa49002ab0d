#pragma once

#include <cstddef>
#include <optional>

#include "options.hpp"
#include "upsweep/app/loading.hpp"

namespace upsweep::cli {

/// Reads the model with what its pattern needs. Throws InputError, also where the patterns cannot fit into memory.
[[nodiscard]] Model load(const ModelOptions& options);

/// The machine of --machine, or nothing without it. Throws InputError.
[[nodiscard]] std::optional<Machine> load_machine_of(const ModelOptions& options);

/// Workers to simulate: --workers, else `widest`, at most those of the machine. Throws InputError where --workers
/// exceeds the machine's.
[[nodiscard]] std::size_t workers_of(const ModelOptions& options, std::size_t widest, const Machine* machine);

}  // namespace upsweep::cli
