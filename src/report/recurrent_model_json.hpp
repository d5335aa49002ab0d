#pragma once

#include "upsweep/document/json.hpp"
#include "upsweep/io/recurrent_file.hpp"

namespace upsweep {

/// A recurrent model as all reports on it name it.
[[nodiscard]] Json recurrent_model_json(const RecurrentModel& model);

}  // namespace upsweep
