#pragma once

#include <map>
#include <string>

namespace upsweep {

/// What connects two devices, or a device with those it shares gradients with.
struct Link {
  std::string name;
  double bytes_per_s = 0;                      ///< in one direction; above 0
  double latency_s = 0;                        ///< from the departure of a message's last byte to its arrival
  std::map<std::string, std::string> sources;  ///< "bandwidth", "latency": what says so
};

}  // namespace upsweep
