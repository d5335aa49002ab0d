#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <string>

#include "upsweep/store/stored_run.hpp"
#include "upsweep/store/stored_study.hpp"

namespace upsweep {

// What a part of a page comes to, in sentences: plain text, not yet escaped.

/// Whether a run is plain back-propagation written as products.
[[nodiscard]] bool is_plain(const StoredRun& run);

/// The candidate that a search chose: of all schedules, or of the depths where others were not asked for; null: none.
[[nodiscard]] const StoredRun* best_of(const StoredSearch& search, std::span<const StoredRun> candidates);

/// Plain back-propagation among runs; null where it is not there.
[[nodiscard]] const StoredRun* plain_of(std::span<const StoredRun> runs);

/// Makespan in FLOPs, predicted seconds and critical path under an execution.
[[nodiscard]] double makespan_of(const StoredRun& run, const std::string& execution);
[[nodiscard]] std::optional<double> predicted_of(const StoredRun& run, const std::string& execution);

/// Whether the scan pays in this run, what limits it, what a machine would take for it and what was measured: by
/// predicted seconds where there is a machine, else by FLOPs; in networks with branches over the whole graph.
///
/// `plain`: the run of plain back-propagation that it stands beside (of its search or validation), for seconds; may be
/// null.
[[nodiscard]] std::string run_verdict(const RunDetails& run, const StoredRun* plain = nullptr);

/// The best candidate of a search beside plain back-propagation.
[[nodiscard]] std::string search_verdict(const StoredSearch& search, std::span<const StoredRun> candidates,
                                         const std::optional<StoredMachine>& machine);

/// Whether the runs of a validation are right, which is the fastest, and how far predictions are off.
[[nodiscard]] std::string validation_verdict(std::span<const RunDetails> runs);

/// The fastest of backward methods beside back-propagation through time: both measured, both predicted or both counted.
[[nodiscard]] std::string passes_verdict(const PassRecord& record);

/// The best of backward methods and back-propagation through time, by figures of one kind: both measured, both
/// predicted or both counted.
struct RecordedOutcome {
  const PassRow* best = nullptr;   ///< null: none ran, or nothing is known
  const PassRow* plain = nullptr;  ///< null where it did not run or is wrong
  double ratio = NAN;              ///< of the best to plain; NaN: not known
};
[[nodiscard]] RecordedOutcome recorded_outcome(const PassRecord& record);

/// The best variant of a training step beside the slowest that fits, or beside a scan that is faster.
[[nodiscard]] std::string training_verdict(const TrainingRecord& record);

/// What a study's answers come to: where the scan is faster and what limits it, which schedule wins; empty without any.
[[nodiscard]] std::string study_verdict(const StoredStudy& study);

/// How much of a study's grid is there, and how many points are done, infeasible, invalid or excluded.
[[nodiscard]] std::string study_state(const StoredStudy& study, const std::vector<StudyPointRow>& points);

}  // namespace upsweep
