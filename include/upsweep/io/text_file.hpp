#pragma once

#include <string>

namespace upsweep {

/// Writes a whole file or nothing: what was at `path` is replaced at once. Throws InputError naming the path.
void write_text_file(const std::string& path, const std::string& content);

}  // namespace upsweep
