#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "upsweep/scan/execution.hpp"
#include "upsweep/search/candidate.hpp"
#include "upsweep/search/counted_schedule.hpp"
#include "upsweep/search/crossover.hpp"
#include "upsweep/store/stored_run.hpp"
#include "upsweep/store/stored_study.hpp"

namespace upsweep {

/// A way through the backward pass, by what it takes on so many workers. Sums over the inputs.
struct ComparedSchedule {
  std::string name;
  bool is_plain = false;
  std::uint64_t inputs = 1;
  std::uint64_t ops = 0;
  std::uint64_t effort = 0;  ///< steps of a simulation by whole(), about
  SharedWork shared;
  MakespanOfWorkers whole;  ///< under the execution of all; throws std::invalid_argument where that is not known
};

/// What a command compared, counted again from what is stored: what an account by workers needs.
struct ComparedSchedules {
  std::string plain = "plain BP";  ///< what the plain ways are called
  std::string scan = {};           ///< the only one that was asked about; empty: one of several
  std::uint64_t workers = 1;       ///< that the command had
  Execution execution = Execution::dag;
  std::vector<ComparedSchedule> schedules;  ///< that fit, plain back-propagation first
  Overtakes overtakes;                      ///< as the command's verdict says
};

/// Of the runs of one search for the least time in FLOPs; nothing of others. Throws std::invalid_argument where their
/// ops are not those of their schedules or have no spans, and where there is nothing to compare; CountOverflow.
[[nodiscard]] std::optional<ComparedSchedules> compared_schedules(std::span<const RunDetails> runs);

/// Of a run that was profiled and one of plain back-propagation over the same model, in FLOPs; nothing where the run is
/// that itself, or of seconds. Throws likewise.
[[nodiscard]] std::optional<ComparedSchedules> compared_schedules(const RunDetails& run, const RunDetails& plain);

/// Of a profile or such a search of a recurrent model or a stack of layers, which closed forms count again. Throws
/// likewise, where they come to other FLOPs than are stored.
[[nodiscard]] std::optional<ComparedSchedules> compared_schedules(const PassRecord& record);

/// ComparedSchedule::whole of a counted schedule, by execution and scope.
[[nodiscard]] MakespanOfWorkers whole_makespan(std::shared_ptr<const CountedSchedule> schedule,
                                               const SearchOptions& options);

/// Of a search: execution, scope and limit of memory.
[[nodiscard]] SearchOptions options_of(const SearchRecord& search);

}  // namespace upsweep
