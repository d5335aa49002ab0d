#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "upsweep/app/session.hpp"
#include "upsweep/store/query_result.hpp"
#include "upsweep/store/run_diff.hpp"
#include "upsweep/store/stored_study.hpp"

namespace upsweep {

/// List what a database has; of runs, those that all of these fit.
struct ListRunsRequest {
  std::string db;
  std::optional<std::string> model = std::nullopt;    ///< has this in its name
  std::optional<std::string> machine = std::nullopt;  ///< has this in its name
  std::optional<std::string> command = std::nullopt;  ///< is of this one
  std::optional<std::string> since = std::nullopt;    ///< a day or the beginning of a time, as 2026-11-27T08 (UTC)
  std::optional<std::string> until = std::nullopt;    ///< likewise, all of it
  std::optional<std::uint64_t> limit = std::nullopt;  ///< runs of so many commands, the newest
};

/// Newest first.
struct ListRunsOutcome {
  QueryResult runs;
  QueryResult studies;
  QueryResult verdicts;  ///< of commands
};

/// Show a run or, instead, a study.
struct ShowRunRequest {
  std::string db;
  std::optional<std::int64_t> run = std::nullopt;
  std::optional<std::int64_t> study = std::nullopt;
};

struct ShowRunOutcome {
  std::variant<RunTables, StoredStudy> found;
  QueryResult candidates = {};  ///< all runs of the search that a run is of
};

/// Delete a run or, instead, a study, with all rows that are its own.
struct DeleteRunRequest {
  std::string db;
  std::optional<std::int64_t> run = std::nullopt;
  std::optional<std::int64_t> study = std::nullopt;
};

/// It is gone; a note says so.
struct DeleteRunOutcome {};

/// Say why the numbers of two runs differ.
struct DiffRunsRequest {
  std::string db;
  std::int64_t before = 0;
  std::int64_t after = 0;
};

struct DiffRunsOutcome {
  RunDiff diff;
};

// All throw RequestError for both or none of `run` and `study`; InputError where the database has not what is asked
// for.

[[nodiscard]] ListRunsOutcome run(const ListRunsRequest& request, const Caller& caller, const Watch& watch);
[[nodiscard]] ShowRunOutcome run(const ShowRunRequest& request, const Caller& caller, const Watch& watch);
DeleteRunOutcome run(const DeleteRunRequest& request, const Caller& caller, const Watch& watch);
[[nodiscard]] DiffRunsOutcome run(const DiffRunsRequest& request, const Caller& caller, const Watch& watch);

}  // namespace upsweep
