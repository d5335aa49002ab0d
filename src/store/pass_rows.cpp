#include "pass_rows.hpp"

#include <array>

#include "command_rows.hpp"
#include "rows.hpp"
#include "run_rows.hpp"
#include "store_reader.hpp"

namespace upsweep {

/// Columns of pass_sets but for its keys.
void columns(auto& visit, PassRecord& record) {
  visit("model", record.model);
  visit("model_file", record.model_file);
  visit("content_hash", record.content_hash);
  visit("network", record.network);
  visit.or_null("hidden", record.hidden);
  visit.or_null("steps", record.steps);
  visit("batch", record.batch);
  visit("fused", record.is_fused);
  bool is_fp64 = record.value_bytes == 8;
  visit.choice("dtype", is_fp64, "fp64", "fp32");
  visit.or_null("machine", record.machine);
  visit.or_null("device", record.device);
  visit.or_null("driver", record.driver);
  visit("workers", record.workers);
  visit("forward_s", record.forward_s);
  visit("parameters_s", record.parameters_s);
  if constexpr (kReads<decltype(visit)>) record.value_bytes = is_fp64 ? 8 : 4;
}

/// Of the view pass_runs.
void columns(auto& visit, StoredPasses& passes) {
  visit("id", passes.id);
  visit("created_utc", passes.created_utc);
  visit("tool_version", passes.record.tool_version);
  visit("command", passes.record.command);
  visit("parameters", passes.record.parameters);
  columns(visit, passes.record.verdict);
  columns(visit, passes.record);
}

/// The times of the phases and their sum.
void phase_columns(auto& visit, const char* which, auto& times) {
  using Seconds = std::optional<double>;
  std::array<Seconds, 5> parts;
  if (times) parts = {times->jacobians, times->up, times->middle, times->down, times->total()};
  constexpr std::array kNames = {"_jacobians_s", "_up_s", "_middle_s", "_down_s", "_s"};
  for (std::size_t i = 0; i < parts.size(); ++i) visit({which, kNames[i]}, parts[i]);
  if constexpr (kReads<decltype(visit)>) {
    times.reset();
    if (!parts[0] && !parts[1] && !parts[2] && !parts[3]) return;
    times = PassSeconds{parts[0].value_or(0), parts[1].value_or(0), parts[2].value_or(0), parts[3].value_or(0)};
  }
}

void columns(auto& visit, PassRow& row) {
  visit("method", row.method);
  visit.or_null("backend", row.backend);
  visit("best", row.best);
  visit("failure", row.failure);
  visit("mismatch", row.mismatch);
  visit("flops", row.flops);
  visit("bytes", row.bytes);
  visit("critical_path_flops", row.critical_path_flops);
  visit("makespan_flops", row.makespan_flops);
  phase_columns(visit, "predicted", row.predicted);
  phase_columns(visit, "measured", row.measured);
  visit("worst_share_of_bound", row.worst_share);
  visit("loss_difference", row.loss_difference);
}

void columns(auto& visit, LossPoint& point) {
  visit("pass", point.pass);
  visit("iteration", point.iteration);
  visit("loss", point.loss);
  visit("accuracy", point.accuracy);
}

std::int64_t save_pass_run(Sqlite& database, std::int64_t command, const PassRecord& record) {
  const std::int64_t id = next_run_id(database);
  insert_row(database, "pass_sets", record, "id, command_id", id, command);
  if (record.search) save_search(database, *record.search, command);
  Insert<PassRow> insert_pass(database, "passes", "run_id, pass");
  for (std::uint64_t i = 0; i < record.passes.size(); ++i) insert_pass(record.passes[i], id, i);
  Insert<LossPoint> insert_loss(database, "losses", "run_id");
  for (const LossPoint& point : record.losses) insert_loss(point, id);
  return id;
}

std::optional<StoredPasses> StoreReader::passes(std::int64_t id) const {
  Sqlite& database = impl_->database;
  std::optional<StoredPasses> passes = first_row<StoredPasses>(database, "FROM pass_runs WHERE id = ?", id);
  if (!passes) return passes;
  Statement command(database, "SELECT command_id FROM pass_sets WHERE id = ?");
  command.bind(id).step();
  passes->record.search = search_of_command(database, command.integer(0));
  passes->record.passes = all_rows<PassRow>(database, "FROM passes WHERE run_id = ? ORDER BY pass", id);
  passes->record.losses = all_rows<LossPoint>(database, "FROM losses WHERE run_id = ? ORDER BY pass, iteration", id);
  return passes;
}

}  // namespace upsweep
