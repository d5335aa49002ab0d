#include "calibrating.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "upsweep/devices/registry.hpp"

namespace upsweep {
namespace {

/// The present time, ISO 8601 in UTC.
std::string now_utc() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

}  // namespace

const BackendEntry& require_backend(const std::string& name, Ability ability) {
  try {
    return find_backend(name, ability);
  } catch (const std::invalid_argument& error) {
    throw RequestError("backend", fmt::format(": {}", error.what()));
  }
}

std::unique_ptr<Backend> available_backend(const std::string& name) {
  std::unique_ptr<Backend> backend = make_backend(name);
  require_available(name, backend->availability());
  return backend;
}

Calibration calibrate_with_progress(const Backend& backend, CalibrationOptions options, const Caller& caller,
                                    const Watch& watch) {
  options.date = now_utc();
  options.tool_version = caller.tool_version;
  const BackendEntry& entry = find_backend(backend.name(), Ability::calibration);
  options.dense_flops_per_s = entry.dense_flops_per_s;
  options.copy_bytes_per_s = entry.copy_bytes_per_s;
  options.progress = [&](std::size_t done, std::size_t all) {
    watch.show(fmt::format("calibrating, product {} of {}", done + 1, all));
  };
  Calibration result = calibrate(backend, options);
  watch.show("");
  for (const std::string& doubt : doubts(result)) watch.say(doubt);
  return result;
}

Machine calibrate_now(const Backend& backend, std::size_t workers, unsigned value_bytes, const Caller& caller,
                      const Watch& watch) {
  watch.say(fmt::format("no `machine`: calibrating {} first, up to some four minutes; 'upsweep calibrate' keeps it",
                        backend.name()));
  CalibrationOptions options;
  options.name = "this " + backend.name();
  options.most_workers = workers;
  options.value_bytes = value_bytes;
  return calibrate_with_progress(backend, std::move(options), caller, watch).machine;
}

}  // namespace upsweep
