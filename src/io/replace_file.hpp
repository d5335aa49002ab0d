#pragma once

#include <string>

namespace upsweep {

/// Whether nobody may write to the file at `path`, or this process may not. False where there is none.
[[nodiscard]] bool is_read_only_file(const std::string& path);

/// Puts `content` into the file at `path`, whole or not at all: it is written to a temporary file beside it, which is
/// then renamed. Throws InputError naming the path where that fails, and where the file there is
/// read-only; the temporary file is then gone, and what was at
/// `path` is still there.
void replace_file(const std::string& path, const std::string& content);

}  // namespace upsweep
