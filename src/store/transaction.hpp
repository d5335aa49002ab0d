#pragma once

#include "sqlite.hpp"

namespace upsweep {

/// A transaction that is rolled back unless commit() was reached.
class Transaction {
 public:
  enum class Kind {
    read,   ///< one state of the database for all that is read
    write,  ///< takes the write lock at once
  };

  Transaction(Sqlite& database, Kind kind) : database_(database) {
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
