#include "store_reader.hpp"

#include "database.hpp"
#include "point_columns.hpp"

namespace upsweep {
namespace {

std::vector<std::int64_t> newest_ids(Sqlite& database, const char* table) {
  Statement select(database, std::string("SELECT id FROM ") + table + " ORDER BY id DESC");
  std::vector<std::int64_t> ids;
  while (select.step()) ids.push_back(select.integer(0));
  return ids;
}

}  // namespace

StoreReader::StoreReader(const std::string& file) : StoreReader(std::make_shared<Sqlite>(open_snapshot(file))) {}

StoreReader::StoreReader(std::shared_ptr<Sqlite> database) : impl_(std::make_unique<Impl>(Impl{std::move(database)})) {}

StoreReader::~StoreReader() = default;

const std::string& StoreReader::file() const { return impl_->database.file(); }

std::vector<std::int64_t> StoreReader::training_ids() const { return newest_ids(impl_->database, "step_runs"); }

std::vector<std::int64_t> StoreReader::passes_ids() const { return newest_ids(impl_->database, "pass_sets"); }

std::vector<std::int64_t> StoreReader::anchors_ids() const { return newest_ids(impl_->database, "anchor_sets"); }

std::vector<std::int64_t> StoreReader::study_ids() const { return newest_ids(impl_->database, "study_grids"); }

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

}  // namespace upsweep
