#include "database.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "schema.hpp"
#include "transaction.hpp"
#include "upgrade.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/base/unfinished_path.hpp"

namespace upsweep {
namespace {

/// What is done with a database that holds nothing, not even a mark of ours.
enum class Empty { fill, refuse };

/// Schema version of a database that is ours or, to be filled, empty; throws for any other. Inside a transaction, so
/// that what it reads belongs together while other processes write.
std::int64_t our_version(Sqlite& database, Empty empty) {
  const std::int64_t application = database.integer("PRAGMA application_id");
  const std::int64_t version = database.integer("PRAGMA user_version");
  const std::int64_t tables = database.integer("SELECT COUNT(*) FROM sqlite_master");
  const bool is_empty = application == 0 && tables == 0 && version == 0;
  if (is_empty && empty == Empty::refuse)
    throw InputError(fmt::format("{}: the file is empty, accepted is a file that upsweep wrote", database.file()));
  if (application != kApplicationId && !is_empty) {
    throw InputError(
        fmt::format("{}: a database of another program (application id {}, {} tables and views), accepted is one that "
                    "upsweep wrote, or a new name",
                    database.file(), application, tables));
  }
  if (version > kSchemaVersion) {
    throw InputError(
        fmt::format("{}: its schema version is {}, accepted are versions up to {}: a newer upsweep wrote it",
                    database.file(), version, kSchemaVersion));
  }
  return version;
}

/// Makes a database of ours, or one that may be filled, one of the present version.
void bring_up_to_date(Sqlite& database, Empty empty) {
  {
    Transaction reading(database, Transaction::Kind::read);
    if (our_version(database, empty) == kSchemaVersion) return;
  }
  database.execute("PRAGMA foreign_keys = OFF");  // an upgrade wants that, and inside a transaction it does nothing
  Transaction writing(database, Transaction::Kind::write);
  const std::int64_t version = our_version(database, empty);  // another process may have been here meanwhile
  if (version == kSchemaVersion) return;
  database.execute(fmt::format("PRAGMA application_id = {}", kApplicationId));
  if (version == 0) {
    database.execute(schema_sql());
  } else {
    upgrade(database, version);
  }
  database.execute(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
  writing.commit();
}

/// Write-ahead logging; the change of mode does not wait for other processes on its own.
void use_wal(Sqlite& database) {
  constexpr int kTries = 200;
  for (int attempt = 0;; ++attempt) {
    try {
      database.execute("PRAGMA journal_mode = WAL");
      return;
    } catch (const BusyError&) {
      if (attempt >= kTries) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
}

/// Makes a database that has its schema from the moment in which it has its name, whenever this process ends.
void create_whole(const std::string& file) {
  static std::mutex one_thread;  // the new file has a name of the process
  const std::lock_guard lock(one_thread);
  std::error_code error;
  if (file.empty() || std::filesystem::symlink_status(file, error).type() != std::filesystem::file_type::not_found)
    return;
  const std::string fresh = fmt::format("{}.new-{}", file, getpid());
  // Named ahead: what is thrown away for want of memory is removed without any.
  const std::array<std::string, 4> parts = {fresh, fresh + "-journal", fresh + "-wal", fresh + "-shm"};
  unlink(fresh.c_str());
  const UnfinishedDatabase unfinished(fresh);
  try {
    Sqlite database(fresh, true);
    bring_up_to_date(database, Empty::fill);
    use_wal(database);
  } catch (...) {
    for (const std::string& part : parts) unlink(part.c_str());
    throw;
  }
  // Another process may have been faster: then its file stays.
  static_cast<void>(link(fresh.c_str(), file.c_str()));
  unlink(fresh.c_str());
}

/// A connection in a transaction, and whether its schema is the present one.
struct Snapshot {
  Sqlite database;
  bool is_present = false;
};

/// Throws for a database that is not ours.
Snapshot begin_snapshot(Sqlite database) {
  database.execute("BEGIN");
  const bool is_present = our_version(database, Empty::refuse) == kSchemaVersion;
  return {std::move(database), is_present};
}

/// A connection to a database whose log is read with it, or nothing where its own file is all that may be read.
///
/// A database with write-ahead logging has files beside it that its readers write, too. Where they may not, its own
/// file is all that is read; one that they may not write would otherwise get files beside it that shut its owner out.
std::optional<Sqlite> open_with_log(const std::string& file) {
  const std::string log = file + "-wal";
  std::error_code error;
  Sqlite database(file, false);
  if (is_read_only(database) && !std::filesystem::exists(log, error)) return std::nullopt;
  try {
    // A look at it, which needs the files beside it.
    static_cast<void>(database.integer("PRAGMA user_version"));
  } catch (const InputError&) {
    const int code = sqlite3_errcode(database.handle());
    // Those files cannot be made, or not as long as they have to be: the folder is read-only, or the disk is full.
    const bool has_no_log = code == SQLITE_CANTOPEN || code == SQLITE_READONLY || code == SQLITE_FULL ||
                            (code == SQLITE_IOERR && sqlite3_system_errno(database.handle()) != EIO);
    if (!has_no_log) throw;
    const auto logged = std::filesystem::file_size(log, error);
    if (error || logged == 0) return std::nullopt;
    throw InputError(
        fmt::format("{}: its last changes are in {}, and nothing can be written beside it, accepted is a "
                    "database in a writable folder",
                    file, log));
  }
  return database;
}

/// Throws where a database of an older version cannot be brought to the present one, but may only be read.
Sqlite begin_present_snapshot(std::optional<Sqlite> with_log, const std::string& file) {
  {
    const bool is_writable = with_log && !is_read_only(*with_log);
    Snapshot snapshot = begin_snapshot(with_log ? std::move(*with_log) : Sqlite::unchanging(file));
    if (snapshot.is_present) return std::move(snapshot.database);
    if (!is_writable) {
      throw InputError(
          fmt::format("{}: an older upsweep wrote it, and it cannot be written, accepted is a writable database, which "
                      "is brought up to date, or a copy of it",
                      file));
    }
  }
  return begin_snapshot(open_database(file, false)).database;  // which brings it up to date
}

}  // namespace

Sqlite open_database(const std::string& file, bool create) {
  if (create) create_whole(file);
  Sqlite database(file, create);
  bring_up_to_date(database, create ? Empty::fill : Empty::refuse);
  if (create) use_wal(database);
  database.execute("PRAGMA foreign_keys = ON");
  return database;
}

Sqlite open_present(const std::string& file) {
  std::optional<Sqlite> with_log = open_with_log(file);
  if (!with_log || is_read_only(*with_log)) return begin_present_snapshot(std::move(with_log), file);
  with_log.reset();
  return open_database(file, false);
}

Sqlite open_snapshot(const std::string& file) { return begin_present_snapshot(open_with_log(file), file); }

bool is_read_only(const Sqlite& database) { return sqlite3_db_readonly(database.handle(), "main") == 1; }

std::string now_utc() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

}  // namespace upsweep
