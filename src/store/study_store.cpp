#include "upsweep/store/study_store.hpp"

#include <algorithm>

#include "command_rows.hpp"
#include "database.hpp"
#include "grid_rows.hpp"
#include "point_columns.hpp"
#include "transaction.hpp"

namespace upsweep {
namespace {

// SQLite takes rows of up to a billion bytes, their other columns included.
constexpr std::uint64_t kLargestCounted = 900'000'000;

bool has_result(PointStatus status) { return status == PointStatus::done || status == PointStatus::infeasible; }

/// The results of points in the order of their index, whose pages are then written one after the other.
std::vector<const PointRecord*> results_of(std::span<const StudyPoint> points) {
  std::vector<const PointRecord*> records;
  for (const StudyPoint& point : points) {
    if (has_result(point.record.status)) records.push_back(&point.record);
  }
  std::sort(records.begin(), records.end(), [](const auto* a, const auto* b) { return a->key < b->key; });
  return records;
}

/// Opens the database for many small results: what a process wrote is whole after it was killed, and what the whole
/// machine lost when it stopped is computed again.
Sqlite open_for_studies(const std::string& file) {
  Sqlite database = open_database(file, true);
  database.execute("PRAGMA synchronous = NORMAL");
  // Nothing here deletes what others refer to, and a look-up for every row written would cost a tenth of the time.
  database.execute("PRAGMA foreign_keys = OFF");
  // Keys are hashes: their index is written all over. Pages stay in memory, and are copied back in larger portions.
  database.execute("PRAGMA cache_size = -32768");
  database.execute("PRAGMA wal_autocheckpoint = 8000");
  return database;
}

/// A study some of whose points are others now: it is not complete, and its answers are none.
void open_again(Sqlite& database, std::int64_t study) {
  replace_answers(database, study, {});
  Statement update(database, "UPDATE study_grids SET complete = 0, finished_utc = NULL WHERE id = ?");
  update.bind(study).run();
}

}  // namespace

struct StudyStore::Impl {
  explicit Impl(const std::string& file) : shared(std::make_shared<Sqlite>(open_for_studies(file))) {}

  std::shared_ptr<Sqlite> shared;
  Sqlite& database = *shared;
  StoreReader reader{shared};
  Statement insert_result{database, insert_point_sql()};
  Statement insert_member{
      database,
      "INSERT INTO study_members (study_id, position, key, status, reason, coordinates) "
      "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (study_id, position) DO UPDATE SET key = excluded.key, "
      "status = excluded.status, reason = excluded.reason WHERE status = 'invalid'"};
  Statement touch_counted{database,
                          "UPDATE counted_models SET used = (SELECT MAX(used) + 1 FROM counted_models) "
                          "WHERE key = ? AND used < (SELECT MAX(used) FROM counted_models)"};

