#include "database.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#include "migrations.hpp"
#include "transaction.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep {
namespace {

/// Schema version of a database that is ours or empty; throws for any other. Inside a transaction, so that what it
/// reads belongs together while other processes write.
std::int64_t our_version(Sqlite& database) {
  const auto newest = static_cast<std::int64_t>(migrations().size());
  const std::int64_t application = database.integer("PRAGMA application_id");
  const std::int64_t version = database.integer("PRAGMA user_version");
  const std::int64_t tables = database.integer("SELECT COUNT(*) FROM sqlite_master");
  if (application != kApplicationId && (application != 0 || tables != 0 || version != 0)) {
    throw InputError(
        fmt::format("{}: a database of another program (application id {}, {} tables and views), accepted is one that "
                    "upsweep wrote, or a new name",
                    database.file(), application, tables));
  }
  if (version > newest) {
    throw InputError(
        fmt::format("{}: its schema version is {}, accepted are versions up to {}: a newer upsweep wrote it",
                    database.file(), version, newest));
  }
  return version;
}

void migrate(Sqlite& database) {
  const auto newest = static_cast<std::int64_t>(migrations().size());
  {
    Transaction reading(database, Transaction::Kind::read);
    if (our_version(database) == newest) return;
  }
  Transaction writing(database, Transaction::Kind::write);
  const std::int64_t version = our_version(database);  // another process may have been here meanwhile
  if (version == newest) return;
  database.execute(fmt::format("PRAGMA application_id = {}", kApplicationId));
  for (std::int64_t next = version; next < newest; ++next) {
    database.execute(migrations()[static_cast<std::size_t>(next)]);
  }
  database.execute(fmt::format("PRAGMA user_version = {}", newest));
  writing.commit();
}

/// Write-ahead logging; the change of mode does not wait for other processes on its own.
void use_wal(Sqlite& database) {
  constexpr int kTries = 200;
  for (int attempt = 0;; ++attempt) {
    try {
      database.execute("PRAGMA journal_mode = WAL");
      return;
    } catch (const InputError&) {
      const int code = sqlite3_errcode(database.handle());
      if (attempt >= kTries || (code != SQLITE_BUSY && code != SQLITE_LOCKED)) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
}

/// Makes a database that has its schema from the moment in which it has its name, whenever this process ends.
void create_whole(const std::string& file) {
  std::error_code error;
  if (file.empty() || std::filesystem::symlink_status(file, error).type() != std::filesystem::file_type::not_found)
    return;
  const std::string fresh = fmt::format("{}.new-{}", file, getpid());
  std::filesystem::remove(fresh, error);
  try {
    Sqlite database(fresh, true);
    migrate(database);
    use_wal(database);
  } catch (...) {
    for (const char* part : {"", "-journal", "-wal", "-shm"}) std::filesystem::remove(fresh + part, error);
    throw;
  }
  // Another process may have been faster: then its file stays.
  std::filesystem::create_hard_link(fresh, file, error);
  std::filesystem::remove(fresh, error);
}

/// A connection in a transaction, and whether its schema is the present one.
struct Snapshot {
  Sqlite database;
  bool is_present = false;
};

/// Throws for a database that is not ours.
Snapshot begin_snapshot(Sqlite database) {
  database.execute("BEGIN");
  const bool is_present = our_version(database) == static_cast<std::int64_t>(migrations().size());
  return {std::move(database), is_present};
}

/// A database with write-ahead logging has files beside it that its readers write, too. Where they may not, its own
/// file is all that is read; one that they may not write would otherwise get files beside it that shut its owner out.
Snapshot snapshot_of(const std::string& file) {
  const std::string log = file + "-wal";
  std::error_code error;
  Sqlite database(file, false);
  if (sqlite3_db_readonly(database.handle(), "main") == 1 && !std::filesystem::exists(log, error)) {
    return begin_snapshot(Sqlite::unchanging(file));
  }
  try {
    // A look at it, which needs the files beside it.
    static_cast<void>(database.integer("PRAGMA user_version"));
  } catch (const InputError&) {
    const int code = sqlite3_errcode(database.handle());
    if (code != SQLITE_CANTOPEN && code != SQLITE_READONLY) throw;
    const auto logged = std::filesystem::file_size(log, error);
    if (error || logged == 0) return begin_snapshot(Sqlite::unchanging(file));
    throw InputError(
        fmt::format("{}: its last changes are in {}, and nothing can be written beside it, accepted is a "
                    "database in a writable folder",
                    file, log));
  }
  return begin_snapshot(std::move(database));
}

Cell cell(const Statement& row, int column) {
  if (row.is_null(column)) return std::monostate();
  if (row.is_integer(column)) return row.integer(column);
  if (row.is_float(column)) return row.number(column);
  return row.text(column);
}

}  // namespace

Sqlite open_database(const std::string& file, bool create) {
  if (create) create_whole(file);
  Sqlite database(file, create);
  migrate(database);
  if (create) use_wal(database);
  database.execute("PRAGMA foreign_keys = ON");
  return database;
}

Sqlite open_snapshot(const std::string& file) {
  {
    Snapshot snapshot = snapshot_of(file);
    if (snapshot.is_present) return std::move(snapshot.database);
  }
  return begin_snapshot(open_database(file, false)).database;  // which brings it up to date
}

std::string now_utc() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

QueryResult collect(Statement& statement) {
  QueryResult result;
  for (int c = 0; c < statement.columns(); ++c) result.columns.push_back(statement.column_name(c));
  while (statement.step()) {
    std::vector<Cell> row;
    for (int c = 0; c < statement.columns(); ++c) row.push_back(cell(statement, c));
    result.rows.push_back(std::move(row));
  }
  return result;
}

}  // namespace upsweep
