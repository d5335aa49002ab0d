#include "regular_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "upsweep/base/error.hpp"
#include "upsweep/base/near_file.hpp"

namespace upsweep {

RegularFile open_regular_file(const std::string& path, const std::string& kind) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw InputError(fmt::format("{}: no such file{}, accepted is {}", path, near_file(path), kind));
  }
  if (error) throw InputError(fmt::format("{}: {}, accepted is {}", path, error.message(), kind));
  if (!std::filesystem::is_regular_file(status)) {
    throw InputError(fmt::format("{}: not a regular file, accepted is {}", path, kind));
  }
  RegularFile file{std::ifstream(path, std::ios::binary), std::filesystem::file_size(path, error)};
  if (error || !file.stream) throw InputError(fmt::format("{}: cannot be read, accepted is {}", path, kind));
  return file;
}

}  // namespace upsweep
