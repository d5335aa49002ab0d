#pragma once

#include <fmt/format.h>

#include "database.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep {

/// A transaction that is rolled back unless commit() was reached.
class Transaction {
 public:
  enum class Kind {
    read,   ///< one state of the database for all that is read
    write,  ///< takes the write lock at once
  };

  /// Throws InputError that names the file where it is to be written and cannot be.
  Transaction(Sqlite& database, Kind kind) : database_(database) {
    if (kind == Kind::write && is_read_only(database)) {
      throw InputError(fmt::format(
          "{}: nothing can be written there, accepted is a writable database in a writable folder", database.file()));
    }
    database_.execute(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
  }
  ~Transaction() {
    // A failure here means that there is nothing left to roll back.
    if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() {
    database_.execute("COMMIT");
    open_ = false;
  }

 private:
  Sqlite& database_;
  bool open_ = true;
};

}  // namespace upsweep
