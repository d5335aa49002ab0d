#pragma once

#include <optional>
#include <string>

#include "command.hpp"
#include "options.hpp"
#include "upsweep/app/loading.hpp"

namespace upsweep::cli {

/// Options that only recurrent models have, as text.
struct RecurrentOptions {
  std::optional<std::string> steps;
  std::optional<std::string> hidden;
  std::optional<std::string> forward_kernels;
  std::optional<std::string> backward_kernels;
  std::optional<std::string> host_launch_us;
};

/// Declares --steps, --hidden, and where `has_machine` the assumptions of predictions on a machine.
void declare_recurrent_options(CLI::App& app, RecurrentOptions& options, bool has_machine = true);

/// Sizes in place of the file's. Throws UsageError.
[[nodiscard]] RecurrentSizes sizes_of(const RecurrentOptions& options);

/// What the options assume of a machine. Throws UsageError.
[[nodiscard]] DeviceSettings assumptions_of(const RecurrentOptions& options);

}  // namespace upsweep::cli
