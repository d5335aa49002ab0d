#pragma once

#include <string>

namespace upsweep {

/// The command line of a stored run, "upsweep search 'my model.yaml' --workers 4", as a POSIX shell reads it.
/// `parameters`: a JSON array of arguments; anything else comes back as it is. `with_db`: with the option --db, which
/// names a file of whoever ran it.
[[nodiscard]] std::string command_text(const std::string& parameters, bool with_db = true);

}  // namespace upsweep
