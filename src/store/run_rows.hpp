#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "measurement_rows.hpp"
#include "sqlite.hpp"
#include "upsweep/store/run_store.hpp"
#include "upsweep/store/stored_run.hpp"

namespace upsweep {

/// schedule_runs.depth of a schedule that is not cut at one.
inline constexpr std::int64_t kNoDepth = -1;

/// The runs of one command, ready to be written: all that has to be computed or put into words is.
class RunRows {
 public:
  /// Refers to the profiles of `runs`.
  RunRows(const RunContext& context, const std::vector<RunRecord>& runs);

  /// Writes the runs with all their rows; returns their ids. Inside a transaction.
  [[nodiscard]] std::vector<std::int64_t> save(Sqlite& database, std::int64_t command,
                                               std::optional<std::int64_t> search);

 private:
  struct Run {
    RunColumns<Statement::Mean> columns;
    const ScheduleProfile* profile = nullptr;
    std::optional<StoredMeasurement> measurement;
  };
  [[nodiscard]] std::int64_t save(Sqlite& database, std::int64_t command, const Run& run) const;

  std::optional<StoredMachine> machine_;
  std::vector<OperatorColumns<Statement::Mean>> operators_;
  std::vector<Run> runs_;
};

/// Writes the row of a search; returns its id. Inside a transaction.
std::int64_t save_search(Sqlite& database, const SearchRecord& search, std::int64_t command);

/// The search that a command was, if it was one.
[[nodiscard]] std::optional<StoredSearch> search_of_command(Sqlite& database, std::int64_t command);

/// Removes a run, where it is one of a schedule, and the pictures of its model and pattern where it was their last one.
/// Inside a transaction.
void remove_schedule_run(Sqlite& database, std::int64_t id);

}  // namespace upsweep
