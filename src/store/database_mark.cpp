#include "upsweep/store/database_mark.hpp"

#include <array>
#include <cstdint>
#include <fstream>
#include <string_view>

#include "schema.hpp"

namespace upsweep {

bool is_ours_or_empty(const std::string& file) {
  // https://www.sqlite.org/fileformat.html: 16 bytes of magic, the application id in bytes 68 to 71, big-endian.
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  constexpr std::size_t kApplicationAt = 68;
  std::array<char, 100> header{};
  std::ifstream in(file, std::ios::binary);
  in.read(header.data(), header.size());
  if (in.gcount() == 0) return in.eof();
  if (in.gcount() < static_cast<std::streamsize>(header.size()) || std::string_view(header.data(), 16) != kMagic)
    return false;
  std::uint32_t application = 0;
  for (std::size_t i = 0; i < 4; ++i)
    application = application << 8 | static_cast<unsigned char>(header.at(kApplicationAt + i));
  return application == static_cast<std::uint32_t>(kApplicationId);
}

}  // namespace upsweep
