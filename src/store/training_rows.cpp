#include "training_rows.hpp"

#include <optional>

#include "run_ids.hpp"

namespace upsweep {
std::int64_t save_training_run(Sqlite& database, const std::string& created, const TrainingRecord& record) {
  const std::int64_t id = next_run_id(database);
  Statement run(database,
                "INSERT INTO training_runs (id, created_utc, tool_version, parameters, name, kind, file, content_hash, "
                "unit, model, machine, link, kernels, devices, best, best_makespan) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  run.bind(id, created, record.tool_version, record.parameters, record.name, record.kind, record.file,
           record.content_hash, record.is_in_seconds ? std::optional<std::string>("s") : std::nullopt,
           unless_empty(record.model), unless_empty(record.machine), unless_empty(record.link),
           unless_empty(record.kernels), record.devices,
           record.best ? std::optional(record.variants[*record.best]) : std::nullopt, record.best_makespan)
      .run();
  Statement variant(database, "INSERT INTO training_variants (run_id, variant, name, best) VALUES (?, ?, ?, ?)");
  for (std::size_t i = 0; i < record.variants.size(); ++i)
    variant.bind(id, std::uint64_t{i}, record.variants[i], record.best == i).run();
  Statement figure(database,
                   "INSERT INTO training_figures (run_id, variant, figure, idx, value) VALUES (?, ?, ?, ?, ?)");
  for (const TrainingFigure& one : record.figures) figure.bind(id, one.variant, one.name, one.index, one.value).run();
  Statement task(database,
                 "INSERT INTO training_tasks (run_id, variant, seq, resource, kind, transfer, layer, micro_batch, "
                 "starts, ends) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  std::uint64_t seq = 0;
  for (const TrainingTask& one : record.tasks) {
    task.bind(id, one.variant, seq++, one.resource, std::string(1, one.kind), one.is_transfer, one.layer,
              one.micro_batch, one.start, one.end)
        .run();
  }
  return id;
}

}  // namespace upsweep
