#pragma once

#include <string>
#include <vector>

#include "upsweep/anchors/anchor_row.hpp"

namespace upsweep {

/// Reads a table of published times: CSV with a line of column names, cells in double quotes where they have commas,
/// quotes or line breaks.
///
/// `family`, `device`, `library`, `time_ms` and `status` are required; other columns are those of AnchorRow by their
/// names, and what it has not is left out. Throws InputError, "FILE:LINE: ...", for a file that cannot be read, missing
/// or repeated columns, another number of cells than of columns, quotes that do not end, and numbers that are none,
/// negative or (of counts) not whole; for an ok row without a time above 0.
[[nodiscard]] std::vector<AnchorRow> load_anchors(const std::string& path);

}  // namespace upsweep
