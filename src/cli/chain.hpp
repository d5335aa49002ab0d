#pragma once

#include <string>

#include "options.hpp"
#include "recurrent.hpp"
#include "recurrent_options.hpp"

namespace upsweep::cli {

/// True for a synthetic chain. Throws InputError and UsageError where an option does not go with it.
[[nodiscard]] bool is_chain(const ModelOptions& model, const RecurrentOptions& options);

/// `profile` of a synthetic chain by closed forms; with a machine, predicted seconds too.
int profile_chain(const ModelOptions& options, const std::string& schedule);

/// `search` of a synthetic chain: depths by closed forms and, of exact chains up to a length, other schemes combine by
/// combine, in FLOPs; with a machine, depths in seconds under level execution.
int search_chain(const ModelOptions& options, SearchRequest request);

}  // namespace upsweep::cli
