#include "upsweep/store/store_reader.hpp"

#include "database.hpp"
#include "picture_rows.hpp"
#include "reader_runs.hpp"
#include "reader_studies.hpp"

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
  std::string file;
  Sqlite database;  // in a transaction, which ends with the connection
};

StoreReader::StoreReader(const std::string& file) : impl_(std::make_unique<Impl>(Impl{file, open_snapshot(file)})) {}

StoreReader::~StoreReader() = default;

const std::string& StoreReader::file() const { return impl_->file; }

std::vector<StoredRun> StoreReader::runs() const { return read_runs(impl_->database); }

std::vector<std::int64_t> StoreReader::training_ids() const { return newest_ids(impl_->database, "training_runs"); }

std::vector<std::int64_t> StoreReader::passes_ids() const { return newest_ids(impl_->database, "pass_runs"); }

std::vector<std::int64_t> StoreReader::study_ids() const { return newest_ids(impl_->database, "studies"); }

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

std::vector<StoredPicture> StoreReader::pictures(const std::string& model_hash, const std::string& pattern) const {
  return read_pictures(impl_->database, model_hash, pattern);
}

}  // namespace upsweep
