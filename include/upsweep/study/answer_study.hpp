#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "upsweep/grid/point_brief.hpp"
#include "upsweep/store/point_record.hpp"
#include "upsweep/study/count_cache.hpp"
#include "upsweep/study/point_factory.hpp"

namespace upsweep {

/// What answers are made of.
struct AnswerInputs {
  const StudyFile& study;
  const PointFactory& factory;
  CountCache& cache;
  const std::vector<PointBrief>& points;      ///< by position
  const std::vector<std::string>& schedules;  ///< names by PointBrief::schedule
  bool is_in_seconds = false;
  const std::atomic<bool>* stop = nullptr;
};

/// The most combinations of other axes that a question along an axis answers one by one; it says how many there are.
inline constexpr std::uint64_t kMostAnswers = 10'000;

/// Answers every question of a study. Crossovers and capacities between two places of a numeric axis of one column are
/// narrowed down by bisection with points that are not on the grid; of others the two places are the answer. Returns
/// what is there when `stop` is set.
///
/// Members of AnswerRecord::answer; figures that there are not are null, `value` and the like are numbers or texts as
/// on the axis:
/// * crossover: "along", "faster": "from" (the scan wins from `value` upwards) | "up to" (downwards) | "at" (no
/// numbers)
///   | "everywhere" | "nowhere" | "unknown". With a crossing "value" (the last known on the scan's side),
///   "plain_value", "speedup", "plain_speedup", "binding" (what keeps the scan from winning at `plain_value`),
///   "evaluations", "is_blocked"; without one "speedup_least", "speedup_most", "value" (where the speedup is nearest to
///   1), "binding". "values" of the axis were looked at; with "has_gaps" there are numbers between them.
/// * capacity: "along", "of", "fits": "up to" | "from" | "between" | "at" | "all" | "none" | "unknown" (of the grid),
///   "value" (the last that fits; of "none" where the need is least, of "all" where it is largest), "bytes",
///   "limit_bytes"; and of the first four "beyond" (the first that does not fit), "beyond_bytes", "evaluations",
///   "is_blocked", "is_one_range" (nothing else fits); of "between" also "from", "below", "below_bytes".
/// * fewest_workers: "along", "is_reached", "target", "unit", "value", "score"; "below", "below_score", "evaluations"
///   where fewer do not reach it. Not reached: "value" has the best score.
/// * top, pareto: "rank", then the point: "position", "coordinates", "schedule", "score", "unit", "speedup",
///   "memory_bytes".
/// * best: first "points", "wins" (an object: schedule to count), "speedup_least", "speedup_most", "given_schedule"
///   (null where a point chose one); then the point with the best score as above, with rank 1.
/// * "ops", which nobody has to ask, last: "whole_equals_shared", where the one rule of ops or the other makes no
///   difference, and false where shared ones are compared in FLOPs though the study's scores are seconds.
/// * of the three along an axis, where some points of the line say nothing: "missing_points" and "missing" (why, the
/// most
///   frequent reason first).
/// * of any question, last, where there is more to say than kMostAnswers: "more".
[[nodiscard]] std::vector<AnswerRecord> answer_study(const AnswerInputs& inputs);

}  // namespace upsweep
