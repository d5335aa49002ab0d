#pragma once

#include <cstdint>
#include <string>

namespace upsweep {

/// SQLite application id of our files: "UpSw".
inline constexpr int kApplicationId = 0x55705377;

/// Version of schema.sql. One more with every change of a table, an index or a view there: upgrade() does the rest.
inline constexpr std::int64_t kSchemaVersion = 18;

/// schema.sql: all tables, indexes and views of the present version.
[[nodiscard]] const std::string& schema_sql();

/// before_commands.sql: what upgrade() runs over a database from before version 10.
[[nodiscard]] const std::string& before_commands_sql();

}  // namespace upsweep
