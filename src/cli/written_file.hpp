#pragma once

#include <string>

namespace upsweep::cli {

/// Checks --out before anything is opened: it must end with `ending` (".html") and be another file than the database.
/// Throws UsageError.
void check_out(const std::string& out, const std::string& ending, const std::string& db);

/// Says on standard error what was written: "upsweep: wrote report.html (1.234 MiB)".
void report_written(const std::string& out, std::size_t bytes);

}  // namespace upsweep::cli
