#pragma once

#include <string>
#include <vector>

#include "upsweep/store/run_diff.hpp"

namespace upsweep {

/// What of a run a column is, by its name: an unknown one is a figure.
[[nodiscard]] DiffRow::Kind kind_of_column(const std::string& column);

/// Adds a row for every column in which two runs differ; each table has one row at most, and a run without one has
/// nothing in any column. Columns that every run has its own of (ids, times of day) are left out; of machine files the
/// lines that differ are named.
void compare_columns(const std::string& prefix, const QueryResult& before, const QueryResult& after,
                     std::vector<DiffRow>& into);

/// The same of tables with several rows, each named by its first column; of a name that comes again, the first with the
/// first. A row that only one run has is told by its first column that is not empty.
void compare_named(const QueryResult& before, const QueryResult& after, std::vector<DiffRow>& into);

}  // namespace upsweep
