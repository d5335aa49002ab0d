#include "upsweep/app/calibrate.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "calibrating.hpp"
#include "outputs.hpp"
#include "upsweep/app/storing.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/io/own_file.hpp"

namespace upsweep {
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
  check_output({"out", request.out, kMachineMark}, {{"db", request.db.value_or("")}}, request.force);
  const auto store = open_store(request.db);
  watch.say(fmt::format("calibrating {}, up to some four minutes for each type of numbers{}", request.backend,
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
