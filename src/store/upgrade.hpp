#pragma once

#include <cstdint>

#include "sqlite.hpp"

namespace upsweep {

/// Gives a database of an older version the tables, indexes and views of schema_sql(), inside the caller's transaction
/// and with foreign keys off.
///
/// A table that is defined as it was is left as it is. One that is not is made anew, and keeps its rows in the columns
/// that it had and has. What else such an old table holds, another name of a table, and values for a new column that
/// may not be NULL are matters of a script before that, as before_commands_sql() is. Views, indexes and triggers of
/// users are made again as they were, unless what they are on is gone.
///
/// Throws InputError that names the file where a table of a user has the name of one of ours.
/// Cost: rows of tables that changed, and of indexed columns; tables that only refer to one with a new name are not
/// among them.
void upgrade(Sqlite& database, std::int64_t version);

}  // namespace upsweep
