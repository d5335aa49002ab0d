#include "sqlite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <new>
#include <system_error>

#include "upsweep/base/error.hpp"
#include "upsweep/base/work_meter.hpp"
#include "waiting.hpp"

namespace upsweep {

Sqlite::Sqlite(const std::string& file, bool create) : file_(file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  const bool exists = std::filesystem::exists(status);
  if (error && status.type() != std::filesystem::file_type::not_found) {
    throw InputError(
        fmt::format("{}: {}, accepted is a database that upsweep wrote, or a new name", file, error.message()));
  }
  if (!create && !exists) {
    throw InputError(
        fmt::format("{}: no such database, accepted is a file that upsweep wrote: commands keep their runs with --db "
                    "FILE, or where UPSWEEP_DB says",
                    file));
  }
  if (file.empty() || (exists && !std::filesystem::is_regular_file(status))) {
    throw InputError(
        fmt::format("'{}': not a regular file, accepted is a database that upsweep wrote, or a new name", file));
  }
  // An absolute path: ":memory:" and "file:..." have meanings of their own for SQLite.
  const std::string path = std::filesystem::absolute(file, error).string();
  open(path, SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0));
  if (create && sqlite3_db_readonly(handle(), "main") == 1) {
    throw InputError(fmt::format("{}: the file is read-only, accepted is a writable database, or a new name", file));
  }
}

Sqlite Sqlite::unchanging(const std::string& file) {
  std::error_code error;
  std::string uri = "file://";
  for (const char c : std::filesystem::absolute(file, error).string()) {
    // What means something in a URI is written as its number.
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02x}", static_cast<unsigned>(c));
    } else {
      uri += c;
    }
  }
  Sqlite database;
  database.file_ = file;
  database.open(uri + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  return database;
}

Sqlite Sqlite::in_memory() {
  Sqlite database;
  database.file_ = ":memory:";
  database.open(database.file_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  return database;
}

void Sqlite::open(const std::string& path, int flags) {
  sqlite3* connection = nullptr;
  // One thread at a time uses a connection: it needs no locks of its own.
  const int code = sqlite3_open_v2(path.c_str(), &connection, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  connection_.reset(connection);
  if (code != SQLITE_OK) fail(code);
  sqlite3_busy_handler(connection, wait_for_lock, nullptr);
}

void Sqlite::fail(int code) const {
  const int extended = connection_ ? sqlite3_extended_errcode(connection_.get()) : code;
  if ((code & 0xff) == SQLITE_NOMEM || extended == SQLITE_IOERR_NOMEM) throw std::bad_alloc();
  std::string text = connection_ ? sqlite3_errmsg(connection_.get()) : sqlite3_errstr(code);
  if (connection_ && (code == SQLITE_FULL || (code & 0xff) == SQLITE_IOERR)) {
    // Of a write that failed SQLite keeps the system's word beside its own.
    const int cause = sqlite3_system_errno(connection_.get());
    if (cause != 0) text += fmt::format(" ({})", std::generic_category().message(cause));
    throw InputError(fmt::format(
        "{}: {}, accepted is a disk with room that can be written; what was written before stays", file_, text));
  }
  if ((code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED) {
    if (waits_no_more()) throw Interrupted();
    throw BusyError(fmt::format(
        "{}: another program keeps it locked, accepted is another database, or to wait until that one is done", file_));
  }
  throw InputError(
      fmt::format("{}: {}, accepted is a writable database that upsweep wrote, or a new name", file_, text));
}

void Sqlite::execute(const std::string& sql) {
  const int code = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Sqlite::integer(const std::string& sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

Statement::Statement(Sqlite& database, std::string_view sql) : database_(database) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) database.fail(code);
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) database_.fail(code);
  if (code == SQLITE_DONE) return false;
  ++rows_;
  if (rules_.empty()) learn_rules();
  check_row();
  return true;
}

void Statement::learn_rules() {
  constexpr std::array<std::string_view, 3> kNumbers = {"INTEGER", "REAL", "NUMERIC"};
  // Of counts and times; others (a margin, a loss, a position of which -1 is one) may be negative.
  constexpr std::array<std::string_view, 15> kCounts = {"flops", "nnz",    "bytes", "ops",      "products",
                                                        "rows",  "cols",   "span",  "elements", "points",
                                                        "steps", "inputs", "_s",    "workers",  "levels"};
  constexpr std::array<std::string_view, 3> kDistances = {"worst_share_of_bound", "worst_share", "loss_difference"};
  for (int column = 0; column < columns(); ++column) {
    const char* type = sqlite3_column_decltype(statement_.get(), column);
    const std::string name = column_name(column);
    ColumnRule& rule = rules_.emplace_back();
    rule.is_number = type != nullptr && std::ranges::find(kNumbers, std::string_view(type)) != kNumbers.end();
    rule.is_distance = std::ranges::find(kDistances, std::string_view(name)) != kDistances.end();
    rule.is_count =
        rule.is_number && std::ranges::any_of(kCounts, [&](std::string_view end) { return name.ends_with(end); });
  }
}

bool Statement::is_possible(int column) const {
  const ColumnRule& rule = rules_[static_cast<std::size_t>(column)];
  if (!rule.is_number || is_null(column)) return true;
  if (is_integer(column)) return !rule.is_count || integer(column) >= 0;
  if (!is_float(column)) return false;
  // How far a result is off may be infinite: it overflowed.
  return rule.is_distance || (std::isfinite(number(column)) && (!rule.is_count || number(column) >= 0));
}

void Statement::check_row() const {
  for (int column = 0; column < columns(); ++column) {
    if (is_possible(column)) continue;
    throw InputError(fmt::format("{}: {} has '{}' as {}, accepted is a {}number: the database is damaged there",
                                 database_.file(), row_text(column), text(column), column_name(column),
                                 rules_[static_cast<std::size_t>(column)].is_count ? "nonnegative " : "finite "));
  }
}

std::string Statement::row_text(int column) const {
  const char* table = sqlite3_column_table_name(statement_.get(), column);
  const std::string of = table == nullptr ? "a result" : fmt::format("table {}", table);
  for (int other = 0; other < columns(); ++other) {
    if (column_name(other) == "id") return fmt::format("{}, id {}", of, text(other));
  }
  const std::unique_ptr<char, void (*)(void*)> sql(sqlite3_expanded_sql(statement_.get()), sqlite3_free);
  std::string where = sql ? sql.get() : "";
  const std::size_t begin = where.find(" WHERE ");
  where = begin == std::string::npos ? "" : where.substr(begin, where.find(" ORDER ", begin) - begin);
  return fmt::format("{}, row {}{}", of, rows_, where);
}

std::string Statement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return text == nullptr ? std::string()
                         : std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

std::span<const std::uint8_t> Statement::bytes(int column) const {
  const auto* bytes = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_.get(), column));
  return {bytes, bytes == nullptr ? 0 : static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

}  // namespace upsweep
