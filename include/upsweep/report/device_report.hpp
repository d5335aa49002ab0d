#pragma once

#include <string>

#include "upsweep/document/document.hpp"
#include "upsweep/io/recurrent_file.hpp"
#include "upsweep/machine/machine.hpp"
#include "upsweep/recurrent/device_model.hpp"
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

/// What `predicted` of a profile says: phases with seconds and what they wait for, which CSV has, too; levels,
/// speed-ups, assumptions.
[[nodiscard]] Document document(const DeviceProfileReport& report);

/// A search with predicted seconds as scores, and `overtaking` and `overtaking_one_kernel`: the fewest steps from which
/// a scan wins, or null where none up to `..._looked_up_to` is. Ratios to a time of 0 are null.
[[nodiscard]] Document document(const DeviceSearchReport& report);
/// As search_verdict() of a search of any kind of model, with the fewest steps from which a scan wins.
[[nodiscard]] Verdict search_verdict(const DeviceSearchReport& report);

}  // namespace upsweep
