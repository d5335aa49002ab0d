#include "upsweep/store/run_store.hpp"

#include <algorithm>

#include "database.hpp"
#include "measurement_rows.hpp"
#include "pass_rows.hpp"
#include "picture_rows.hpp"
#include "run_rows.hpp"
#include "sqlite.hpp"
#include "training_rows.hpp"
#include "transaction.hpp"

namespace upsweep {
struct RunStore::Impl {
  Sqlite database;
};

RunStore::RunStore(const std::string& file, Open open)
    : impl_(std::make_unique<Impl>(Impl{open == Open::create ? open_database(file, true) : open_present(file)})) {}

RunStore::~RunStore() = default;

std::vector<std::int64_t> RunStore::save(const RunContext& context, const std::vector<RunRecord>& runs,
                                         const std::optional<SearchRecord>& search) {
  Sqlite& database = impl_->database;
  const std::string created = now_utc();
  std::vector<std::int64_t> ids;
  Transaction transaction(database, Transaction::Kind::write);
  std::optional<std::int64_t> search_id;
  if (search) search_id = save_search(database, *search);
  std::optional<std::int64_t> machine_id;
  if (context.machine != nullptr) machine_id = machine_row(database, *context.machine, context.machine_text);
  for (const RunRecord& run : runs) {
    ids.push_back(save_run(database, created, context, run, search_id, machine_id));
  }
  transaction.commit();
  return ids;
}

std::int64_t RunStore::save(const TrainingRecord& record) {
  Transaction transaction(impl_->database, Transaction::Kind::write);
  const std::int64_t id = save_training_run(impl_->database, now_utc(), record);
  transaction.commit();
  return id;
}

std::int64_t RunStore::save(const PassRecord& record) {
  Transaction transaction(impl_->database, Transaction::Kind::write);
  const std::int64_t id = save_pass_run(impl_->database, now_utc(), record);
  transaction.commit();
  return id;
}

std::optional<QueryResult> RunStore::show_passes(std::int64_t id) {
  Statement select(impl_->database, "SELECT * FROM pass_runs WHERE id = ?");
  select.bind(id);
  QueryResult wide = collect(select);
  if (wide.rows.empty()) return std::nullopt;
  return wide;
}

QueryResult RunStore::passes(std::int64_t id) {
  Statement select(impl_->database, "SELECT * FROM passes WHERE run_id = ? ORDER BY pass");
  select.bind(id);
  return collect(select);
}

QueryResult RunStore::pass_summary(std::int64_t id) {
  Statement select(impl_->database,
                   "SELECT method, backend, flops, bytes, predicted_s, measured_s, error, ratio_to_first, "
                   "worst_share_of_bound, loss_difference, mismatch, failure FROM pass_summary WHERE run = ?");
  select.bind(id);
  return collect(select);
}

QueryResult RunStore::losses(std::int64_t id) {
  Statement select(
      impl_->database,
      "SELECT p.method, l.iteration, l.loss, l.accuracy FROM losses l JOIN passes p ON p.run_id = l.run_id "
      "AND p.pass = l.pass WHERE l.run_id = ? ORDER BY l.pass, l.iteration");
  select.bind(id);
  return collect(select);
}

std::optional<QueryResult> RunStore::show_training(std::int64_t id) {
  Statement select(impl_->database, "SELECT * FROM training_runs WHERE id = ?");
  select.bind(id);
  QueryResult wide = collect(select);
  if (wide.rows.empty()) return std::nullopt;
  return wide;
}

QueryResult RunStore::training_summary(std::int64_t id) {
  Statement select(impl_->database,
                   "SELECT variant, makespan, bubble_fraction, peak_tensors, best FROM training_summary WHERE run = ?");
  select.bind(id);
  return collect(select);
}

QueryResult RunStore::training_figures(std::int64_t id) {
  Statement select(
      impl_->database,
      "SELECT v.name AS variant, f.figure, f.idx, f.value FROM training_figures f JOIN training_variants v "
      "ON v.run_id = f.run_id AND v.variant = f.variant WHERE f.run_id = ? ORDER BY f.rowid");
  select.bind(id);
  return collect(select);
}

std::int64_t RunStore::save_machine(const Machine& machine, const std::string& text) {
  Transaction transaction(impl_->database, Transaction::Kind::write);
  const std::int64_t id = machine_row(impl_->database, machine, text);
  transaction.commit();
  return id;
}

QueryResult RunStore::measurements(std::int64_t id) {
  Statement select(impl_->database,
                   "SELECT measurement, backend, workers, execution, level, predicted_s, measured_s, error FROM "
                   "prediction_vs_measurement WHERE run = ? ORDER BY measurement, level IS NOT NULL, level");
  select.bind(id);
  return collect(select);
}

QueryResult RunStore::list() {
  Statement select(impl_->database, "SELECT * FROM run_summary ORDER BY id DESC");
  return collect(select);
}

QueryResult RunStore::studies() {
  Statement select(
      impl_->database,
      "SELECT id, created_utc, name, points, (SELECT count(*) FROM study_members m WHERE m.study_id = s.id) "
      "AS stored, complete, tool_version, file FROM studies s ORDER BY id DESC");
  return collect(select);
}

std::optional<QueryResult> RunStore::show(std::int64_t id) {
  Statement select(impl_->database, "SELECT * FROM runs WHERE id = ?");
  select.bind(id);
  QueryResult wide = collect(select);
  if (wide.rows.empty()) return std::nullopt;
  const auto depth = std::find(wide.columns.begin(), wide.columns.end(), "depth") - wide.columns.begin();
  Cell& cell = wide.rows[0][static_cast<std::size_t>(depth)];
  if (cell == Cell(kNoDepth)) cell = std::monostate();
  return wide;
}

QueryResult RunStore::levels(std::int64_t id) {
  Statement select(impl_->database,
                   "SELECT level, phase, ops, dead_ops, flops_sum, flops_max, share_of_flops, nnz, bytes FROM "
                   "level_profile WHERE run_id = ? ORDER BY level");
  select.bind(id);
  return collect(select);
}

bool RunStore::has_pictures(const std::string& model_hash, const std::string& pattern) {
  return has_picture_rows(impl_->database, model_hash, pattern);
}

void RunStore::save_pictures(const std::string& model_hash, const std::string& pattern,
                             std::span<const StoredPicture> pictures) {
  Transaction transaction(impl_->database, Transaction::Kind::write);
  save_picture_rows(impl_->database, model_hash, pattern, pictures);
  transaction.commit();
}

bool RunStore::remove(std::int64_t id) {
  Sqlite& database = impl_->database;
  Transaction transaction(database, Transaction::Kind::write);
  Statement find(database, "SELECT model_hash, pattern FROM runs WHERE id = ?");
  const std::optional pictures =
      find.bind(id).step() ? std::optional(std::pair(find.text(0), find.text(1))) : std::nullopt;
  find.reset();
  Statement erase(database, "DELETE FROM runs WHERE id = ?");
  erase.bind(id).run();
  bool found = database.changed_rows() > 0;
  for (const char* others : {"DELETE FROM training_runs WHERE id = ?", "DELETE FROM pass_runs WHERE id = ?"}) {
    Statement erase_other(database, others);
    erase_other.bind(id).run();
    found = found || database.changed_rows() > 0;
  }
  database.execute("DELETE FROM searches WHERE id NOT IN (SELECT search_id FROM runs WHERE search_id IS NOT NULL)");
  if (pictures) remove_unused_pictures(database, pictures->first, pictures->second);
  transaction.commit();
  return found;
}

}  // namespace upsweep
