#pragma once

#include <chrono>
#include <utility>

namespace upsweep {

/// A stopwatch of wall-clock time that is read lap by lap; it runs from the moment it is made.
class Laps {
 public:
  /// Seconds since the lap before, or since this object was made.
  [[nodiscard]] double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace upsweep
