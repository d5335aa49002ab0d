#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "upsweep/app/frame.hpp"
#include "upsweep/app/loading.hpp"
#include "upsweep/app/session.hpp"
#include "upsweep/document/document.hpp"
#include "upsweep/io/model.hpp"
#include "upsweep/recurrent/device_model.hpp"
#include "upsweep/search/candidate.hpp"
#include "upsweep/search/device_search.hpp"
#include "upsweep/search/stacked_search.hpp"
#include "upsweep/search/verdict.hpp"

namespace upsweep {

/// What is compared with plain back-propagation.
enum class SchemeChoice : std::uint8_t {
  hybrid,   ///< all depths
  all,      ///< and all other schemes
  optimal,  ///< and the best order of products that is found, of a network
};

/// Choose the schedule of a model: every hybrid depth and every other scheme, scored.
struct SearchRequest : FrameRequest, CountingRequest {
  std::string model;  ///< a file of any kind of model with a chain
  PatternKind pattern = PatternKind::guaranteed;
  std::optional<std::string> db = std::nullopt;  ///< runs are kept there
  Objective objective = Objective::time;
  bool live = false;  ///< leave out dead ops
  /// Bytes that live values may take; 0: any. Default: the memory of the machine, where its file says it.
  std::optional<std::uint64_t> memory = std::nullopt;
  std::optional<SchemeChoice> schemes = std::nullopt;  ///< all where not said
  RecurrentSizes sizes = {};                           ///< of recurrent models
  DeviceSettings assumptions = {};                     ///< of recurrent models on a machine
  OnnxOptions onnx = {};                               ///< of an ONNX file

  [[nodiscard]] bool has_schemes() const { return schemes != SchemeChoice::hybrid; }
};

/// What came of it. Not copied: the result refers to the machine.
struct SearchOutcome {
  AnyModel model;
  PatternKind pattern = PatternKind::guaranteed;
  std::unique_ptr<const Machine> machine = nullptr;
  std::optional<Analysis> analysis = std::nullopt;  ///< of a network of operators
  /// Candidates; of a recurrent model on a machine with predictions, of a stack of layers with profiles.
  std::variant<SearchResult, DeviceSearchResult, StackedSearchResult> result = {};
  std::string priced_by = "pram";  ///< as SearchReport::priced_by
  std::string no_schemes = {};     ///< why there are no other schemes
  std::optional<std::pair<std::string, std::optional<std::uint64_t>>> scheme_limit = {};  ///< JSON name and its value
  bool has_overtaking = false;
  std::optional<Overtaking> overtaking = std::nullopt;  ///< in FLOPs
  DeviceAssumptions assumptions = {};
  DeviceOvertakingSearch overtaking_steps = {};       ///< on a machine: of the sequential pass
  DeviceOvertakingSearch overtaking_one_kernel = {};  ///< the same in one kernel
  std::optional<StackedOvertaking> overtaking_wavefront = std::nullopt;
  Verdict verdict = {};
  std::vector<std::int64_t> run_ids = {};  ///< in the database
  bool is_interrupted = false;             ///< the caller stopped it: some schedules are left, nothing is stored
};

[[nodiscard]] Document document(const SearchOutcome& outcome);

/// Throws RequestError for settings that do not go together or with that kind of model; InputError; Interrupted where
/// the caller stops it before there is anything to say.
[[nodiscard]] SearchOutcome run(const SearchRequest& request, const Caller& caller, const Watch& watch);

}  // namespace upsweep
