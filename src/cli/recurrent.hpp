#pragma once

#include <optional>
#include <string>

#include "command.hpp"
#include "options.hpp"
#include "upsweep/io/recurrent_file.hpp"
#include "upsweep/search/depth.hpp"

namespace upsweep::cli {

/// Options that only recurrent models have, as text.
struct RecurrentOptions {
  std::optional<std::string> steps;
  std::optional<std::string> batch;
  std::optional<std::string> hidden;
  std::optional<std::string> forward_kernels;
  std::optional<std::string> backward_kernels;
  std::optional<std::string> host_launch_us;
};

/// Declares --steps, --batch, --hidden, and where `has_machine` the assumptions of predictions on a machine.
void declare_recurrent_options(CLI::App& app, RecurrentOptions& options, bool has_machine = true);

/// Checks what CLI11 does not. Throws UsageError.
void check_recurrent_options(const RecurrentOptions& options, const ModelOptions& model);

/// The model of the file with --steps, --batch and --hidden. Throws InputError where weights or sequences from files do
/// not go with them, and for a stack of layers that `accepted` leaves out.
[[nodiscard]] RecurrentModel load_with(const ModelOptions& options, const RecurrentOptions& recurrent,
                                       Layers accepted = Layers::one);

/// A scan by blocks: of a recurrent model a pass of its own, not a schedule.
[[nodiscard]] bool is_blocked(const std::string& schedule);

/// Checks --schedule of `profile` as far as it can be before the model says what it accepts. Throws UsageError.
void check_profile_schedule(const std::string& schedule);

/// True for a recurrent model. Throws InputError, also where an option does not go with it; UsageError for another
/// model with options that only recurrent ones have.
[[nodiscard]] bool is_recurrent(const ModelOptions& model, const RecurrentOptions& options);

/// `profile` of a recurrent model by closed forms; with a machine, predicted seconds too.
int profile_recurrent(const ModelOptions& options, const RecurrentOptions& recurrent, const std::string& schedule,
                      const Invocation& invocation);

/// `search` of a recurrent model by closed forms, in FLOPs or, with a machine, in seconds. `has_execution`: --execution
/// was given.
int search_recurrent(const ModelOptions& options, const RecurrentOptions& recurrent, SearchOptions search,
                     bool has_execution, const Invocation& invocation);

}  // namespace upsweep::cli
