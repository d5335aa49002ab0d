#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace upsweep {

/// A file that is open for reading, with its length in bytes.
struct RegularFile {
  std::ifstream stream;
  std::uint64_t length = 0;
};

/// Opens a file; `kind` ("a .npy file") says in errors what is accepted. Throws InputError where there is none, where
/// it is a folder or a pipe, or where it cannot be read.
[[nodiscard]] RegularFile open_regular_file(const std::string& path, const std::string& kind);

}  // namespace upsweep
