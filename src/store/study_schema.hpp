#pragma once

namespace upsweep {

/// The script that leads from schema version 6 to 7: studies, their points and answers, counted models.
[[nodiscard]] const char* study_schema();

}  // namespace upsweep
