#include "candidates.hpp"

#include <algorithm>

#include "upsweep/scan/scheme.hpp"

namespace upsweep {

bool is_plain(const StoredRun& run) {
  return is_plain_schedule(run.schedule) || run.depth == 0U || has_plain_ops(run.ops, run.length);
}

const StoredRun* best_of(const StoredSearch& search, std::span<const StoredRun> candidates) {
  const auto found = std::ranges::find_if(candidates, [&](const StoredRun& run) {
    return search.best_schedule ? run.schedule == *search.best_schedule
                                : search.best_depth.has_value() && run.depth == search.best_depth;
  });
  return found == candidates.end() ? nullptr : &*found;
}

const StoredRun* plain_of(std::span<const StoredRun> runs) {
  const auto found = std::ranges::find_if(runs, is_plain);
  return found == runs.end() ? nullptr : &*found;
}

const RunDetails* fastest_of(std::span<const RunDetails> runs) {
  const RunDetails* fastest = nullptr;
  for (const RunDetails& run : runs) {
    if (run.measurements.empty() || !run.measurements.back().mismatch.empty()) continue;
    const double seconds = run.measurements.back().measured_s;
    if (fastest == nullptr || seconds < fastest->measurements.back().measured_s) fastest = &run;
  }
  return fastest;
}

const PassRow* best_of(const PassRecord& record) {
  const auto best = std::ranges::find_if(record.passes, [](const PassRow& row) { return row.best.value_or(false); });
  if (best != record.passes.end()) return &*best;
  return record.passes.empty() ? nullptr : &record.passes.front();
}

}  // namespace upsweep
