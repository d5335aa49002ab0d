#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace upsweep {

/// An open SQLite connection. Every failure throws InputError that names the file; BusyError where another program
/// keeps it locked for a minute (WaitingNote).
class Sqlite {
 public:
  /// Opens `file`, creating it where `create` is set. Waits up to a minute for other processes.
  Sqlite(const std::string& file, bool create);

  /// Opens a file that nobody changes meanwhile, for reading, without any file beside it.
  [[nodiscard]] static Sqlite unchanging(const std::string& file);

  /// Opens a database of this object alone, which goes with it.
  [[nodiscard]] static Sqlite in_memory();

  /// Runs statements that return nothing.
  void execute(const std::string& sql);

  /// The first column of the first row, or 0.
  [[nodiscard]] std::int64_t integer(const std::string& sql);
  [[nodiscard]] std::int64_t last_row_id() const { return sqlite3_last_insert_rowid(connection_.get()); }
  [[nodiscard]] std::int64_t changed_rows() const { return sqlite3_changes(connection_.get()); }
  [[nodiscard]] sqlite3* handle() const { return connection_.get(); }
  [[nodiscard]] const std::string& file() const { return file_; }

  /// Throws InputError or BusyError with what SQLite says; std::bad_alloc where it gets no memory.
  [[noreturn]] void fail(int code) const;

 private:
  struct Close {
    void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
  };
  Sqlite() = default;
  void open(const std::string& path, int flags);

  std::string file_;
  std::unique_ptr<sqlite3, Close> connection_;
};

/// A text, or NULL where it is empty.
[[nodiscard]] inline std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace upsweep
