#pragma once

#include <cstdint>

#include "command.hpp"
#include "options.hpp"
#include "upsweep/io/recurrent_file.hpp"
#include "upsweep/search/depth.hpp"

namespace upsweep::cli {

/// `profile` of a stack of recurrent layers: the wavefront, and every kind of scan at this depth and by Kogge-Stone.
///
/// Throws InputError where an option does not go with it; CountOverflow.
void profile_stack(const ModelOptions& options, const RecurrentModel& model, std::uint32_t depth,
                   const Invocation& invocation);

/// `search` over all ways through a stack of recurrent layers. `has_execution`: --execution was given. Throws as
/// profile_stack().
void search_stack(const ModelOptions& options, const RecurrentModel& model, const SearchOptions& search,
                  bool has_execution, const Invocation& invocation);

}  // namespace upsweep::cli
