#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sqlite.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep {

/// runs.depth of a schedule that is not cut at one; no best_depth.
inline constexpr std::int64_t kNoDepth = -1;

/// Writes the row of a search; returns its id. Inside a transaction, as the next.
std::int64_t save_search(Sqlite& database, const SearchRecord& search);

/// Writes a run of a schedule with all its rows; returns its id.
std::int64_t save_run(Sqlite& database, const std::string& created, const RunContext& context, const RunRecord& run,
                      std::optional<std::int64_t> search_id, std::optional<std::int64_t> machine_id);

}  // namespace upsweep
