#pragma once

#include <string>
#include <vector>

#include "upsweep/document/document.hpp"
#include "upsweep/search/verdict.hpp"
#include "upsweep/store/run_store.hpp"
#include "upsweep/study/run_study.hpp"

namespace upsweep {

/// A study that was run; refers to values that live elsewhere.
struct StudyReport {
  const StudyFile& study;
  const StudyResult& result;
  const QueryResult* points = nullptr;  ///< rows of the view study_points, where there is a store
};

/// "study", "points" (counts by status, evaluated, found, resumed, seconds, rate), "cache", "answers", "invalid". CSV:
/// a row per point, with position, values of the axes, status, best schedule, unit, score, plain and scan score,
/// speedup, memory. People read what was run, a table of the points where there are at most 40, then every answer in
/// sentences and tables.
[[nodiscard]] Document document(const StudyReport& report);

/// What the answers come to: where the scan is faster and what limits it, which schedule wins, and under which settings
/// that no axis sets; empty without any. `spec`: of the study, whose scores are seconds or FLOPs; `machine`: that of
/// its base, or null.
[[nodiscard]] Verdict study_verdict(const std::vector<AnswerRecord>& answers, const StudySpec& spec, bool is_in_seconds,
                                    const Machine* machine = nullptr);

/// The progress line: "1200 of 5000 points, 24 %, 830 a second, 4.6 s left, best hybrid:3 with 12.3 us".
[[nodiscard]] std::string progress_text(const StudyProgress& progress);

}  // namespace upsweep
