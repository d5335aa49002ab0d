#pragma once

#include <string>

namespace upsweep {

/// Whether a file has nothing in it, or the mark of this program in the header of a SQLite database. Opens no database,
/// so that none is brought up to date by a look at it.
[[nodiscard]] bool is_ours_or_empty(const std::string& file);

}  // namespace upsweep
