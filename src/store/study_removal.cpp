#include <optional>
#include <string>

#include "database.hpp"
#include "transaction.hpp"
#include "upsweep/store/study_store.hpp"

namespace upsweep {
namespace {

/// By which others are kept out of a study; nothing when there is no such study.
std::optional<std::string> lock_key(Sqlite& database, std::int64_t id) {
  Statement find(database, "SELECT content_hash FROM studies WHERE id = ?");
  if (!find.bind(id).step()) return std::nullopt;
  return find.text(0);
}

}  // namespace

bool remove_study(const std::string& file, std::int64_t id) {
  Sqlite database = open_present(file);
  const std::optional<std::string> key = lock_key(database, id);
  if (!key) return false;
  const StudyLock lock(file, *key);
  // Rows go by table here: to look up who refers to each would read all members again for every result.
  if (!is_read_only(database)) database.execute("PRAGMA foreign_keys = OFF");
  Transaction transaction(database, Transaction::Kind::write);
  for (const char* sql : {R"(DELETE FROM point_results WHERE key IN (SELECT key FROM study_members WHERE study_id = ?1)
                              AND key NOT IN (SELECT key FROM study_members WHERE study_id <> ?1 AND key IS NOT NULL))",
                          "DELETE FROM study_members WHERE study_id = ?1",
                          "DELETE FROM study_answers WHERE study_id = ?1", "DELETE FROM study_axes WHERE study_id = ?1",
                          "DELETE FROM commands WHERE id = (SELECT command_id FROM study_grids WHERE id = ?1)",
                          "DELETE FROM study_grids WHERE id = ?1"}) {
    Statement erase(database, sql);
    erase.bind(id).run();
  }
  const bool was_there = database.changed_rows() > 0;
  transaction.commit();
  return was_there;
}

}  // namespace upsweep
