#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/app/session.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/model.hpp"
#include "upsweep/machine/machine.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/recurrent/device_model.hpp"
#include "upsweep/scan/schedule.hpp"
#include "upsweep/scan/schedule_name.hpp"

namespace upsweep {

/// ModelFile::load(), which takes seconds where many weights are made, with progress meanwhile.
[[nodiscard]] AnyModel load_model(const ModelFile& file, Numbers numbers, const Watch& watch);

/// The network of operators of a model, for `command`. Throws InputError, also for models of other kinds and where the
/// patterns cannot fit into memory. `form`: what the command keeps patterns by, see form_for().
[[nodiscard]] Model countable_network(AnyModel model, const std::string& command, PatternForm form = PatternForm::rows);

/// The same of a file.
[[nodiscard]] Model load_countable_network(const std::string& file, Numbers numbers, const std::string& command,
                                           PatternForm form = PatternForm::rows);

/// Throws InputError where the model's sample has patterns that are drawn: `command` needs numbers.
void require_sample_inputs(const Model& model, const std::string& command);

/// What a pattern needs of a model that is counted, not run.
[[nodiscard]] Numbers numbers_for(PatternKind pattern);

/// Steps of counting (CountLimits::pairs) that are done without thinking: some seconds. A core of an Intel Xeon did 2
/// to 4 · 10^9 a second (reports/products.md).
inline constexpr std::uint64_t kQuickPairs = 20'000'000'000;
/// What two of them do in about ten minutes: the most that a schedule may take where nobody says another number.
inline constexpr std::uint64_t kMostPairs = 2'000'000'000'000;

/// What counting a network may take, as a request says it.
struct CountingRequest {
  /// The note where estimates were asked for in vain.
  static constexpr const char* kNoEstimates = "nothing needed estimating: every schedule was counted";

  std::optional<std::uint64_t> count_limit = std::nullopt;  ///< steps of counting a schedule; kMostPairs without
  /// Bytes that patterns may take; what the machine has without.
  std::optional<std::uint64_t> count_memory = std::nullopt;
  /// Estimates instead of schedules that take more: the share of its FLOPs that half the interval of a schedule may be
  /// wide. What is counted then is what takes no more than kQuickPairs, where no count_limit says more.
  std::optional<double> estimate = std::nullopt;
  std::uint64_t estimate_seed = 1;  ///< of the rows that are drawn

  /// Steps that a schedule may take before it is estimated or left out.
  [[nodiscard]] std::uint64_t most_pairs() const { return count_limit.value_or(estimate ? kQuickPairs : kMostPairs); }
  /// As CountLimits::estimate.
  [[nodiscard]] std::optional<EstimateSettings> estimates() const;
};

/// What counts of a model depend on; refers to it.
[[nodiscard]] NetworkView view_of(const Model& model);

/// analyse() with progress. Throws InputError at the model's lines, also where counts are too large. `most_pairs`,
/// where given, and the memory there is end schedules that take more: Analysis::uncounted, or they are estimated.
[[nodiscard]] Analysis analyse_network(const Model& model, PatternKind pattern, std::vector<Schedule> schedules,
                                       const Watch& watch, std::optional<std::uint64_t> most_pairs = std::nullopt,
                                       const std::optional<EstimateSettings>& estimate = std::nullopt);

/// Throws RequestError for limits of counting with a model that closed forms count, or out of range.
void check_counting(const ModelFile& file, const CountingRequest& counting);

/// Why a schedule of a model was not counted: uncounted_text().
[[nodiscard]] std::string why_uncounted(const Model& model, PatternKind pattern, const UncountedSchedule& uncounted);

/// The error of a command that needs a schedule that was not counted, at the line of its operator.
[[nodiscard]] InputError uncounted_error(const Model& model, PatternKind pattern, const UncountedSchedule& uncounted);

/// analyse_network() where nobody named the first of `schedules`: if that takes more than kQuickPairs (or than
/// `most_pairs`), the deepest hybrid that does not stands in its place, and a note says so.
[[nodiscard]] Analysis analyse_default(const Model& model, PatternKind pattern, std::vector<Schedule> schedules,
                                       const Watch& watch, std::uint64_t most_pairs = kQuickPairs);

/// parse_schedule(). Throws RequestError about `schedule`.
[[nodiscard]] ScheduleRequest schedule_request(const std::string& text);

/// make_schedule(), with the note of say_became(). Throws RequestError about `schedule` for an order of another length.
[[nodiscard]] Schedule schedule_over(const ScheduleRequest& request, std::size_t length, const Watch& watch);

/// Notes where the schedule that was asked for became the one of `name` over `length` elements: became_text().
void say_became(const ScheduleRequest& request, const std::string& name, std::size_t length, const Watch& watch);

/// The depth of a hybrid that was asked for over `length` elements, with that note.
[[nodiscard]] std::uint32_t depth_over(const ScheduleRequest& request, std::size_t length, const Watch& watch);

/// Throws RequestError where a request without a machine says how kernels are started.
void check_launch(std::optional<LaunchMode> launch, bool has_machine);

/// The machine of a request with kernels started as it says, or nothing without a file. Throws InputError, also where
/// it cannot; RequestError about `launch` without a file.
[[nodiscard]] std::optional<Machine> load_machine_of(const std::optional<std::string>& file,
                                                     std::optional<LaunchMode> launch = std::nullopt,
                                                     const std::optional<std::string>& library = std::nullopt);

/// Workers to simulate: those asked for, else `widest`, at most those of the machine (of `file`), which may be null.
/// Throws InputError where more are asked for than the machine has.
[[nodiscard]] std::uint64_t workers_on(const Machine* machine, const std::optional<std::string>& file,
                                       const std::optional<std::uint64_t>& asked, std::uint64_t widest);

/// Throws InputError for a machine with a stack of layers, which has no predictions.
void require_no_machine(const RecurrentModel& model, const std::optional<std::string>& machine);

/// Sizes of a recurrent model that a request puts in place of its file's.
struct RecurrentSizes {
  static constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 39;  // as in model files
  static constexpr std::uint64_t kMostHidden = 65'536;

