#include "small_products_reader.hpp"

#include <cmath>

#include "quantity.hpp"

namespace upsweep {

SmallProducts read_small_products(const YamlDocument& document, const YamlNode& node,
                                  std::map<std::string, std::string>& sources) {
  YamlMap map(document, node, "small_products");
  QuantityReader quantities(map, "small_products", sources);
  const auto count = [&](const char* name) {
    const auto found = quantities.find_count(name, 1);
    if (!found) static_cast<void>(map.require(name));  // says what is missing, and what is there
    return *found;
  };
  SmallProducts small;
  small.multiprocessors = count("multiprocessors");
  small.clock_hz = quantities.require("clock", kFrequencyUnits, kPositive);
  small.resident_blocks = count("resident_blocks");
  small.resident_threads = count("resident_threads");
  small.shared_memory_bytes =
      static_cast<std::uint64_t>(std::llround(quantities.require("shared_memory", kMemoryUnits, kByteCount)));
  small.shared_words = count("shared_words");
  small.fma_cycles = quantities.require("fma", kCycleUnits, kPositive);
  small.shared_load_cycles = quantities.require("shared_load", kCycleUnits, kPositive);
  small.cache_load_cycles = quantities.require("cache_load", kCycleUnits, kPositive);
  small.memory_load_cycles = quantities.require("memory_load", kCycleUnits, kPositive);
  map.finish();
  return small;
}

}  // namespace upsweep
