#include "command_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "database.hpp"
#include "rows.hpp"
#include "run_rows.hpp"
#include "store_reader.hpp"
#include "upsweep/profile/counting_rule_version.hpp"

namespace upsweep {

void columns(auto& visit, CommandRow& row) {
  visit("created_utc", row.created_utc);
  visit("tool_version", row.tool_version);
  visit("command", row.command);
  visit("parameters", row.parameters);
  visit("rule", row.rule);
  columns(visit, row.verdict);
  visit("explanation", row.explanation);
}

CommandRow command_now(const std::string& tool_version, const std::string& command, const std::string& parameters) {
  return {now_utc(), tool_version, command, parameters, kCountingRule};
}

KeptVerdict StoreReader::verdict_of(std::int64_t command) const {
  return first_row<KeptVerdict>(impl_->database, "FROM commands WHERE id = ?", command).value_or(KeptVerdict());
}

std::optional<std::string> StoreReader::explanation_of(std::int64_t run) const {
  Statement select(impl_->database,
                   "SELECT explanation FROM commands WHERE explanation IS NOT NULL AND id = "
                   "(SELECT command_id FROM run_summary WHERE id = ?)");
  return select.bind(run).step() ? std::optional(select.text(0)) : std::nullopt;
}

std::int64_t save_command(Sqlite& database, const CommandRow& row) { return insert_row(database, "commands", row, ""); }

std::int64_t next_run_id(Sqlite& database) {
  database.execute(
      "INSERT INTO sqlite_sequence (name, seq) SELECT 'schedule_runs', 0 WHERE NOT EXISTS "
      "(SELECT 1 FROM sqlite_sequence WHERE name = 'schedule_runs')");
  database.execute("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'schedule_runs'");
  return database.integer("SELECT seq FROM sqlite_sequence WHERE name = 'schedule_runs'");
}

bool remove_run(Sqlite& database, std::int64_t id) {
  Statement find(database, "SELECT command_id FROM run_summary WHERE id = ?");
  if (!find.bind(id).step()) return false;
  const std::int64_t command = find.integer(0);
  find.reset();
  remove_schedule_run(database, id);
  // What else hangs on a command is all of it: its search, or its run of another kind.
  Statement erase(database,
                  "DELETE FROM commands WHERE id = ?1 AND NOT EXISTS "
                  "(SELECT 1 FROM schedule_runs WHERE command_id = ?1)");
  erase.bind(command).run();
  return true;
}

}  // namespace upsweep
