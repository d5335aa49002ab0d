#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "upsweep/app/loading.hpp"
#include "upsweep/app/session.hpp"
#include "upsweep/io/model.hpp"
#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/recurrent/device_model.hpp"
#include "upsweep/report/format.hpp"
#include "upsweep/report/profile_report.hpp"
#include "upsweep/search/overtaking.hpp"
#include "upsweep/search/stacked_search.hpp"
#include "upsweep/search/verdict.hpp"

namespace upsweep {

/// Count the products of one schedule and simulate it.
struct ProfileRequest {
  std::string model;  ///< a file of any kind of model with a chain
  std::string schedule = "blelloch";
  PatternKind pattern = PatternKind::guaranteed;
  std::optional<std::uint64_t> workers = std::nullopt;
  std::optional<std::string> machine = std::nullopt;  ///< a machine file: seconds too
  std::optional<LaunchMode> launch = std::nullopt;    ///< of a gpu; graph without
  std::optional<std::string> db = std::nullopt;
  RecurrentSizes sizes = {};
  DeviceSettings assumptions = {};
  OnnxOptions onnx = {};  ///< of an ONNX file
};

/// A network, counted combine by combine.
struct CountedNetworkProfile {
  Analysis analysis;  ///< the schedule and, behind it, plain back-propagation
  PramProfile pram;
  std::uint64_t linear_shared_flops = 0;  ///< makespan of plain back-propagation, ops that workers share
  std::optional<Overtakes> overtakes = std::nullopt;
  std::optional<ProfileTimes> times = std::nullopt;
  std::optional<double> linear_s = std::nullopt;  ///< of plain back-propagation on the machine, by default_execution()
};

/// A chain or the steps of a recurrent model, counted by closed forms.
struct CountedChainProfile {
  HomogeneousProfile profile;
  PramProfile pram;
  HomogeneousReference reference;
  std::uint64_t linear_shared_flops = 0;  ///< as of a network
  std::optional<Overtakes> overtakes = std::nullopt;
  std::optional<double> seconds = std::nullopt;  ///< of a synthetic chain on a machine
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
};

[[nodiscard]] Json to_json(const ProfileOutcome& outcome);
[[nodiscard]] std::string to_csv(const ProfileOutcome& outcome);
[[nodiscard]] std::string to_text(const ProfileOutcome& outcome, const TextStyle& style);

/// Throws RequestError for settings that do not go together or with that kind of model; InputError.
[[nodiscard]] ProfileOutcome run(const ProfileRequest& request, const Caller& caller, const Watch& watch);

}  // namespace upsweep
