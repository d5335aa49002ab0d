#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "upsweep/upsweep.h"

/// Any settings and any bytes as a model through the C interface: a result with a code, JSON where it has one. The
/// input is settings, a zero byte, and the model.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string all(reinterpret_cast<const char*>(data), size);
  const std::size_t zero = std::min(all.find('\0'), all.size());
  nlohmann::json settings = nlohmann::json::parse(all.substr(0, zero), nullptr, false);
  if (settings.is_object()) {
    for (const char* writes : {"db", "gradient"}) settings.erase(writes);
    settings["count_limit"] = 100'000;
  }
  const std::string text = settings.is_discarded() ? all.substr(0, zero) : settings.dump();
  const std::string model = zero < all.size() ? all.substr(zero + 1) : "";
  upsweep_input* input = upsweep_input_bytes("model.yaml", model.data(), model.size());
  upsweep_result* result = upsweep_run(size % 2 == 0 ? "profile" : "search", &input, 1, text.c_str(), nullptr);
  if (upsweep_result_code(result) == UPSWEEP_FAULT) __builtin_trap();
  if (upsweep_result_code(result) == UPSWEEP_DONE && upsweep_result_text(result, "json", nullptr) == nullptr)
    __builtin_trap();
  upsweep_result_close(result);
  upsweep_input_close(input);
  return 0;
}
