#pragma once

#include <string>

namespace upsweep {

/// The path of a file that another one names relative to itself, without detours: "machines/a.yaml" for
/// "studies/../machines/a.yaml" where that is the same file.
[[nodiscard]] std::string beside(const std::string& file, const std::string& path);

/// Throws InputError naming the path where write_text_file() is bound to fail: there is no such folder, it cannot be
/// written to, or `path` is there and no regular file, or read-only.
void require_text_file(const std::string& path);

/// Writes a whole file or nothing: what was at `path` is replaced at once. Throws InputError naming the path.
void write_text_file(const std::string& path, const std::string& content);

}  // namespace upsweep
