#pragma once

#include <string>

#include "upsweep/document/numbers.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep {

/// A column of the store in words, with the unit where cells do not say it: "makespan in FLOPs (dag)" of
/// "makespan_dag_flops"; a name before a colon and an index in brackets stay: "level 3: largest FLOPs".
[[nodiscard]] std::string column_words(const std::string& column);

/// A cell of that column for people: short_count(), short_bytes(), short_seconds() or short_ratio() as the name asks
/// for, shares in percent, yes and no, a command line as it is typed; other numbers with at most six digits. "-" where
/// there is nothing.
[[nodiscard]] std::string shown_cell(const std::string& column, const Cell& cell);
/// The same without loss: numbers in all digits, with their unit.
[[nodiscard]] std::string exact_cell(const std::string& column, const Cell& cell);

}  // namespace upsweep
