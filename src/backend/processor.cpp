#include "processor.hpp"

#include <unistd.h>

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

/// Size of a cache of processor 0, as the kernel names it ("32768K"), else as the processor itself does, by `name` of
/// sysconf(): virtual machines often have no such file. Of the last level some processors then name the sum of all that
/// the chip has. 0 where neither says it.
std::uint64_t cache_bytes(int index, int name) {
  std::ifstream in("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
  std::uint64_t size = 0;
  char unit = ' ';
  if (in >> size >> unit) return size << (unit == 'M' ? 20 : 10);
  const long bytes = sysconf(name);
  return bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

}  // namespace

DeviceFacts processor_facts(std::size_t workers) {
  return {processor_name(),
          kernel_release(),
          workers,
          machine_memory(),
          cache_bytes(3, _SC_LEVEL3_CACHE_SIZE),
          cache_bytes(2, _SC_LEVEL2_CACHE_SIZE),
          cache_bytes(0, _SC_LEVEL1_DCACHE_SIZE),
          1,
          true};
}

}  // namespace upsweep
