#include "upsweep/app/calibrate.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "calibrating.hpp"
#include "upsweep/app/storing.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/machine_file.hpp"

namespace upsweep {
namespace {

/// Better now than after a minute of measuring. Throws InputError.
void check_writable(const std::string& out) {
  const std::filesystem::path parent = std::filesystem::absolute(out).parent_path();
  if (access(parent.c_str(), W_OK) == 0) return;
  throw InputError(
      fmt::format("{}: the folder {} is not there or cannot be written to, accepted is a file in one that can", out,
                  parent.string()));
}

}  // namespace

CalibrateOutcome run(const CalibrateRequest& request, const Caller& caller, const Watch& watch) {
  require_backend(request.backend, Ability::calibration);
  if (request.value_bytes != 0 && request.value_bytes != 4 && request.value_bytes != 8)
    throw RequestError("value_bytes", fmt::format("is {}, accepted are 4, 8 and, for both, 0", request.value_bytes));
  CalibrationOptions options;
  options.name = std::filesystem::path(request.out).stem().string();
  if (options.name.empty()) throw RequestError("out", "is empty, accepted is the name of a file to write");
  options.quick = request.quick;
  options.value_bytes = request.value_bytes;
  const std::unique_ptr<Backend> backend = available_backend(request.backend);
  check_writable(request.out);
  const auto store = open_store(request.db);
  watch.say(fmt::format("calibrating {}, one to three minutes{}", request.backend,
                        request.value_bytes == 0 ? ""
                                                 : fmt::format("; numbers other than fp{} get its rates and are not "
                                                               "measured",
                                                               8 * request.value_bytes)));
  CalibrateOutcome outcome{calibrate_with_progress(*backend, options, caller, watch)};
  const Machine& machine = outcome.calibration.machine;
  write_machine(machine, request.out);
  if (store) static_cast<void>(store->save_machine(machine, machine_text(machine)));
  watch.say(fmt::format("wrote {}", request.out));
  return outcome;
}

}  // namespace upsweep
