#include "training_rows.hpp"

#include <fmt/format.h>

#include <optional>

#include "command_rows.hpp"
#include "rows.hpp"
#include "store_reader.hpp"

namespace upsweep {

/// Columns of step_runs but for its keys.
void columns(auto& visit, TrainingRecord& record) {
  visit("name", record.name);
  visit("kind", record.kind);
  visit("file", record.file);
  visit("content_hash", record.content_hash);
  std::optional<std::string> unit = record.is_in_seconds ? std::optional<std::string>("s") : std::nullopt;
  visit("unit", unit);
  visit.or_null("model", record.model);
  visit.or_null("machine", record.machine);
  visit.or_null("link", record.link);
  visit.or_null("kernels", record.kernels);
  visit("devices", record.devices);
  std::optional<std::string> best = record.best ? std::optional(record.variants.at(*record.best)) : std::nullopt;
  visit("best", best);
  visit("best_makespan", record.best_makespan);
  if constexpr (kReads<decltype(visit)>) record.is_in_seconds = unit.has_value();
}

/// Of the view training_runs.
void columns(auto& visit, StoredTraining& training) {
  visit("id", training.id);
  visit("created_utc", training.created_utc);
  visit("tool_version", training.record.tool_version);
  visit("parameters", training.record.parameters);
  columns(visit, training.record.verdict);
  columns(visit, training.record);
}

struct VariantRow {
  std::string name;
  bool is_best = false;
};

void columns(auto& visit, VariantRow& row) {
  visit("name", row.name);
  visit("best", row.is_best);
}

void columns(auto& visit, TrainingFigure& figure) {
  visit("variant", figure.variant);
  visit("figure", figure.name);
  visit("idx", figure.index);
  visit("value", figure.value);
}

void columns(auto& visit, TrainingTask& task) {
  visit("variant", task.variant);
  visit("resource", task.resource);
  visit("kind", task.kind);
  visit("transfer", task.is_transfer);
  visit("layer", task.layer);
  visit("micro_batch", task.micro_batch);
  visit("starts", task.start);
  visit("ends", task.end);
}

std::int64_t save_training_run(Sqlite& database, std::int64_t command, const TrainingRecord& record) {
  const std::int64_t id = next_run_id(database);
  insert_row(database, "step_runs", record, "id, command_id", id, command);
  Insert<VariantRow> insert_variant(database, "training_variants", "run_id, variant");
  for (std::uint64_t i = 0; i < record.variants.size(); ++i)
    insert_variant({record.variants[i], record.best == i}, id, i);
  Insert<TrainingFigure> insert_figure(database, "training_figures", "run_id");
  for (const TrainingFigure& figure : record.figures) insert_figure(figure, id);
  Insert<TrainingTask> insert_task(database, "training_tasks", "run_id, seq");
  for (std::uint64_t seq = 0; seq < record.tasks.size(); ++seq) insert_task(record.tasks[seq], id, seq);
  return id;
}

std::optional<StoredTraining> StoreReader::training(std::int64_t id) const {
  Sqlite& database = impl_->database;
  std::optional<StoredTraining> training = first_row<StoredTraining>(database, "FROM training_runs WHERE id = ?", id);
  if (!training) return training;
  TrainingRecord& record = training->record;
  for (VariantRow& row :
       all_rows<VariantRow>(database, "FROM training_variants WHERE run_id = ? ORDER BY variant", id)) {
    if (row.is_best) record.best = static_cast<std::uint32_t>(record.variants.size());
    record.variants.push_back(std::move(row.name));
  }
  record.figures = all_rows<TrainingFigure>(database, "FROM training_figures WHERE run_id = ? ORDER BY rowid", id);
  const auto tasks = [&](std::uint32_t first, std::size_t last) {
    return all_rows<TrainingTask>(
        database, "FROM training_tasks WHERE run_id = ? AND variant BETWEEN ? AND ? ORDER BY seq", id, first, last);
  };
  const std::uint32_t best = record.best.value_or(0);
  const std::string count = fmt::format("SELECT COUNT(*) FROM training_tasks WHERE run_id = {}", id);
  const bool has_few = database.integer(count) <= kMostReadTasks;
  record.tasks = has_few ? tasks(0, record.variants.size()) : tasks(best, best);
  return training;
}

}  // namespace upsweep
