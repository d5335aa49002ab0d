#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "options.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep::cli {

/// Opens the store of --db, or nothing without it.
[[nodiscard]] std::unique_ptr<RunStore> open_store(const std::optional<std::string>& db);

/// The command line as a JSON array. Arguments need not be UTF-8; what is not is replaced.
[[nodiscard]] std::string arguments_json(const Invocation& invocation);

/// What all runs of this command have in common. Refers to `model` and `profile`.
[[nodiscard]] RunContext run_context(const Invocation& invocation, const std::string& command,
                                     const ModelOptions& options, const Model& model, const NetworkProfile& profile);

/// Adds the machine that made the predictions, if any, and the predicted time to build the chain.
void add_machine(RunContext& context, const Machine* machine, std::size_t workers, unsigned value_bytes);

/// Says on standard error where the runs went.
void report_stored(const std::string& db, const std::vector<std::int64_t>& ids);

}  // namespace upsweep::cli
