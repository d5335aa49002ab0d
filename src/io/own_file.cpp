#include "upsweep/io/own_file.hpp"

#include <cstddef>
#include <fstream>
#include <iterator>

namespace upsweep {

bool is_own_file(const std::string& path, std::string_view mark) {
  constexpr std::size_t kLooked = 4096;
  std::string begin(kLooked, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(in.gcount()));
  return begin.find(mark) != std::string::npos;
}

bool is_file_of(const std::string& path, std::string_view text) {
  std::ifstream in(path, std::ios::binary);
  const std::string found{std::istreambuf_iterator<char>(in), {}};
  return in && found == text;
}

}  // namespace upsweep
