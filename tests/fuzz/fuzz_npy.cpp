#include <cstddef>
#include <cstdint>
#include <sstream>

#include "upsweep/base/error.hpp"
#include "upsweep/io/npy.hpp"

/// Any bytes as a .npy file: an array that is no longer than the file, or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  try {
    const upsweep::NpyArray array = upsweep::read_npy(in, size, "fuzz.npy");
    if (array.bytes.size() > size || array.to_doubles().size() != array.nonzero().size() ||
        array.first_non_finite() > array.size())
      __builtin_trap();
  } catch (const upsweep::InputError&) {
    return 0;
  }
  return 0;
}
