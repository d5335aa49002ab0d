#include "measurement_rows.hpp"

#include <optional>

namespace upsweep {
namespace {

std::int64_t measurement_row(Sqlite& database, std::int64_t run, const MeasurementRecord& record) {
  const Measurement& measured = *record.measurement;
  std::string notes;
  for (const std::string& note : measured.notes) notes += (notes.empty() ? "" : "; ") + note;
  Statement insert(database,
                   "INSERT INTO measurements (run_id, backend, device, driver, workers, execution, value_bytes, input, "
                   "repetitions, predicted_s, measured_s, fastest_s, measured_build_s, plan_s, plan_bytes, "
                   "value_memory_bytes, workspace_bytes, worst_share_of_bound, mismatch, notes) "
                   "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert
      .bind(run, record.backend, record.device.device, record.device.driver, std::uint64_t{record.workers},
            record.execution, std::uint64_t{record.value_bytes}, std::uint64_t{record.input},
            std::uint64_t{measured.repetitions},
            record.prediction != nullptr ? std::optional(record.prediction->seconds) : std::nullopt, measured.seconds,
            measured.fastest_seconds, record.measured_build_s, measured.plan_seconds, measured.plan_bytes,
            measured.value_bytes, measured.workspace_bytes, record.worst_share, record.mismatch, notes)
      .run();
  return database.last_row_id();
}

void save_times(Sqlite& database, std::int64_t measurement, const MeasurementRecord& record) {
  const Measurement& measured = *record.measurement;
  const Prediction* predicted = record.prediction;
  Statement level_row(
      database, "INSERT INTO measured_levels (measurement_id, level, predicted_s, measured_s) VALUES (?, ?, ?, ?)");
  for (std::size_t level = 0; level < measured.level_seconds.size(); ++level) {
    const bool has = predicted != nullptr && level < predicted->level_seconds.size();
    level_row
        .bind(measurement, std::uint64_t{level}, has ? std::optional(predicted->level_seconds[level]) : std::nullopt,
              measured.level_seconds[level])
        .run();
  }
  Statement op_row(database,
                   "INSERT INTO measured_ops (measurement_id, op, predicted_alone_s, measured_busy_s, nnz, products) "
                   "VALUES (?, ?, ?, ?, ?, ?)");
  for (std::size_t op = 0; op < measured.ops.size(); ++op) {
    const bool has = predicted != nullptr && op < predicted->ops.size();
    op_row
        .bind(measurement, std::uint64_t{op}, has ? std::optional(predicted->ops[op].alone_s) : std::nullopt,
              measured.ops[op].seconds, measured.ops[op].nnz, measured.ops[op].products)
        .run();
  }
}

}  // namespace

std::int64_t machine_row(Sqlite& database, const Machine& machine, const std::string& text) {
  Statement known(database, "SELECT id FROM machines WHERE text = ?");
  known.bind(text);
  if (known.step()) return known.integer(0);
  const Provenance& from = machine.provenance;
  const bool fitted = from.fit.points > 0;
  const auto unless_fitted = [&](auto value) { return fitted ? std::optional(value) : std::nullopt; };
  Statement insert(
      database,
      "INSERT INTO machines (name, kind, origin, device, driver, date, tool_version, workers, fit_points, "
      "fit_median_error, fit_p90_error, fit_max_error, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert
      .bind(machine.name, to_string(machine.kind), from.origin, unless_empty(from.device), unless_empty(from.driver),
            unless_empty(from.date), unless_empty(from.tool_version), std::uint64_t{machine.workers()},
            unless_fitted(std::uint64_t{from.fit.points}), unless_fitted(from.fit.median), unless_fitted(from.fit.p90),
            unless_fitted(from.fit.max), text)
      .run();
  return database.last_row_id();
}

void save_measurement(Sqlite& database, std::int64_t run, const MeasurementRecord& record) {
  save_times(database, measurement_row(database, run, record), record);
}

}  // namespace upsweep
