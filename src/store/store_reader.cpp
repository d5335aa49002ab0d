#include "upsweep/store/store_reader.hpp"

#include <algorithm>

#include "database.hpp"
#include "grid_rows.hpp"
#include "measurement_rows.hpp"
#include "pass_rows.hpp"
#include "picture_rows.hpp"
#include "point_columns.hpp"
#include "run_rows.hpp"
#include "run_tables.hpp"
#include "training_rows.hpp"

namespace upsweep {
namespace {

std::vector<std::int64_t> newest_ids(Sqlite& database, const char* table) {
  Statement select(database, std::string("SELECT id FROM ") + table + " ORDER BY id DESC");
  std::vector<std::int64_t> ids;
  while (select.step()) ids.push_back(select.integer(0));
  return ids;
}

}  // namespace

struct StoreReader::Impl {
  std::shared_ptr<Sqlite> shared;  // where the file was opened, in a transaction, which ends with the connection
  Sqlite& database = *shared;
  std::optional<Statement> select_result = {};  // asked for thousands of times
};

StoreReader::StoreReader(const std::string& file) : StoreReader(std::make_shared<Sqlite>(open_snapshot(file))) {}

StoreReader::StoreReader(std::shared_ptr<Sqlite> database) : impl_(std::make_unique<Impl>(Impl{std::move(database)})) {}

StoreReader::~StoreReader() = default;

const std::string& StoreReader::file() const { return impl_->database.file(); }

std::vector<StoredRun> StoreReader::runs() const { return read_runs(impl_->database); }

std::vector<StoredRun> StoreReader::runs_of(std::int64_t command) const {
  return read_runs_of(impl_->database, command);
}

std::vector<std::int64_t> StoreReader::training_ids() const { return newest_ids(impl_->database, "step_runs"); }

std::vector<std::int64_t> StoreReader::passes_ids() const { return newest_ids(impl_->database, "pass_sets"); }

std::vector<std::int64_t> StoreReader::study_ids() const { return newest_ids(impl_->database, "study_grids"); }

std::optional<RunDetails> StoreReader::details(std::int64_t id) const {
  Sqlite& database = impl_->database;
  std::optional<StoredRun> run = read_run(database, id);
  if (!run) return std::nullopt;
  RunDetails details;
  if (run->search) details.search = read_search(database, *run->search);
  if (run->machine) details.machine = read_machine(database, *run->machine);
  details.run = std::move(*run);
  details.operators = read_operators(database, id);
  details.levels = read_levels(database, id);
  details.ops = read_ops(database, id, details.run.ops);
  details.measurements = read_measurements(database, id);
  return details;
}

std::optional<StoredSearch> StoreReader::search(std::int64_t id) const { return read_search(impl_->database, id); }

std::optional<StoredMachine> StoreReader::machine(std::int64_t id) const { return read_machine(impl_->database, id); }

std::optional<StoredTraining> StoreReader::training(std::int64_t id) const {
  return read_training(impl_->database, id);
}

std::optional<StoredPasses> StoreReader::passes(std::int64_t id) const { return read_passes(impl_->database, id); }

std::optional<StoredStudy> StoreReader::study(std::int64_t id) const { return read_study(impl_->database, id); }

void StoreReader::each_point(std::int64_t study, const std::function<void(const StudyPointRow& point)>& take) const {
  read_points(impl_->database, study, take);
}

void StoreReader::each_brief(std::int64_t study, const std::function<void(const StoredPoint& point)>& take) const {
  Statement select(impl_->database, select_briefs_sql());
  select.bind(study);
  while (select.step()) take(read_brief(select));
}

std::vector<ContentKey> StoreReader::result_keys() const {
  Statement select(impl_->database, "SELECT key FROM point_results");
  std::vector<ContentKey> keys;
  while (select.step()) {
    if (const std::optional<ContentKey> key = read_key(select, 0)) keys.push_back(*key);
  }
  return keys;
}

std::optional<PointRecord> StoreReader::result(const ContentKey& key) const {
  if (!impl_->select_result) impl_->select_result.emplace(impl_->database, select_point_sql());
  Statement& select = *impl_->select_result;
  std::optional<PointRecord> record;
  if (select.bind(Statement::Blob{key}).step()) record = read_point(select, key);
  select.reset();
  return record;
}

std::optional<std::string> StoreReader::counted_model(const ContentKey& key) const {
  Statement select(impl_->database, "SELECT content FROM counted_models WHERE key = ?");
  if (!select.bind(Statement::Blob{key}).step()) return std::nullopt;
  const std::span<const std::uint8_t> bytes = select.bytes(0);
  return std::string(bytes.begin(), bytes.end());
}

std::vector<StoredPicture> StoreReader::pictures(const std::string& model_hash, const std::string& pattern) const {
  return read_pictures(impl_->database, model_hash, pattern);
}

bool StoreReader::has_pictures(const std::string& model_hash, const std::string& pattern) const {
  return has_picture_rows(impl_->database, model_hash, pattern);
}

QueryResult StoreReader::run_list() const {
  return query_result(impl_->database, "SELECT * FROM run_summary ORDER BY id DESC");
}

QueryResult StoreReader::study_list() const {
  return query_result(impl_->database,
                      "SELECT id, created_utc, name, points, (SELECT count(*) FROM study_members m WHERE m.study_id = "
                      "s.id) AS stored, complete, tool_version, file FROM studies s ORDER BY id DESC");
}

std::optional<RunTables> StoreReader::run_tables(std::int64_t id) const { return read_run_tables(impl_->database, id); }

std::optional<ComparedRun> StoreReader::compared_run(std::int64_t id) const {
  return read_compared_run(impl_->database, id);
}

QueryResult StoreReader::study_points(std::int64_t study, std::uint64_t most) const {
  constexpr std::int64_t kAll = -1;
  return query_result(impl_->database, "SELECT * FROM study_points WHERE study = ? ORDER BY position LIMIT ?", study,
                      most == 0 ? kAll : static_cast<std::int64_t>(std::min<std::uint64_t>(most, INT64_MAX)));
}

}  // namespace upsweep
