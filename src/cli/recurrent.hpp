#pragma once

#include <optional>
#include <string>

#include "command.hpp"
#include "options.hpp"
#include "recurrent_options.hpp"
#include "upsweep/io/recurrent_file.hpp"
#include "upsweep/search/depth.hpp"

namespace upsweep::cli {

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

/// What `search` was asked for, and which options were given at all.
struct SearchRequest {
  SearchOptions search;
  bool has_execution = false;
  std::optional<std::string> schemes;  ///< --schemes: "all" or "hybrid"
};

/// `search` of a recurrent model: depths by closed forms and, up to a length, other schemes combine by combine, in
/// FLOPs; with a machine, passes in seconds.
int search_recurrent(const ModelOptions& options, const RecurrentOptions& recurrent, SearchRequest request,
                     const Invocation& invocation);

}  // namespace upsweep::cli
