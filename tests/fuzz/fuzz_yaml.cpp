#include <cstddef>
#include <cstdint>
#include <sstream>

#include "upsweep/base/error.hpp"
#include "upsweep/io/model_file.hpp"

/// Any bytes as a model file: a model or an InputError, nothing else. Numbers are made up only where pruning asks for
/// them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  try {
    const upsweep::Model model =
        upsweep::load_network(upsweep::parse_yaml(in, "/nonexistent/fuzz.yaml"), upsweep::Numbers::structure);
    if (model.network.links().empty()) __builtin_trap();
  } catch (const upsweep::InputError&) {
    return 0;
  }
  return 0;
}
