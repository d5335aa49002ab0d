#pragma once

#include <string>

#include "upsweep/io/recurrent_file.hpp"
#include "upsweep/machine/machine.hpp"
#include "upsweep/recurrent/device_model.hpp"
#include "upsweep/report/format.hpp"
#include "upsweep/search/device_search.hpp"
#include "upsweep/search/verdict.hpp"

namespace upsweep {

/// A backward pass of a recurrent model, predicted on a machine.
struct DeviceProfileReport {
  const RecurrentModel& model;
  const Machine& machine;
  std::string method;  ///< as it was asked for
  const DeviceAssumptions& assumptions;
  const DevicePrediction& prediction;
};

/// A search among backward passes on a machine.
struct DeviceSearchReport {
  const RecurrentModel& model;
  const Machine& machine;
  const DeviceAssumptions& assumptions;
  const DeviceSearchResult& result;
  DeviceOvertakingSearch overtaking;             ///< of the sequential pass
  DeviceOvertakingSearch overtaking_one_kernel;  ///< of the sequential pass in one kernel
};

/// What `predicted` of a profile says: phases with seconds and what they wait for, levels, speed-ups, assumptions.
[[nodiscard]] Json to_json(const DeviceProfileReport& report);
/// The phases.
[[nodiscard]] std::string to_csv(const DeviceProfileReport& report);
[[nodiscard]] std::string to_text(const DeviceProfileReport& report, const TextStyle& style = {});

/// The object of `search` with predicted seconds as scores, and `overtaking` and `overtaking_one_kernel`: the fewest
/// steps from which a scan wins, or null where none up to `..._looked_up_to` is. Ratios to a time of 0 are null.
[[nodiscard]] Json to_json(const DeviceSearchReport& report);
/// The candidates.
[[nodiscard]] std::string to_csv(const DeviceSearchReport& report);
[[nodiscard]] std::string to_text(const DeviceSearchReport& report, const TextStyle& style = {});
/// As search_verdict() of a search of any kind of model, with the fewest steps from which a scan wins.
[[nodiscard]] Verdict search_verdict(const DeviceSearchReport& report);

}  // namespace upsweep
