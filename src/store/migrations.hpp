#pragma once

#include <string>
#include <vector>

namespace upsweep {

/// SQLite application id of our files: "UpSw".
inline constexpr int kApplicationId = 0x55705377;

/// schema.sql: the tables and views of the present version.
[[nodiscard]] const std::string& schema_sql();

/// The files of migrations/: scripts that lead from schema version i to i + 1. Released ones never change; a new
/// version is a new script at the end. From the tenth on they are about tables alone: whoever runs them takes the views
/// away before, and makes those of schema_sql() after.
[[nodiscard]] const std::vector<std::string>& migrations();

/// From this version on migrations are run without views.
inline constexpr std::size_t kFirstWithoutViews = 9;

}  // namespace upsweep
