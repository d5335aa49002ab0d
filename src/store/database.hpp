#pragma once

#include <string>

#include "sqlite.hpp"

namespace upsweep {

/// Opens a database of ours and brings its schema to the present version; with `create` makes it where there is none
/// and lets its readers and its writer go on side by side.
///
/// Throws InputError that names the file: not writable, not SQLite, not ours, from a newer version; without `create`
/// also where it is not there or holds nothing, and leaves it so.
[[nodiscard]] Sqlite open_database(const std::string& file, bool create);

/// Opens a database of ours that is there and begins a transaction on it, which ends with the connection: what is read
/// through it is of one moment. One of an older version is brought to the present one first; one of the present version
/// may be read-only, in a folder in which nothing can be written too.
///
/// Throws InputError that names the file: not there, not SQLite, not ours, from a newer version.
[[nodiscard]] Sqlite open_snapshot(const std::string& file);

/// Opens a database of ours that is there, to be read and written, or as open_snapshot() does where it can only be
/// read.
[[nodiscard]] Sqlite open_present(const std::string& file);

/// Whether nothing can be written through a connection.
[[nodiscard]] bool is_read_only(const Sqlite& database);

/// The present time as ISO 8601.
[[nodiscard]] std::string now_utc();

}  // namespace upsweep
