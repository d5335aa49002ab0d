#pragma once

#include <string>

#include "upsweep/document/value.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep {

/// A stored cell as a value.
[[nodiscard]] Value cell_value(const Cell& cell);
/// The same as text without loss; empty where there is nothing.
[[nodiscard]] std::string cell_text(const Cell& cell);
/// Its number, 0 where it is none.
[[nodiscard]] double cell_number(const Cell& cell);
/// Position of a column; the number of columns where there is no such one.
[[nodiscard]] std::size_t column_of(const QueryResult& result, const std::string& name);

}  // namespace upsweep
