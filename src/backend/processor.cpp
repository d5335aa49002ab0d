#include "processor.hpp"

#include <fstream>
#include <string>

#include "upsweep/base/memory.hpp"

namespace upsweep {
namespace {

std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

std::string kernel_release() {
  std::ifstream in("/proc/sys/kernel/osrelease");
  std::string release;
  std::getline(in, release);
  return release.empty() ? "unknown kernel" : "Linux " + release;
}

/// Size of a cache of processor 0, as the kernel names it ("32768K"); 0 where it does not.
std::uint64_t cache_bytes(int index) {
  std::ifstream in("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
  std::uint64_t size = 0;
  char unit = ' ';
  return in >> size >> unit ? size << (unit == 'M' ? 20 : 10) : 0;
}

}  // namespace

DeviceFacts processor_facts(std::size_t workers) {
  return {processor_name(),
          kernel_release(),
          workers,
          machine_memory(),
          cache_bytes(3),
          cache_bytes(2),
          cache_bytes(0),
          1,
          true};
}

}  // namespace upsweep
