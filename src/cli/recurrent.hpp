#pragma once

#include <string>

#include "options.hpp"
#include "upsweep/search/depth.hpp"

namespace upsweep::cli {

/// True for a recurrent model. Throws InputError, also where an option does not go with it.
[[nodiscard]] bool is_recurrent(const ModelOptions& options);

/// `profile` of a recurrent model by closed forms.
int profile_recurrent(const ModelOptions& options, const std::string& schedule);

/// `search` of a recurrent model by closed forms.
int search_recurrent(const ModelOptions& options, SearchOptions search);

}  // namespace upsweep::cli