  std::optional<std::uint64_t> steps = std::nullopt;
  std::optional<std::uint64_t> hidden = std::nullopt;
};

/// Throws RequestError for sizes that no model has.
void check_sizes(const RecurrentSizes& sizes);

/// What a request assumes of the kernels of recurrent models on a machine, where it says so.
struct DeviceSettings {
  static constexpr std::uint64_t kMostKernels = 1000;

  std::optional<std::uint64_t> forward_kernels = std::nullopt;   ///< of a step
  std::optional<std::uint64_t> backward_kernels = std::nullopt;  ///< of a step of the sequential backward pass
  std::optional<double> host_launch_us = std::nullopt;           ///< least time between two launches, microseconds
};

/// A machine for predictions of recurrent passes, and what they assume.
struct Device {
  Machine machine;
  DeviceAssumptions assumptions;
};

/// The machine of a file with kernels started as `launch` says, and `settings` with defaults for what they leave open:
/// kernels that the host issues are as far apart as the machine file says. Throws InputError, also where recurrent
/// passes cannot be predicted on it.
[[nodiscard]] Device load_device(const std::string& file, std::optional<LaunchMode> launch,
                                 const DeviceSettings& settings,
                                 const std::optional<std::string>& library = std::nullopt);

/// Throws RequestError for settings out of range, or without a machine.
void check_assumptions(const DeviceSettings& settings, bool has_machine);

/// Throws RequestError for sizes or assumptions with a model that is not recurrent.
void require_recurrent_settings(const ModelFile& file, const std::string& name, const RecurrentSizes& sizes,
                                const DeviceSettings& assumptions = {});

/// Throws where a model that is counted without inputs is asked for a pattern of samples (InputError), for sizes or
/// assumptions that it has not (RequestError), or where it has no chain at all (InputError).
void require_countable(const ModelFile& file, const std::string& name, PatternKind pattern, const RecurrentSizes& sizes,
                       const DeviceSettings& assumptions);

/// The recurrent model of a file with these sizes, and `batch` sequences where that is given. Throws InputError where
/// weights or sequences from files do not go with them, and for a stack of layers that `accepted` leaves out.
[[nodiscard]] RecurrentModel load_recurrent_with(const ModelFile& file, const RecurrentSizes& sizes,
                                                 const std::optional<std::uint64_t>& batch,
                                                 Layers accepted = Layers::one);

}  // namespace upsweep
