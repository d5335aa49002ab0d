#pragma once

#include <optional>
#include <string>

namespace upsweep {

/// The path that a text names, beside the file `beside_file` where that is not empty; nothing where there is no such
/// file and the text looks like a name, of which the program may carry a file.
[[nodiscard]] std::optional<std::string> named_file(const std::string& text, const std::string& beside_file);

}  // namespace upsweep
