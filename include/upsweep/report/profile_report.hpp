#pragma once

#include <optional>
#include <string>

#include "upsweep/document/document.hpp"
#include "upsweep/machine/machine.hpp"
#include "upsweep/network/network.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/search/candidate.hpp"
#include "upsweep/sim/batched.hpp"
#include "upsweep/sim/dense_time.hpp"

namespace upsweep {

/// Predicted times of a schedule on a machine; refers to the machine.
struct ProfileTimes {
  const Machine* machine = nullptr;
  BatchedTime level;
  std::optional<double> dag_s;              ///< nothing for batches, and without has_dag_time()
  std::optional<double> build_s;            ///< writing the chain's values; nothing where the machine does not say
  std::optional<DenseBackprop> dense = {};  ///< of the whole network; nothing where the machine does not say
};

/// Predicts both executions of the profile of a model by the options of `compared`, its search, and dense
/// back-propagation. Throws like predict_time(), but not for has_dag_time().
[[nodiscard]] ProfileTimes profile_times(const SearchResult& compared, const ScheduleProfile& profile,
                                         const NetworkProfile& counted, const Network& network);

/// What a profile report shows; refers to values that live elsewhere.
struct ProfileReport {
  const std::string& model_name;
  const Network& network;
  const NetworkProfile& network_profile;
  const ScheduleProfile& profile;
  const SearchResult& compared;                      ///< plain back-propagation and this schedule
  std::string pattern;                               ///< "guaranteed" or "sample"
  std::string requested;                             ///< the schedule as it was asked for
  std::optional<ProfileTimes> times = std::nullopt;  ///< with a machine
  std::string remarks = {};                          ///< on how the schedule runs, lines
};

/// The profile as a document without the verdict; its fields are listed in docs/reading-a-search.md. CSV: the ops;
/// people see up to 100 of them, else their number.
[[nodiscard]] Document document(const ProfileReport& report);

}  // namespace upsweep
