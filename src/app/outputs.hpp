#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace upsweep {

/// A file that a request names, by its field.
struct NamedFile {
  std::string field;
  std::string path;
};

/// A file that a command is to write.
struct OutputFile {
  std::string field;
  std::string path;
  std::string_view mark;  ///< what such a file has in its first bytes: one of io/own_file.hpp
};

/// Throws RequestError about `out` where it does not end with `ending` (".html").
void check_ending(const std::string& out, const std::string& ending);

/// The arrays of a model file, with `field`: all texts of it that are names of files or folders, from where it lies.
/// Nothing of a file that is no YAML, about which whoever reads it complains.
[[nodiscard]] std::vector<NamedFile> arrays_of(const std::string& field, const std::string& model_file);

/// Checks before any work that a file may be written: it is another one than all that the command reads or keeps things
/// in (under another name or by a link, too), and lies in none of them that is a folder, and what is there is a file
/// that this program wrote, or `force` says that it may go. Throws RequestError; InputError where it cannot be written
/// (no folder, read-only, no regular file).
void check_output(const OutputFile& output, const std::vector<NamedFile>& others, bool force);

}  // namespace upsweep
