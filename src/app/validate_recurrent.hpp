#pragma once

#include <string>
#include <vector>

#include "upsweep/app/validate.hpp"
#include "upsweep/io/model.hpp"
#include "upsweep/recurrent/backward_method.hpp"

namespace upsweep {

/// Backward methods separated by commas. Throws RequestError about `schedule`.
[[nodiscard]] std::vector<BackwardMethod> parse_methods(const std::string& text);

/// Workers of a run: all that the device has, unless the request says otherwise. Throws BackendError for more.
[[nodiscard]] std::size_t workers_of(const ValidateRequest& request, const DeviceFacts& facts);

/// The request of a recurrent model, whose file is `file`: forward pass, backward passes and parameter gradients,
/// against sequential back-propagation. Throws RequestError, InputError, BackendError.
[[nodiscard]] ValidateOutcome validate_recurrent(const ValidateRequest& request, const ModelFile& file,
                                                 const Caller& caller, const Watch& watch);

}  // namespace upsweep
