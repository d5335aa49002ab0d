#pragma once

#include <string>

#include "upsweep/report/format.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep {

/// A stored cell as JSON; null where there is nothing.
[[nodiscard]] Json cell_json(const Cell& cell);
/// The same as text without loss; empty where there is nothing.
[[nodiscard]] std::string cell_text(const Cell& cell);
/// Its number, 0 where it is none.
[[nodiscard]] double cell_number(const Cell& cell);
/// Position of a column; the number of columns where there is no such one.
[[nodiscard]] std::size_t column_of(const QueryResult& result, const std::string& name);

}  // namespace upsweep
