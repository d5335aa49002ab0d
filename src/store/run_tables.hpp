#pragma once

#include <cstdint>
#include <optional>

#include "sqlite.hpp"
#include "upsweep/store/query_result.hpp"

namespace upsweep {

/// All rows of a query with these parameters.
[[nodiscard]] QueryResult query_result(Sqlite& database, std::string_view sql, const auto&... values);

/// See StoreReader::run_tables() and compared_run().
[[nodiscard]] std::optional<RunTables> read_run_tables(Sqlite& database, std::int64_t id);
[[nodiscard]] std::optional<ComparedRun> read_compared_run(Sqlite& database, std::int64_t id);

/// All rows of a statement whose parameters are bound.
[[nodiscard]] QueryResult collect(Statement& statement);

QueryResult query_result(Sqlite& database, std::string_view sql, const auto&... values) {
  Statement select(database, sql);
  select.bind(values...);
  return collect(select);
}

}  // namespace upsweep
