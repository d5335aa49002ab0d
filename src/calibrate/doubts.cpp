#include <fmt/format.h>

#include <cmath>

#include "run_rates.hpp"
#include "upsweep/calibrate/calibrate.hpp"

namespace upsweep {

std::vector<std::string> doubts(const Calibration& calibration) {
  const Machine& machine = calibration.machine;
  std::vector<std::string> found;
  if (machine.kind != MachineKind::cpu) return found;
  if (machine.first_cache_bytes == 0 || machine.near_cache_bytes == 0) {
    found.emplace_back(
        "neither the kernel nor the processor says how large the caches of a core are: products that leave them are "
        "predicted as those that do not");
  }
  if (!calibration.cache_error) {
    found.push_back(fmt::format(
        "no working set was seen to leave the cache of the last level: it counts with {:.0f} MiB, what the processor "
        "names up to {} MiB, and virtual machines often have far less of it: calibrate again",
        static_cast<double>(machine.cache_bytes) / (1 << 20), kMostUnseenCache >> 20));
  } else if (calibration.is_disturbed()) {
    found.push_back(
        fmt::format("how fast memory is read fits no cache: off by {:.0f} % in the mean, where 4 to 9 % are usual; "
                    "something else probably ran meanwhile: calibrate again",
                    100 * std::expm1(*calibration.cache_error)));
  }
  return found;
}

}  // namespace upsweep
