#include "upsweep/store/study_store.hpp"

#include <algorithm>
#include <stdexcept>

#include "database.hpp"
#include "point_columns.hpp"
#include "transaction.hpp"

namespace upsweep {
namespace {

// SQLite takes rows of up to a billion bytes, their other columns included.
constexpr std::uint64_t kLargestCounted = 900'000'000;

bool has_result(PointStatus status) { return status == PointStatus::done || status == PointStatus::infeasible; }

void save_axes(Sqlite& database, std::int64_t study, const StudyRecord& record) {
  if (record.axes.size() != record.values.size()) throw std::logic_error("a study whose axes do not all have values");
  Statement insert(database, "INSERT INTO study_axes (study_id, axis, name, axis_values) VALUES (?, ?, ?, ?)");
  for (std::uint64_t axis = 0; axis < record.axes.size(); ++axis) {
    insert.bind(study, axis, record.axes[axis], record.values[axis]).run();
  }
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

}  // namespace

struct StudyStore::Impl {
  explicit Impl(const std::string& file) : database(open_for_studies(file)) {}

  Sqlite database;
  Statement insert_result{database, insert_point_sql()};
  Statement select_result{database, select_point_sql()};
  Statement insert_member{database,
                          "INSERT OR IGNORE INTO study_members (study_id, position, key, status, reason, coordinates) "
                          "VALUES (?, ?, ?, ?, ?, ?)"};
  Statement select_counted{database, "SELECT content FROM counted_models WHERE key = ?"};
  Statement touch_counted{database,
                          "UPDATE counted_models SET used = (SELECT MAX(used) + 1 FROM counted_models) "
                          "WHERE key = ? AND used < (SELECT MAX(used) FROM counted_models)"};

  void save_results(std::span<const StudyPoint> points);
  void save_member(std::int64_t study, const StudyPoint& point);
  void evict(std::uint64_t limit);
};

void StudyStore::Impl::save_results(std::span<const StudyPoint> points) {
  std::vector<const PointRecord*> records;
  for (const StudyPoint& point : points) {
    if (has_result(point.record.status)) records.push_back(&point.record);
  }
  // In the order of the index, whose pages are then written one after the other.
  std::sort(records.begin(), records.end(), [](const auto* a, const auto* b) { return a->key < b->key; });
  for (const PointRecord* record : records) {
    bind_point(insert_result, *record);
    insert_result.run();
  }
}

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

std::int64_t StudyStore::open_study(const StudyRecord& record) {
  Sqlite& database = impl_->database;
  Transaction transaction(database, Transaction::Kind::write);
  Statement find(database, "SELECT id FROM studies WHERE content_hash = ? AND rule = ? AND tool_version = ?");
  find.bind(record.content_hash, record.rule, record.tool_version);
  if (find.step()) return find.integer(0);
  Statement insert(database,
                   "INSERT INTO studies (created_utc, tool_version, parameters, rule, name, file, content_hash, text, "
                   "points, complete) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)");
  insert
      .bind(now_utc(), record.tool_version, record.parameters, record.rule, record.name, record.file,
            record.content_hash, record.text, record.points)
      .run();
  const std::int64_t id = database.last_row_id();
  save_axes(database, id, record);
  transaction.commit();
  return id;
}

void StudyStore::each_point(std::int64_t study, const std::function<void(const StoredPoint& point)>& take) const {
  Statement select(impl_->database, select_briefs_sql());
  select.bind(study);
  while (select.step()) {
    const std::string schedule = read_schedule_name(select);
    take({select.count(0), read_brief(select), schedule, read_member_key(select), read_has_expectations(select)});
  }
}

std::vector<ContentKey> StudyStore::result_keys() const {
  Statement select(impl_->database, "SELECT key FROM point_results");
  std::vector<ContentKey> keys;
  while (select.step()) {
    if (const std::optional<ContentKey> key = read_key(select, 0)) keys.push_back(*key);
  }
  return keys;
}

std::optional<PointRecord> StudyStore::result(const ContentKey& key) const {
  Statement& select = impl_->select_result;
  std::optional<PointRecord> record;
  if (select.bind(Statement::Blob{key}).step()) record = read_point(select, key);
  select.reset();
  return record;
}

void StudyStore::save(std::int64_t study, std::span<const StudyPoint> points) {
  Transaction transaction(impl_->database, Transaction::Kind::write);
  impl_->save_results(points);
  for (const StudyPoint& point : points) impl_->save_member(study, point);
  transaction.commit();
}

void StudyStore::forget(std::int64_t study, std::span<const std::uint64_t> positions) {
  if (positions.empty()) return;
  Sqlite& database = impl_->database;
  Transaction transaction(database, Transaction::Kind::write);
  Statement erase(database, "DELETE FROM study_members WHERE study_id = ? AND position = ?");
  for (const std::uint64_t position : positions) erase.bind(study, position).run();
  Statement answers(database, "DELETE FROM study_answers WHERE study_id = ?");
  answers.bind(study).run();
  Statement update(database, "UPDATE studies SET complete = 0, finished_utc = NULL WHERE id = ?");
  update.bind(study).run();
  transaction.commit();
}

void StudyStore::save_answers(std::int64_t study, std::span<const AnswerRecord> answers, bool is_complete) {
  Sqlite& database = impl_->database;
  Transaction transaction(database, Transaction::Kind::write);
  Statement erase(database, "DELETE FROM study_answers WHERE study_id = ?");
  erase.bind(study).run();
  Statement insert(database,
                   "INSERT INTO study_answers (study_id, answer, question, place, sentence, details) "
                   "VALUES (?, ?, ?, ?, ?, ?)");
  for (std::uint64_t a = 0; a < answers.size(); ++a) {
    const AnswerRecord& answer = answers[a];
    insert.bind(study, a, answer.question, unless_empty(answer.where), answer.sentence, answer.answer).run();
  }
  Statement update(database, "UPDATE studies SET complete = ?, finished_utc = ? WHERE id = ?");
  update.bind(is_complete, now_utc(), study).run();
  transaction.commit();
}

std::optional<std::string> StudyStore::cached(const ContentKey& key) {
  Transaction transaction(impl_->database, Transaction::Kind::write);
  Statement& select = impl_->select_counted;
  std::optional<std::string> content;
  if (select.bind(Statement::Blob{key}).step()) {
    const std::span<const std::uint8_t> bytes = select.bytes(0);
    content.emplace(bytes.begin(), bytes.end());
  }
  select.reset();
  if (content) impl_->touch_counted.bind(Statement::Blob{key}).run();
  transaction.commit();
  return content;
}

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

QueryResult StudyStore::points(std::int64_t study, std::uint64_t most) const {
  constexpr std::int64_t kAll = -1;
  Statement select(impl_->database, "SELECT * FROM study_points WHERE study = ? ORDER BY position LIMIT ?");
  select.bind(study, most == 0 ? kAll : static_cast<std::int64_t>(std::min<std::uint64_t>(most, INT64_MAX)));
  return collect(select);
}

}  // namespace upsweep
