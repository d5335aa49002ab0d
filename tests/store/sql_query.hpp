#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>

namespace upsweep::testing {

/// Runs a query with SQLite alone, as a user would.
inline std::string query(const std::string& file, const std::string& sql) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  std::string rows;
  char* error = nullptr;
  const auto collect = [](void* into, int count, char** values, char**) {
    for (int i = 0; i < count; ++i)
      *static_cast<std::string*>(into) += std::string(i > 0 ? "|" : "") + (values[i] != nullptr ? values[i] : "");
    *static_cast<std::string*>(into) += '\n';
    return 0;
  };
  if (sqlite3_exec(database, sql.c_str(), collect, &rows, &error) != SQLITE_OK) rows = error;
  sqlite3_free(error);
  sqlite3_close(database);
  return rows;
}

}  // namespace upsweep::testing
