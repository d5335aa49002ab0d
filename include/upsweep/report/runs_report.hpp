#pragma once

#include <cstdint>
#include <string>

#include "upsweep/document/document.hpp"
#include "upsweep/store/query_result.hpp"

namespace upsweep {

/// The rows of a query: columns in words for people, numbers with few digits and their units. Where a column says which
/// is best, such rows stand out. Refers to the query.
[[nodiscard]] Table query_table(const QueryResult& result, const std::string& name = "");
/// The same as a document: JSON is the array of the rows.
[[nodiscard]] Document document(const QueryResult& result);

/// One run of any kind: its columns and, by their names, its tables; CSV has the columns. People read names and values
/// below each other; then levels and what was measured of a schedule, if anything, a row per variant of a training (or
/// its figures), a row per pass. `candidates`: of the same search, as runs_and_studies() shows them; outlives it.
[[nodiscard]] Document document(const RunTables& run, const QueryResult& candidates = {});

/// Whether people see every candidate of a search, or the best alone.
enum class ListedRuns : std::uint8_t { best_of_a_search, all };

/// The list of runs: for people the columns that tell runs apart with what their command said, and below it the studies
/// where there are some; see StoreReader::study_list() and verdicts(). Programs get all runs.
[[nodiscard]] Document runs_and_studies(const QueryResult& summary, const QueryResult& studies,
                                        const QueryResult& verdicts, ListedRuns listed);

}  // namespace upsweep
