#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "options.hpp"
#include "recurrent.hpp"
#include "upsweep/recurrent/backward_method.hpp"

namespace upsweep::cli {

/// Options of `validate` as a recurrent model needs them; texts that were not given are empty.
struct RecurrentValidation {
  ModelOptions model;
  RecurrentOptions recurrent;
  std::string backend;
  std::optional<std::string> schedules;  ///< backward methods, separated by commas
  bool all_depths = false;
  std::string seed;          ///< of random sequences
  bool has_seed = false;     ///< the seed was given
  bool is_predicted = true;  ///< measure rates first, and predict from them
};

/// Backward methods separated by commas. Throws UsageError that names the option.
[[nodiscard]] std::vector<BackwardMethod> parse_methods(const std::string& option, const std::string& text);

/// `validate` of a recurrent model: forward pass, backward passes and parameter gradients, against sequential
/// back-propagation. Returns the exit code. Throws UsageError, InputError, BackendError, ValidationFailed.
int validate_recurrent(const RecurrentValidation& options, const Invocation& invocation);

}  // namespace upsweep::cli
