#pragma once

#include <string>

namespace upsweep {

/// Checks a request's `out` before anything is opened: it must end with `ending` (".html") and be another file than the
/// database. Throws RequestError.
void check_out(const std::string& out, const std::string& ending, const std::string& db);

}  // namespace upsweep
