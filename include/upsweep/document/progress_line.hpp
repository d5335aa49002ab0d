#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace upsweep {

/// What is under way without how much of it is done: "counting hybrid:2, " of "counting hybrid:2, 12 of 80 products".
[[nodiscard]] std::string step_in(const std::string& doing);

/// The line that says what is under way: not oftener than one can read, and once that has taken two seconds for how
/// long, and how long it will still take where it is told how much is done: "... 12 of 80 ...".
class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;

  /// The line to show now; nothing where the one that is shown may stay.
  [[nodiscard]] std::optional<std::string> next(const std::string& doing, Clock::time_point now = Clock::now());

 private:
  std::optional<std::string> work_;  ///< what is under way, without how much of it is done
  Clock::time_point begin_;          ///< of that work
  std::uint64_t first_done_ = 0;     ///< when it began
  Clock::time_point shown_;
};

}  // namespace upsweep
