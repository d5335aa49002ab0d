#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "upsweep/app/frame.hpp"
#include "upsweep/app/loading.hpp"
#include "upsweep/app/session.hpp"
#include "upsweep/document/document.hpp"
#include "upsweep/io/model.hpp"
#include "upsweep/profile/cost_table.hpp"
#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/recurrent/device_model.hpp"
#include "upsweep/report/profile_report.hpp"
#include "upsweep/search/candidate.hpp"
#include "upsweep/search/device_search.hpp"
#include "upsweep/search/stacked_search.hpp"
#include "upsweep/search/verdict.hpp"

namespace upsweep {

/// Count the products of one schedule and simulate it.
struct ProfileRequest : FrameRequest, CountingRequest {
  std::string model;  ///< a file of any kind of model with a chain
  std::string schedule = "blelloch";
  /// Nobody asked for that one: analyse_default() may put another in its place.
  bool is_default_schedule = false;
  PatternKind pattern = PatternKind::guaranteed;
  std::optional<std::string> db = std::nullopt;
  RecurrentSizes sizes = {};
  DeviceSettings assumptions = {};
  OnnxOptions onnx = {};  ///< of an ONNX file
  /// One of convention_names(): shows the costs of a network of operators as that convention counts them.
  std::optional<std::string> convention = std::nullopt;
  std::uint64_t module_depth = 1;  ///< to how many parts of their names operators are folded
};

/// Checks a schedule as far as it can be before the model says what it accepts. Throws RequestError about `setting`.
void check_schedule(const std::string& setting, const std::string& schedule);

/// A network, counted combine by combine.
struct CountedNetworkProfile {
  Analysis analysis;  ///< plain back-propagation and, behind it, the schedule
  SearchResult compared;
  std::optional<ProfileTimes> times = std::nullopt;

  [[nodiscard]] const ScheduleProfile& profile() const { return analysis.schedules.back(); }
};

/// A chain or the steps of a recurrent model, counted by closed forms.
struct CountedChainProfile {
  HomogeneousProfile profile;
  HomogeneousReference reference;
  SearchResult compared;  ///< plain back-propagation and the schedule
};

/// What came of it. Not copied: times refer to the machine.
struct ProfileOutcome {
  AnyModel model;
  std::string schedule;  ///< as it was asked for
  PatternKind pattern = PatternKind::guaranteed;
  std::unique_ptr<const Machine> machine = nullptr;
  /// Nothing for a pass by blocks, which is predicted alone.
  std::variant<std::monostate, CountedNetworkProfile, CountedChainProfile, StackedSearchResult> counted = {};
  DeviceAssumptions assumptions = {};
  std::optional<DevicePrediction> prediction = std::nullopt;  ///< of a recurrent model on a machine
  std::optional<StackedOvertaking> overtaking_wavefront = std::nullopt;
  Verdict verdict = {};
  std::vector<std::int64_t> run_ids = {};
  std::optional<CostTable> costs = std::nullopt;  ///< of a network
  bool shows_costs = false;                       ///< a convention was asked for
};

[[nodiscard]] Document document(const ProfileOutcome& outcome);

/// Throws RequestError for settings that do not go together or with that kind of model; InputError.
[[nodiscard]] ProfileOutcome run(const ProfileRequest& request, const Caller& caller, const Watch& watch);

}  // namespace upsweep
