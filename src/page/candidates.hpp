#pragma once

#include <span>

#include "upsweep/store/pass_record.hpp"
#include "upsweep/store/stored_run.hpp"

// What stands out among stored runs that belong together.

namespace upsweep {

/// Whether a run is plain back-propagation written as products.
[[nodiscard]] bool is_plain(const StoredRun& run);

/// The candidate that a search chose: of all schedules, or of the depths where others were not asked for; null: none.
[[nodiscard]] const StoredRun* best_of(const StoredSearch& search, std::span<const StoredRun> candidates);

/// Plain back-propagation among runs; null where it is not there.
[[nodiscard]] const StoredRun* plain_of(std::span<const StoredRun> runs);

/// The run whose last measurement is right and the shortest; null: there is none.
[[nodiscard]] const RunDetails* fastest_of(std::span<const RunDetails> runs);

/// The backward method that a record marks as its best, else its first; null without any.
[[nodiscard]] const PassRow* best_of(const PassRecord& record);

}  // namespace upsweep
