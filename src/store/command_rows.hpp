#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sqlite.hpp"
#include "upsweep/store/stored_run.hpp"

namespace upsweep {

/// What the table commands says of one.
struct CommandRow {
  std::string created_utc;
  std::string tool_version;
  std::string command;
  std::string parameters;
  std::optional<std::string> rule;
  KeptVerdict verdict = {};
  std::optional<std::string> explanation = {};
};

/// A command of now, by whose rules everything is counted.
[[nodiscard]] CommandRow command_now(const std::string& tool_version, const std::string& command,
                                     const std::string& parameters);

/// Columns of a verdict, of the table commands and of the views of runs.
void columns(auto& visit, KeptVerdict& verdict) {
  visit("verdict", verdict.text);
  visit("verdict_ratio", verdict.ratio);
  visit("verdict_details", verdict.details);
}

/// Writes a command; returns its id. Inside a transaction, as the next.
std::int64_t save_command(Sqlite& database, const CommandRow& row);

/// An id that no run of any kind has had: the next of the table schedule_runs, whose sequence moves on.
std::int64_t next_run_id(Sqlite& database);

/// Removes a run of any kind, and its command with it where it was the last; false when there is no such run.
bool remove_run(Sqlite& database, std::int64_t id);

}  // namespace upsweep
