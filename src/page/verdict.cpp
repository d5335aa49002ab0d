#include "verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "html.hpp"
#include "upsweep/report/format.hpp"
#include "upsweep/report/replayed_run.hpp"
#include "upsweep/search/binding.hpp"
#include "verdict_words.hpp"

namespace upsweep {
namespace {

/// "0.42x of plain back-propagation (A against B)".
std::string share_text(double scan, double plain, const std::string& amounts) {
  return fmt::format("{} of plain back-propagation ({})", short_ratio(scan / plain), amounts);
}

/// Which of the two lower bounds of a makespan it comes near to; empty: neither, or both.
std::string limit_text(const StoredRun& run, const std::string& execution) {
  constexpr double kNear = 1.05;
  const double span = makespan_of(run, execution);
  const double path = execution == "level" ? run.critical_path_level_flops : run.critical_path_dag_flops;
  const double share = run.flops / static_cast<double>(run.workers);
  const bool is_path = span <= kNear * path;
  const bool is_work = span <= kNear * share;
  if (run.workers < 2 || is_path == is_work) return "";
  return is_path ? " Its critical path binds: more workers would not help."
                 : " Its work binds: all workers are busy nearly all the time.";
}

/// Ends a sentence about a run on a machine: "; latency binds".
std::string binding_text(const StoredRun& run) {
  return run.binding.empty() ? "" : fmt::format("; {}", binds_text(run.binding));
}

/// Seconds on a machine, beside those of plain back-propagation where they are known.
std::string predicted_text(const RunDetails& details, const StoredRun* plain, const std::string& execution) {
  const StoredRun& run = details.run;
  const double seconds = predicted_of(run, execution).value_or(0);
  const double plain_seconds = plain != nullptr ? predicted_of(*plain, execution).value_or(0) : 0;
  std::string text =
      fmt::format("{} is predicted to take {} on {}{}, {} execution", shortened(run.schedule), short_seconds(seconds),
                  workers_text(run.workers),
                  details.machine ? fmt::format(" of {}", shortened(details.machine->name)) : std::string(), execution);
  if (seconds > 0 && plain_seconds > 0 && !is_plain(run)) {
    text += fmt::format(", {}: {}",
                        share_text(seconds, plain_seconds, fmt::format("which takes {}", short_seconds(plain_seconds))),
                        run.graph_bp_flops ? faster_text(seconds / plain_seconds, kSamePrediction)
                                           : pays_text(seconds / plain_seconds, kSamePrediction));
  }
  return text + binding_text(run) + ".";
}

/// FLOPs on the longest worker of a run and of plain back-propagation.
struct Spans {
  double scan = 0;
  double plain = 0;
  bool is_comparable = true;  ///< they are what the run is judged by
};

/// Of a search over live ops, makespans are stored of all of them; its scores, where they are makespans, are of live
/// ones.
Spans spans_of(const RunDetails& details, const StoredRun* plain, const std::string& execution) {
  const StoredRun& run = details.run;
  if (!details.search || details.search->scope != "live")
    return {is_plain(run) ? run.linear_flops : makespan_of(run, execution), run.linear_flops};
  const bool has_scores = details.search->objective == "time" && !details.machine && plain != nullptr;
  if (has_scores && run.score && plain->score) return {*run.score, *plain->score};
  return {makespan_of(run, execution), run.linear_flops, false};
}

/// How FLOPs on the longest worker stand to plain back-propagation's; `decides`: with what follows for the scan.
std::string counted_text(const RunDetails& details, const Spans& spans, const std::string& execution, bool decides) {
  const StoredRun& run = details.run;
  if (!(spans.plain > 0) || !(spans.scan > 0))
    return fmt::format("{} has nothing to compute.", shortened(run.schedule));
  const bool is_live = details.search && details.search->scope == "live";
  const std::string amounts = fmt::format("{} against {} FLOPs on the longest worker, {} execution{}",
                                          short_count(spans.scan), short_count(spans.plain), execution,
                                          !is_live              ? ""
                                          : spans.is_comparable ? ", live ops"
                                                                : ", all ops");
  const std::string share = share_text(spans.scan, spans.plain, amounts);
  if (!decides || !spans.is_comparable) return fmt::format("Counted, it is {}.", share);
  const double ratio = spans.scan / spans.plain;
  return fmt::format("{} on {} takes {}: {}.{}", shortened(run.schedule), workers_text(run.workers), share,
                     run.graph_bp_flops ? faster_text(ratio, kSamePrediction) : pays_text(ratio, kSamePrediction),
                     is_live ? "" : limit_text(run, execution));
}

/// What a scan over a network with branches leaves out: forming the Jacobians of blocks, and the gradients inside.
/// `span`: of the run, in FLOPs; `decides`: with what follows for the scan.
std::string branches_text(const StoredRun& run, const std::string& execution, double span, bool decides) {
  if (!run.graph_bp_flops) return "";
  if (run.ops == 0) {
    return " No activation between input and output lies on all paths: the whole network is one block, and a scan has "
           "nothing to do; the method is plain back-propagation over the graph, level by level.";
  }
  const bool is_level = execution == "level";
  const auto& graph = is_level ? run.graph_bp_makespan_level_flops : run.graph_bp_makespan_dag_flops;
  const auto& branches = is_level ? run.branch_makespan_level_flops : run.branch_makespan_dag_flops;
  if (!graph || !branches || !(*graph > 0)) {
    return " That is over the chain, Jacobians of blocks given; what they cost is not stored with this run.";
  }
  const double ratio = (span + *branches) / *graph;
  std::string conclusion =
      decides && !is_plain(run) ? pays_text(ratio, kSamePrediction) : faster_text(ratio, kSamePrediction);
  if (decides && is_plain(run) && ratio >= 1) conclusion += "; no scan pays";
  return fmt::format(
      " That is over the chain, Jacobians of blocks given: with forming them and the gradients inside blocks it "
      "takes {} of plain back-propagation over the graph ({} against {} FLOPs on the longest worker): {}.",
      short_ratio(ratio), short_count(span + *branches), short_count(*graph), conclusion);
}

/// "the prediction is 12 % too low": the error as everywhere, predicted to measured.
std::string error_text(double predicted, double measured) {
  constexpr double kFactor = 2;
  const double ratio = predicted / measured;
  if (ratio >= kFactor) return fmt::format("the prediction is {:.3g} times as long", ratio);
  if (std::fabs(ratio - 1) < 0.0005) return "as predicted";
  return fmt::format("the prediction is {:.3g} % too {}", 100 * std::fabs(ratio - 1), ratio < 1 ? "low" : "high");
}

std::string measured_text(const StoredMeasurement& measured) {
  const std::string device = shortened(measured.device.empty() ? measured.backend : measured.device);
  std::string text = fmt::format(" Measured on {} ({}, {}): {}", device, shortened(measured.backend),
                                 workers_text(measured.workers), short_seconds(measured.measured_s));
  if (measured.predicted_s && *measured.predicted_s > 0 && measured.measured_s > 0) {
    text += fmt::format(", {}", error_text(*measured.predicted_s, measured.measured_s));
  }
  if (!measured.mismatch.empty()) {
    return text + fmt::format("; MISMATCH: {}.", shortened(measured.mismatch));
  }
  text += "; its gradients are right";
  if (measured.worst_share_of_bound) {
    text += fmt::format(", {:.3g} % of the rounding bound at most", 100 * *measured.worst_share_of_bound);
  }
  return text + ".";
}

/// The candidate with the smallest score that is not the best one and has another score.
const StoredRun* runner_up(const StoredRun& best, std::span<const StoredRun> candidates) {
  const StoredRun* next = nullptr;
  for (const StoredRun& run : candidates) {
    if (run.id == best.id || !run.score || !run.feasible.value_or(true) || *run.score <= best.score.value_or(0)) {
      continue;
    }
    if (next == nullptr || *run.score < *next->score) next = &run;
  }
  return next;
}

/// What the scores of a search are, and how one is shown.
std::string score_noun(const StoredSearch& search, bool is_seconds) {
  if (search.objective == "critical-flops") return fmt::format("FLOPs on the critical path, {} rule", search.execution);
  if (search.objective == "work-flops") return search.scope == "live" ? "FLOPs of live ops" : "FLOPs of all ops";
  if (is_seconds) return fmt::format("predicted, {} execution", search.execution);
  return fmt::format("FLOPs on the longest worker, {} execution", search.execution);
}

/// The candidate that would score best, were there no limit on memory; null: it fits.
const StoredRun* too_large(const StoredRun& best, std::span<const StoredRun> candidates) {
  const StoredRun* found = nullptr;
  for (const StoredRun& run : candidates) {
    if (run.feasible.value_or(true) || !run.score || *run.score >= best.score.value_or(0)) continue;
    if (found == nullptr || *run.score < *found->score) found = &run;
  }
  return found;
}

}  // namespace

bool is_plain(const StoredRun& run) { return run.schedule == "linear" || run.depth == 0U; }

const StoredRun* best_of(const StoredSearch& search, std::span<const StoredRun> candidates) {
  const auto found = std::find_if(candidates.begin(), candidates.end(), [&](const StoredRun& run) {
    return search.best_schedule ? run.schedule == *search.best_schedule
                                : search.best_depth.has_value() && run.depth == search.best_depth;
  });
  return found == candidates.end() ? nullptr : &*found;
}

const StoredRun* plain_of(std::span<const StoredRun> runs) {
  const auto found = std::find_if(runs.begin(), runs.end(), is_plain);
  return found == runs.end() ? nullptr : &*found;
}

double makespan_of(const StoredRun& run, const std::string& execution) {
  return execution == "level" ? run.makespan_level_flops : run.makespan_dag_flops;
}

std::optional<double> predicted_of(const StoredRun& run, const std::string& execution) {
  return execution == "level" ? run.predicted_level_s : run.predicted_dag_s;
}

std::string run_verdict(const RunDetails& details, const StoredRun* plain) {
  const StoredRun& run = details.run;
  const std::string execution = execution_of(details);
  const bool is_timed = predicted_of(run, execution).has_value();
  const Spans spans = spans_of(details, plain, execution);
  std::string text;
  if (is_plain(run)) {
    text = fmt::format("{} is plain back-propagation: {} FLOPs, one product after the other.", shortened(run.schedule),
                       short_count(run.linear_flops));
    if (is_timed) text += fmt::format(" {}", predicted_text(details, plain, execution));
  } else if (is_timed) {
    text =
        fmt::format("{} {}", predicted_text(details, plain, execution), counted_text(details, spans, execution, false));
  } else {
    text = counted_text(details, spans, execution, true);
  }
  text += branches_text(run, execution, spans.scan, !is_timed && !is_plain(run));
  if (!details.measurements.empty()) text += measured_text(details.measurements.back());
  if (run.feasible == false) text += fmt::format(" It does not fit: {}.", shortened(run.reason));
  return text;
}

std::string search_verdict(const StoredSearch& search, std::span<const StoredRun> candidates,
                           const std::optional<StoredMachine>& machine) {
  const StoredRun* best = best_of(search, candidates);
  if (best == nullptr && (search.best_schedule || search.best_depth)) {
    return fmt::format(
        "The best candidate ({}) has been deleted from this database.",
        search.best_schedule ? shortened(*search.best_schedule) : fmt::format("depth {}", *search.best_depth));
  }
  if (best == nullptr) return "No candidate fits into the memory limit.";
  const StoredRun* plain = plain_of(candidates);
  const bool is_seconds = search.objective == "time" && machine.has_value();
  const auto amount = [&](double score) { return is_seconds ? short_seconds(score) : short_count(score); };
  const std::string where = machine ? fmt::format(" of {}", shortened(machine->name)) : "";
  const double score = best->score.value_or(0);
  const double plain_score = plain != nullptr ? plain->score.value_or(0) : 0;
  const bool has_branches = best->graph_bp_flops.has_value();
  std::string text;
  if (plain != nullptr && plain->feasible.value_or(true) && plain_score <= score) {
    text = fmt::format("Best on {}{}: {}, plain back-propagation itself ({} {}){}.", workers_text(search.workers),
                       where, shortened(plain->schedule), amount(plain_score), score_noun(search, is_seconds),
                       has_branches ? "" : ": the scan does not pay");
    best = plain;
  } else {
    text = fmt::format("Best on {}{}: {} with {} {}", workers_text(search.workers), where, shortened(best->schedule),
                       amount(score), score_noun(search, is_seconds));
    if (plain_score > 0 && score > 0) {
      const double ratio = score / plain_score;
      const std::string amounts = fmt::format("{} against {}", amount(score), amount(plain_score));
      text += fmt::format(", {}: {}", share_text(score, plain_score, amounts),
                          has_branches ? faster_text(ratio, kSamePrediction) : pays_text(ratio, kSamePrediction));
    }
    if (is_seconds) text += binding_text(*best);
    text += ".";
  }
  const bool is_span = search.objective == "time" && !is_seconds;
  const double span = is_span ? best->score.value_or(0) : makespan_of(*best, search.execution);
  text += branches_text(*best, search.execution, span, !is_seconds);
  if (const StoredRun* next = runner_up(*best, candidates); next != nullptr && score > 0) {
    text += fmt::format(" Next is {} with {:.4g} % more.", shortened(next->schedule), 100 * (*next->score / score - 1));
  }
  if (const StoredRun* large = too_large(*best, candidates); large != nullptr && score > 0) {
    text += fmt::format(" {} would need {}, but does not fit into the memory limit.", shortened(large->schedule),
                        amount(*large->score));
  }
  if (is_span && search.scope != "live" && !is_plain(*best)) text += limit_text(*best, search.execution);
  return text;
}

}  // namespace upsweep
