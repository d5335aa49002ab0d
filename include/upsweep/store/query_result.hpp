#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace upsweep {

/// A cell of a result table: nothing, an integer, a number or text.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

/// Rows of a query with the names of their columns.
struct QueryResult {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;  ///< each as long as columns
};

/// The prediction that the score of a run in seconds is, by its column: that of the execution which was asked about.
/// Nothing where the score is none of them: it is in FLOPs.
[[nodiscard]] std::optional<std::string> scored_prediction(const QueryResult& runs, std::size_t row);

/// What a run is.
enum class RunKind : std::uint8_t {
  schedule,  ///< a run of a schedule
  training,  ///< a simulated training step
  passes,    ///< backward passes beside each other
  anchors,   ///< published times beside predictions
};

/// A run of any kind as tables, with the names that SQL has.
struct RunTables {
  RunKind kind = RunKind::schedule;
  QueryResult run;  ///< all its columns, in one row
  /// Of a schedule "level_profile" and "prediction_vs_measurement", of a training "figures" and "summary" (of variants
  /// with makespans), of passes "passes", "losses" and "summary", of published times
  /// "points" and "summary".
  std::vector<std::pair<std::string, QueryResult>> tables;

  /// A table by its name, which must be there.
  [[nodiscard]] const QueryResult& table(const std::string& name) const;
};

/// A run of any kind as what two runs of a kind are compared by.
struct ComparedRun {
  RunKind kind = RunKind::schedule;
  std::vector<std::pair<std::string, QueryResult>> columns;  ///< of one row at most, by what comes before their names
  std::vector<QueryResult> rows;                             ///< each named by its first column
};

}  // namespace upsweep
