#include "named_file.hpp"

#include <filesystem>

#include "upsweep/io/text_file.hpp"

namespace upsweep {

std::optional<std::string> named_file(const std::string& text, const std::string& beside_file) {
  const std::string path = beside_file.empty() ? text : beside(beside_file, text);
  std::error_code failure;
  // What looks like a path is one; a folder of that name hides nothing.
  const bool is_name = text.find_first_of("/.") == std::string::npos;
  const bool is_there =
      (std::filesystem::exists(path, failure) || failure) && !(is_name && std::filesystem::is_directory(path, failure));
  return is_there || !is_name ? std::optional(path) : std::nullopt;
}

}  // namespace upsweep
