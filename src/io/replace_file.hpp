#pragma once

#include <string>

namespace upsweep {

/// Puts `content` into the file at `path`, whole or not at all: it is written to a temporary file beside it, which is
/// then renamed. Throws InputError naming the path where that fails; the temporary file is then gone, and what was at
/// `path` is still there.
void replace_file(const std::string& path, const std::string& content);

}  // namespace upsweep
