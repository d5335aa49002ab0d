#include "upsweep/io/text_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "replace_file.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep {

std::string beside(const std::string& file, const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path plain = fs::path(file).parent_path() / path;
  const fs::path normal = plain.lexically_normal();
  std::error_code error;
  // Behind a link to a folder ".." leads elsewhere than its text says.
  return (fs::exists(plain, error) && !fs::equivalent(plain, normal, error) ? plain : normal).string();
}

void require_text_file(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr const char* kAccepted =
      "accepted is a writable regular file or a new one, in a folder that can be written to";
  if (path.empty()) throw InputError(fmt::format("'' is no name of a file, {}", kAccepted));
  const fs::path folder = fs::absolute(path).parent_path();
  std::error_code error;
  if (!fs::is_directory(folder, error))
    throw InputError(fmt::format("{}: there is no folder {}, {}", path, folder.string(), kAccepted));
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    throw InputError(fmt::format("{}: the folder {} cannot be written to, {}", path, folder.string(), kAccepted));
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw InputError(fmt::format("{} is no regular file, {}", path, kAccepted));
  if (is_read_only_file(path)) throw InputError(fmt::format("{} is read-only, {}", path, kAccepted));
}

void write_text_file(const std::string& path, const std::string& content) { replace_file(path, content); }

}  // namespace upsweep
