#include "reader_studies.hpp"

#include "column_reader.hpp"

namespace upsweep {
namespace {

void read_variants(Sqlite& database, std::int64_t id, TrainingRecord& record) {
  Statement select(database, "SELECT name, best FROM training_variants WHERE run_id = ? ORDER BY variant");
  select.bind(id);
  while (select.step()) {
    bool is_best = false;
    ColumnReader(select).into(record.variants.emplace_back(), is_best);
    if (is_best) record.best = static_cast<std::uint32_t>(record.variants.size() - 1);
  }
}

void read_figures(Sqlite& database, std::int64_t id, TrainingRecord& record) {
  Statement select(database,
                   "SELECT variant, figure, idx, value FROM training_figures WHERE run_id = ? ORDER BY rowid");
  select.bind(id);
  while (select.step()) {
    TrainingFigure& figure = record.figures.emplace_back();
    ColumnReader(select).into(figure.variant, figure.name, figure.index, figure.value);
  }
}

void read_tasks(Sqlite& database, std::int64_t id, TrainingRecord& record) {
  Statement select(database,
                   "SELECT kind, variant, resource, transfer, layer, micro_batch, starts, ends FROM training_tasks "
                   "WHERE run_id = ? AND variant = ? ORDER BY seq");
  select.bind(id, record.best.value_or(0));
  while (select.step()) {
    TrainingTask& task = record.tasks.emplace_back();
    ColumnReader columns(select);
    const std::string kind = columns.text();
    if (!kind.empty()) task.kind = kind[0];
    columns.into(task.variant, task.resource, task.is_transfer, task.layer, task.micro_batch, task.start, task.end);
  }
}

/// The times of the four phases in the next columns; nothing where there are none.
std::optional<PassSeconds> phases_at(ColumnReader& columns) {
  std::optional<double> jacobians;
  std::optional<double> up;
  std::optional<double> middle;
  std::optional<double> down;
  columns.into(jacobians, up, middle, down);
  if (!jacobians && !up && !middle && !down) return std::nullopt;
  return PassSeconds{jacobians.value_or(0), up.value_or(0), middle.value_or(0), down.value_or(0)};
}

void read_pass_rows(Sqlite& database, std::int64_t id, PassRecord& record) {
  Statement select(database,
                   "SELECT method, backend, best, failure, mismatch, flops, bytes, critical_path_flops, "
                   "makespan_flops, worst_share_of_bound, loss_difference, predicted_jacobians_s, predicted_up_s, "
                   "predicted_middle_s, predicted_down_s, measured_jacobians_s, measured_up_s, measured_middle_s, "
                   "measured_down_s FROM passes WHERE run_id = ? ORDER BY pass");
  select.bind(id);
  while (select.step()) {
    PassRow& row = record.passes.emplace_back();
    ColumnReader columns(select);
    columns.into(row.method, row.backend, row.best, row.failure, row.mismatch, row.flops, row.bytes,
                 row.critical_path_flops, row.makespan_flops, row.worst_share, row.loss_difference);
    row.predicted = phases_at(columns);
    row.measured = phases_at(columns);
  }
}

void read_losses(Sqlite& database, std::int64_t id, PassRecord& record) {
  Statement select(database,
                   "SELECT pass, iteration, loss, accuracy FROM losses WHERE run_id = ? ORDER BY pass, iteration");
  select.bind(id);
  while (select.step()) {
    LossPoint& point = record.losses.emplace_back();
    ColumnReader(select).into(point.pass, point.iteration, point.loss, point.accuracy);
  }
}

void read_axes(Sqlite& database, StoredStudy& study) {
  Statement select(database, "SELECT name, axis_values FROM study_axes WHERE study_id = ? ORDER BY axis");
  select.bind(study.id);
  while (select.step()) {
    StoredAxis& axis = study.axes.emplace_back();
    ColumnReader(select).into(axis.name, axis.values);
  }
}

void read_answers(Sqlite& database, StoredStudy& study) {
  Statement select(database,
                   "SELECT question, place, sentence, details FROM study_answers WHERE study_id = ? ORDER BY answer");
  select.bind(study.id);
  while (select.step()) {
    StoredAnswer& answer = study.answers.emplace_back();
    ColumnReader(select).into(answer.question, answer.place, answer.sentence, answer.details);
  }
}

}  // namespace

std::optional<StoredTraining> read_training(Sqlite& database, std::int64_t id) {
  Statement select(database,
                   "SELECT id, created_utc, tool_version, parameters, name, kind, file, content_hash, unit IS 's', "
                   "model, machine, link, kernels, devices, best_makespan FROM training_runs WHERE id = ?");
  if (!select.bind(id).step()) return std::nullopt;
  StoredTraining training;
  TrainingRecord& record = training.record;
  ColumnReader(select).into(training.id, training.created_utc, record.tool_version, record.parameters, record.name,
                            record.kind, record.file, record.content_hash, record.is_in_seconds, record.model,
                            record.machine, record.link, record.kernels, record.devices, record.best_makespan);
  read_variants(database, id, record);
  read_figures(database, id, record);
  read_tasks(database, id, record);
  return training;
}

std::optional<StoredPasses> read_passes(Sqlite& database, std::int64_t id) {
  Statement select(database,
                   "SELECT id, created_utc, tool_version, command, parameters, model, model_file, content_hash, "
                   "network, hidden, steps, batch, fused, IIF(dtype = 'fp64', 8, 4), machine, device, driver, workers, "
                   "forward_s, parameters_s FROM pass_runs WHERE id = ?");
  if (!select.bind(id).step()) return std::nullopt;
  StoredPasses passes;
  PassRecord& record = passes.record;
  ColumnReader(select).into(passes.id, passes.created_utc, record.tool_version, record.command, record.parameters,
                            record.model, record.model_file, record.content_hash, record.network, record.hidden,
                            record.steps, record.batch, record.is_fused, record.value_bytes, record.machine,
                            record.device, record.driver, record.workers, record.forward_s, record.parameters_s);
  read_pass_rows(database, id, record);
  read_losses(database, id, record);
  return passes;
}

std::optional<StoredStudy> read_study(Sqlite& database, std::int64_t id) {
  Statement select(database,
                   "SELECT id, created_utc, finished_utc, tool_version, parameters, rule, name, file, content_hash, "
                   "points, complete FROM studies WHERE id = ?");
  if (!select.bind(id).step()) return std::nullopt;
  StoredStudy study;
  ColumnReader(select).into(study.id, study.created_utc, study.finished_utc, study.tool_version, study.parameters,
                            study.rule, study.name, study.file, study.content_hash, study.points, study.is_complete);
  read_axes(database, study);
  read_answers(database, study);
  return study;
}

void read_points(Sqlite& database, std::int64_t study, const std::function<void(const StudyPointRow& point)>& take) {
  Statement select(database,
                   "SELECT position, coordinates, status, schedule, unit, score, plain_score, scan_score, "
                   "peak_live_bytes, plain_bytes, scan_bytes, bppsa_bytes, pipeline_bytes, memory_limit FROM "
                   "study_points WHERE study = ? ORDER BY position");
  select.bind(study);
  StudyPointRow point;
  while (select.step()) {
    ColumnReader(select).into(point.position, point.coordinates, point.status, point.schedule, point.unit, point.score,
                              point.plain_score, point.scan_score, point.peak_live_bytes, point.plain_bytes,
                              point.scan_bytes, point.bppsa_bytes, point.pipeline_bytes, point.memory_limit);
    take(point);
  }
}

}  // namespace upsweep
