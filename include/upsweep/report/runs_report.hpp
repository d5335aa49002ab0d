#pragma once

#include <string>

#include "upsweep/report/format.hpp"
#include "upsweep/store/query_result.hpp"

namespace upsweep {

/// The rows of a query as a JSON array of objects.
[[nodiscard]] Json to_json(const QueryResult& result);

/// The rows of a query as CSV.
[[nodiscard]] std::string to_csv(const QueryResult& result);

/// Rows for people: columns in words, numbers with few digits and their units. Where a column says which is best, such
/// rows are marked.
[[nodiscard]] std::string to_text(const QueryResult& result, const TextStyle& style = {});

/// One run of any kind: its columns, and its tables by their names.
[[nodiscard]] Json to_json(const RunTables& run);

/// One run of any kind for people: names and values below each other; then levels and what was measured of a schedule,
/// if anything, a row per variant of a training (or its figures), a row per pass.
[[nodiscard]] std::string to_text(const RunTables& run, const TextStyle& style = {});

/// The list of runs for people, the columns that tell runs apart, and below it the studies where there are some; see
/// StoreReader::study_list().
[[nodiscard]] std::string runs_and_studies_text(const QueryResult& summary, const QueryResult& studies,
                                                const TextStyle& style = {});

}  // namespace upsweep
