#pragma once

#include <chrono>
#include <utility>

namespace upsweep {

/// A stopwatch that is read lap by lap.
class Laps {
 public:
  /// Seconds since the lap before, or since this object was made.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace upsweep
