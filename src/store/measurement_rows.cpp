#include "measurement_rows.hpp"

#include "rows.hpp"
#include "store_reader.hpp"

namespace upsweep {

void columns(auto& visit, StoredMachine& row) {
  visit.or_null("id", row.id);  // which a new row gets
  visit("name", row.name);
  visit("kind", row.kind);
  visit("origin", row.origin);
  visit.or_null("device", row.device);
  visit.or_null("driver", row.driver);
  visit.or_null("date", row.date);
  visit.or_null("tool_version", row.tool_version);
  visit("workers", row.workers);
  visit("fit_points", row.fit_points);
  visit("fit_median_error", row.fit_median_error);
  visit("fit_p90_error", row.fit_p90_error);
  visit("fit_max_error", row.fit_max_error);
  visit("text", row.text);
}

void columns(auto& visit, StoredMeasurement& row) {
  visit.or_null("id", row.id);
  visit("backend", row.backend);
  visit("device", row.device);
  visit("driver", row.driver);
  visit("workers", row.workers);
  visit("execution", row.execution);
  visit("value_bytes", row.value_bytes);
  visit("input", row.input);
  visit("repetitions", row.repetitions);
  visit("predicted_s", row.predicted_s);
  visit("measured_s", row.measured_s);
  visit("fastest_s", row.fastest_s);
  visit("measured_build_s", row.measured_build_s);
  visit("plan_s", row.plan_s);
  visit("plan_bytes", row.plan_bytes);
  visit("value_memory_bytes", row.value_memory_bytes);
  visit("workspace_bytes", row.workspace_bytes);
  visit("worst_share_of_bound", row.worst_share_of_bound);
  visit.or_null("mismatch", row.mismatch);
  visit("notes", row.notes);
}

void columns(auto& visit, StoredMeasuredLevel& row) {
  visit("level", row.level);
  visit("predicted_s", row.predicted_s);
  visit("measured_s", row.measured_s);
}

void columns(auto& visit, StoredMeasuredOp& row) {
  visit("op", row.op);
  visit("predicted_alone_s", row.predicted_alone_s);
  visit("measured_busy_s", row.measured_busy_s);
  visit("nnz", row.nnz);
  visit("products", row.products);
}

StoredMachine machine_row(const Machine& machine, const std::string& text) {
  const Provenance& from = machine.provenance;
  StoredMachine row;
  row.name = machine.name;
  row.kind = to_string(machine.kind);
  row.origin = from.origin;
  row.device = from.device;
  row.driver = from.driver;
  row.date = from.date;
  row.tool_version = from.tool_version;
  row.workers = machine.workers();
  row.text = text;
  if (from.fit.points == 0) return row;
  row.fit_points = from.fit.points;
  row.fit_median_error = from.fit.median;
  row.fit_p90_error = from.fit.p90;
  row.fit_max_error = from.fit.max;
  return row;
}

std::int64_t save_machine(Sqlite& database, const StoredMachine& machine) {
  Statement known(database, "SELECT id FROM machines WHERE text = ?");
  if (known.bind(machine.text).step()) return known.integer(0);
  return insert_row(database, "machines", machine, "");
}

std::optional<StoredMachine> StoreReader::machine(std::int64_t id) const {
  return first_row<StoredMachine>(impl_->database, "FROM machines WHERE id = ?", id);
}

StoredMeasurement measurement_row(const MeasurementRecord& record) {
  const Measurement& measured = *record.measurement;
  const Prediction* predicted = record.prediction;
  StoredMeasurement row;
  row.backend = record.backend;
  row.device = record.device.device;
  row.driver = record.device.driver;
  row.workers = record.workers;
  row.execution = record.execution;
  row.value_bytes = record.value_bytes;
  row.input = record.input;
  row.repetitions = measured.repetitions;
  if (predicted != nullptr) row.predicted_s = predicted->seconds;
  row.measured_s = measured.seconds;
  row.fastest_s = measured.fastest_seconds;
  row.measured_build_s = record.measured_build_s;
  row.plan_s = measured.plan_seconds;
  row.plan_bytes = measured.plan_bytes;
  row.value_memory_bytes = measured.value_bytes;
  row.workspace_bytes = measured.workspace_bytes;
  row.worst_share_of_bound = record.worst_share;
  row.mismatch = record.mismatch.value_or("");
  for (const std::string& note : measured.notes) row.notes += (row.notes.empty() ? "" : "; ") + note;
  for (std::uint32_t level = 0; level < measured.level_seconds.size(); ++level) {
    const bool has = predicted != nullptr && level < predicted->level_seconds.size();
    row.levels.push_back(
        {level, has ? std::optional(predicted->level_seconds[level]) : std::nullopt, measured.level_seconds[level]});
  }
  for (std::uint32_t op = 0; op < measured.ops.size(); ++op) {
    const bool has = predicted != nullptr && op < predicted->ops.size();
    row.ops.push_back({op, has ? std::optional(predicted->ops[op].alone_s) : std::nullopt, measured.ops[op].seconds,
                       measured.ops[op].nnz, measured.ops[op].products});
  }
  return row;
}

void save_measurement(Sqlite& database, std::int64_t run, const StoredMeasurement& measurement) {
  const std::int64_t id = insert_row(database, "measurements", measurement, "run_id", run);
  Insert<StoredMeasuredLevel> insert_level(database, "measured_levels", "measurement_id");
  for (const StoredMeasuredLevel& level : measurement.levels) insert_level(level, id);
  Insert<StoredMeasuredOp> insert_op(database, "measured_ops", "measurement_id");
  for (const StoredMeasuredOp& op : measurement.ops) insert_op(op, id);
}

std::vector<StoredMeasurement> read_measurements(Sqlite& database, std::int64_t run) {
  std::vector<StoredMeasurement> measurements =
      all_rows<StoredMeasurement>(database, "FROM measurements WHERE run_id = ? ORDER BY id", run);
  for (StoredMeasurement& one : measurements) {
    one.levels =
        all_rows<StoredMeasuredLevel>(database, "FROM measured_levels WHERE measurement_id = ? ORDER BY level", one.id);
    one.ops = all_rows<StoredMeasuredOp>(database, "FROM measured_ops WHERE measurement_id = ? ORDER BY op", one.id);
  }
  return measurements;
}

}  // namespace upsweep
