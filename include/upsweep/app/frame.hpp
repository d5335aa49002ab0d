#pragma once

#include <optional>
#include <string>

#include "upsweep/machine/machine.hpp"
#include "upsweep/search/candidate.hpp"
#include "upsweep/search/frame_request.hpp"

namespace upsweep {

/// Throws RequestError for settings that do not go together, whatever the model.
void check_frame(const FrameRequest& frame);

/// Throws RequestError for a batch whose runs are to be kept: those of a database are of one input, so that they can be
/// compared. Passes that are predicted on a machine are kept with their batch.
void require_one_input(const FrameRequest& frame, const std::optional<std::string>& db);

/// What makes scores of counts on a machine, or without one: "pram" or "roofline".
[[nodiscard]] std::string pricer_of(const Machine* machine);

/// The frame of a search for the least time of all ops; `machine` is that of its file, or null: what takes more than
/// its memory, where the file says it, is infeasible.
[[nodiscard]] SearchOptions options_of(const FrameRequest& frame, const Machine* machine, unsigned value_bytes);

}  // namespace upsweep