  void save_member(std::int64_t study, const StudyPoint& point);
  /// Whether a complete study has points as invalid that are not any more.
  bool has_valid_again(std::int64_t study, std::span<const StudyPoint> points);
  void evict(std::uint64_t limit);
};

void StudyStore::Impl::save_member(std::int64_t study, const StudyPoint& point) {
  const PointRecord& record = point.record;
  const bool has_row = has_result(record.status);
  Statement& insert = insert_member;
  insert.reset();
  insert.bind_at(1, study);
  insert.bind_at(2, point.position);
  if (has_row) {
    insert.bind_at(3, Statement::Blob{record.key});
  } else {
    insert.bind_at(3, nullptr);
  }
  insert.bind_at(4, Statement::Borrowed{status_name(record.status)});
  insert.bind_at(5, Statement::Borrowed{has_row ? std::string_view() : std::string_view(record.reason)});
  insert.bind_at(6, point.coordinates);
  insert.run();
}

bool StudyStore::Impl::has_valid_again(std::int64_t study, std::span<const StudyPoint> points) {
  Statement complete(database, "SELECT 1 FROM study_grids WHERE id = ? AND complete");
  if (!complete.bind(study).step()) return false;
  Statement invalid(database, "SELECT 1 FROM study_members WHERE study_id = ? AND position = ? AND status = 'invalid'");
  return std::ranges::any_of(points, [&](const StudyPoint& point) {
    return point.record.status != PointStatus::invalid && invalid.bind(study, point.position).step();
  });
}

void StudyStore::Impl::evict(std::uint64_t limit) {
  Statement oldest(database, "SELECT key, bytes FROM counted_models ORDER BY used LIMIT 1");
  Statement erase(database, "DELETE FROM counted_models WHERE key = ?");
  auto total = static_cast<std::uint64_t>(database.integer("SELECT SUM(bytes) FROM counted_models"));
  while (total > limit) {
    oldest.reset();
    if (!oldest.step()) return;
    const std::span<const std::uint8_t> bytes = oldest.bytes(0);
    const std::vector<std::uint8_t> key(bytes.begin(), bytes.end());
    total -= oldest.count(1);
    oldest.reset();
    erase.bind(Statement::Blob{key}).run();
  }
}

StudyStore::StudyStore(const std::string& file) : impl_(std::make_unique<Impl>(file)) {}

StudyStore::~StudyStore() = default;

const StoreReader& StudyStore::reader() const { return impl_->reader; }

std::int64_t StudyStore::open_study(const StudyRecord& record) {
  Sqlite& database = impl_->database;
  CommandRow command = command_now(record.tool_version, "study", record.parameters);
  command.rule = record.rule;
  Transaction transaction(database, Transaction::Kind::write);
  Statement find(database, "SELECT id FROM studies WHERE content_hash = ? AND rule = ? AND tool_version = ?");
  find.bind(record.content_hash, record.rule, record.tool_version);
  if (find.step()) return find.integer(0);
  const std::int64_t id = save_study(database, save_command(database, command), record);
  transaction.commit();
  return id;
}

void StudyStore::save(std::int64_t study, std::span<const StudyPoint> points) {
  const std::vector<const PointRecord*> results = results_of(points);
  Transaction transaction(impl_->database, Transaction::Kind::write);
  for (const PointRecord* record : results) {
    bind_point(impl_->insert_result, *record);
    impl_->insert_result.run();
  }
  if (impl_->has_valid_again(study, points)) open_again(impl_->database, study);
  for (const StudyPoint& point : points) impl_->save_member(study, point);
  transaction.commit();
}

void StudyStore::forget(std::int64_t study, std::span<const std::uint64_t> positions) {
  if (positions.empty()) return;
  Sqlite& database = impl_->database;
  Transaction transaction(database, Transaction::Kind::write);
  Statement erase(database, "DELETE FROM study_members WHERE study_id = ? AND position = ?");
  for (const std::uint64_t position : positions) erase.bind(study, position).run();
  open_again(database, study);
  transaction.commit();
}

void StudyStore::save_verdict(std::int64_t study, const KeptVerdict& verdict) {
  Transaction transaction(impl_->database, Transaction::Kind::write);
  Statement update(
      impl_->database,
      "UPDATE commands SET verdict = ?, verdict_ratio = ?, verdict_details = ? WHERE id = (SELECT command_id "
      "FROM study_grids WHERE id = ?)");
  update.bind(verdict.text, verdict.ratio, verdict.details, study).run();
  transaction.commit();
}

void StudyStore::save_answers(std::int64_t study, std::span<const AnswerRecord> answers, bool is_complete) {
  Sqlite& database = impl_->database;
  const std::string now = now_utc();
  Transaction transaction(database, Transaction::Kind::write);
  replace_answers(database, study, answers);
  Statement update(database, "UPDATE study_grids SET complete = ?, finished_utc = ? WHERE id = ?");
  update.bind(is_complete, now, study).run();
  transaction.commit();
}

void StudyStore::mark_used(const ContentKey& key) { impl_->touch_counted.bind(Statement::Blob{key}).run(); }

void StudyStore::keep(const ContentKey& key, std::string_view bytes, std::uint64_t limit) {
  Sqlite& database = impl_->database;
  Transaction transaction(database, Transaction::Kind::write);
  // One that is too large for all the room there is would only drive the others out.
  if (bytes.size() <= std::min(limit, kLargestCounted)) {
    Statement insert(database,
                     "INSERT OR REPLACE INTO counted_models (key, used, bytes, content) "
                     "VALUES (?, (SELECT COALESCE(MAX(used), 0) + 1 FROM counted_models), ?, ?)");
    const std::span content(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    insert.bind(Statement::Blob{key}, std::uint64_t{bytes.size()}, Statement::Blob{content}).run();
  }
  impl_->evict(limit);
  transaction.commit();
}

}  // namespace upsweep
