#pragma once

#include <cstdint>
#include <string>

#include "upsweep/machine/machine.hpp"

namespace upsweep {

/// What limits a schedule at a point.
enum class Binding : std::uint8_t { latency, arithmetic, bandwidth, workers, memory };

/// "latency", "arithmetic", "bandwidth", "workers" or "memory".
[[nodiscard]] std::string to_string(Binding binding);

/// "latency binds", "workers bind", of the name of a resource.
[[nodiscard]] std::string binds_text(const std::string& resource);

/// A machine with one resource `factor` > 0 times as good: latencies divided by it; arithmetic rates times it (measured
/// costs divided by it); bandwidths times it (measured memory costs divided by it). Throws std::invalid_argument for
/// workers and memory, which are settings.
[[nodiscard]] Machine scaled(const Machine& machine, Binding binding, double factor);

}  // namespace upsweep
