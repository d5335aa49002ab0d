#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace upsweep::testing {

/// A folder of its own that goes away with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "upsweep-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::string path(const std::string& name = "") const { return (path_ / name).string(); }

  /// Writes a file and returns its path; makes folders as needed.
  std::string write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

/// Bytes of a .npy file of format version 1 with this header dictionary and these elements.
[[nodiscard]] inline std::string npy_with_header(const std::string& dictionary, const std::string& elements,
                                                 char major = 1) {
  std::string header = dictionary + '\n';
  std::string file = std::string("\x93NUMPY", 6) + major + '\0';
  const std::size_t size = header.size();
  file += static_cast<char>(size & 0xff);
  file += static_cast<char>(size >> 8 & 0xff);
  if (major > 1) file += std::string(2, '\0');
  return file + header + elements;
}

/// A .npy file of the given type and shape; `order` is "False" for row-major.
template <class T>
[[nodiscard]] std::string npy(const std::string& descr, const std::string& shape, const std::vector<T>& values,
                              const std::string& order = "False") {
  std::string elements(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(elements.data(), values.data(), elements.size());
  return npy_with_header("{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }",
                         elements);
}

[[nodiscard]] inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace upsweep::testing
