#include "calibrating.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "upsweep/calibrate/calibrate.hpp"

namespace upsweep::cli {

void show_progress(const std::string& text) {
  if (isatty(STDERR_FILENO) != 1) return;
  if (text.empty()) {
    fmt::print(stderr, "\r\033[K");
  } else {
    fmt::print(stderr, "\r\033[Kupsweep: {} ...", text);
  }
  std::fflush(stderr);
}

std::string now_utc() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

Machine calibrate_now(const Backend& backend, std::size_t workers, unsigned value_bytes,
                      const std::string& tool_version) {
  fmt::print(stderr, "upsweep: no --machine: calibrating {} first, a minute or more; 'upsweep calibrate' keeps it\n",
             backend.name());
  CalibrationOptions options;
  options.name = "this " + backend.name();
  options.date = now_utc();
  options.tool_version = tool_version;
  options.most_workers = workers;
  options.value_bytes = value_bytes;
  options.progress = [](std::size_t done, std::size_t all) {
    show_progress(fmt::format("calibrating, product {} of {}", done + 1, all));
  };
  Machine machine = calibrate(backend, options).machine;
  show_progress("");
  return machine;
}

}  // namespace upsweep::cli
