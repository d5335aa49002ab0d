#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

#include "scratch_file.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/model_file.hpp"

/// Any bytes as an ONNX file: a network or an InputError, nothing else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ScratchFile scratch(".onnx");
  const std::string& file = scratch.path;
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    const upsweep::Model model = upsweep::load_onnx(file, {}, upsweep::Numbers::structure);
    if (model.network.links().empty()) __builtin_trap();
  } catch (const upsweep::InputError&) {
    return 0;
  }
  return 0;
}
