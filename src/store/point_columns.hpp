#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sqlite.hpp"
#include "upsweep/store/point_record.hpp"
#include "upsweep/store/stored_study.hpp"

namespace upsweep {

/// "done", "infeasible", "invalid" or "excluded". Throws std::logic_error for a point that is still open.
[[nodiscard]] std::string_view status_name(PointStatus status);
/// The status with this name; PointStatus::open for any other.
[[nodiscard]] PointStatus status_named(std::string_view name);

/// Statement that writes a row of point_results unless its key is there; bind_point() binds its parameters.
[[nodiscard]] std::string insert_point_sql();
/// Statement that reads the row of a key; read_point() reads its columns.
[[nodiscard]] std::string select_point_sql();
/// Statement that reads places of a study with what a brief needs, by position; read_brief() reads its columns.
[[nodiscard]] const char* select_briefs_sql();

/// Binds a result. The record must stay where it is until the statement has run.
void bind_point(Statement& insert, const PointRecord& record);
[[nodiscard]] PointRecord read_point(const Statement& row, const ContentKey& key);
[[nodiscard]] StoredPoint read_brief(const Statement& row);

/// A key in any row; nothing where the column has none.
[[nodiscard]] std::optional<ContentKey> read_key(const Statement& row, int column);

}  // namespace upsweep
