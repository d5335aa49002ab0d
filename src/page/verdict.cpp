#include "verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "html.hpp"
#include "upsweep/report/format.hpp"

namespace upsweep {
namespace {

std::string workers_text(std::uint64_t workers) {
  return workers == 1 ? "1 worker" : fmt::format("{} workers", workers);
}

/// "0.42x of plain back-propagation (A against B): 2.4 times faster; the scan pays".
std::string comparison_text(double scan, double plain, const std::string& amounts) {
  const double ratio = scan / plain;
  const std::string share = fmt::format("{:.3g}x of plain back-propagation ({})", ratio, amounts);
  if (ratio == 1) return share + ": the scan gains nothing";
  if (ratio < 1) return share + fmt::format(": {:.3g} times faster; the scan pays", 1 / ratio);
  return share + fmt::format(": {:.3g} times slower; the scan does not pay", ratio);
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

std::string predicted_text(const RunDetails& run, const StoredRun* plain, const std::string& execution) {
  const auto seconds = predicted_of(run.run, execution);
  if (!seconds) return "";
  const std::string machine = run.machine ? shortened(run.machine->name) : std::string("The machine");
  std::string text = fmt::format(" {} is predicted to take {}", machine, short_seconds(*seconds));
  const auto plain_seconds = plain != nullptr ? predicted_of(*plain, execution) : std::nullopt;
  if (plain_seconds && *plain_seconds > 0 && !is_plain(run.run)) {
    text += fmt::format(", {:.3g}x of the {} of plain back-propagation", *seconds / *plain_seconds,
                        short_seconds(*plain_seconds));
  }
  return text + ".";
}

std::string measured_text(const StoredMeasurement& measured) {
  const std::string device = shortened(measured.device.empty() ? measured.backend : measured.device);
  std::string text = fmt::format(" Measured on {} ({}, {}): {}", device, shortened(measured.backend),
                                 workers_text(measured.workers), short_seconds(measured.measured_s));
  if (measured.predicted_s && *measured.predicted_s > 0 && measured.measured_s > 0) {
    const double more = measured.measured_s / *measured.predicted_s - 1;
    text += fmt::format(", {:.3g} % {} than predicted", 100 * std::fabs(more), more < 0 ? "less" : "more");
  }
  if (!measured.mismatch.empty()) {
    return text + "; MISMATCH: " + shortened(measured.mismatch) + ".";
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

double seconds_of(const PassRow& row) {
  return row.measured ? row.measured->total() : row.predicted ? row.predicted->total() : 0;
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

std::string execution_of(const RunDetails& run) { return run.search ? run.search->execution : "dag"; }

double makespan_of(const StoredRun& run, const std::string& execution) {
  return execution == "level" ? run.makespan_level_flops : run.makespan_dag_flops;
}

std::optional<double> predicted_of(const StoredRun& run, const std::string& execution) {
  return execution == "level" ? run.predicted_level_s : run.predicted_dag_s;
}

std::string run_verdict(const RunDetails& details, const StoredRun* plain) {
  const StoredRun& run = details.run;
  const std::string execution = execution_of(details);
  const double span = makespan_of(run, execution);
  std::string text;
  if (is_plain(run)) {
    text = fmt::format("{} is plain back-propagation: {} FLOPs, one product after the other.", shortened(run.schedule),
                       short_count(run.linear_flops));
  } else if (run.linear_flops > 0 && span > 0) {
    const std::string amounts = fmt::format("{} against {} FLOPs on the longest worker, {} execution",
                                            short_count(span), short_count(run.linear_flops), execution);
    text = fmt::format("{} on {} takes {}.{}", shortened(run.schedule), workers_text(run.workers),
                       comparison_text(span, run.linear_flops, amounts), limit_text(run, execution));
  } else {
    text = fmt::format("{} has nothing to compute.", shortened(run.schedule));
  }
  text += predicted_text(details, plain, execution);
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
  const std::string head =
      fmt::format("Best on {}{}: {}", workers_text(search.workers), where, shortened(best->schedule));
  if (plain != nullptr && plain->id == best->id) {
    std::string text = fmt::format("{}, plain back-propagation itself ({} {}): the scan does not pay.", head,
                                   amount(score), score_noun(search, is_seconds));
    if (const StoredRun* next = runner_up(*best, candidates); next != nullptr && score > 0) {
      text +=
          fmt::format(" Next is {} with {:.4g} % more.", shortened(next->schedule), 100 * (*next->score / score - 1));
    }
    return text;
  }
  std::string text = fmt::format("{} with {} {}", head, amount(score), score_noun(search, is_seconds));
  const double plain_score = plain != nullptr ? plain->score.value_or(0) : 0;
  if (plain_score > 0 && score > 0) {
    text +=
        ", " + comparison_text(score, plain_score, fmt::format("{} against {}", amount(score), amount(plain_score)));
  }
  text += ".";
  if (const StoredRun* next = runner_up(*best, candidates); next != nullptr && score > 0) {
    text += fmt::format(" Next is {} with {:.4g} % more.", shortened(next->schedule), 100 * (*next->score / score - 1));
  }
  if (search.objective == "time" && !is_seconds) text += limit_text(*best, search.execution);
  return text;
}

std::string validation_verdict(std::span<const RunDetails> runs) {
  const RunDetails* fastest = nullptr;
  const RunDetails* plain = nullptr;
  std::size_t measured = 0;
  std::size_t wrong = 0;
  const auto seconds = [](const RunDetails& run) { return run.measurements.back().measured_s; };
  for (const RunDetails& run : runs) {
    if (run.measurements.empty()) continue;
    ++measured;
    if (!run.measurements.back().mismatch.empty()) {
      ++wrong;
      continue;
    }
    if (is_plain(run.run)) plain = &run;
    if (fastest == nullptr || seconds(run) < seconds(*fastest)) fastest = &run;
  }
  if (measured == 0) return "Nothing was measured.";
  std::string text = wrong == 0 ? fmt::format("{} ran and gave the right gradients.",
                                              measured == 1 ? "1 schedule" : fmt::format("All {} schedules", measured))
                                : fmt::format("{} of {} schedules gave WRONG results.", wrong, measured);
  if (fastest == nullptr) return text;
  text += fmt::format(" The fastest is {} with {}", shortened(fastest->run.schedule), short_seconds(seconds(*fastest)));
  if (plain != nullptr && plain != fastest && seconds(*fastest) > 0) {
    text += fmt::format(", {:.3g} times faster than plain back-propagation ({}): the scan pays",
                        seconds(*plain) / seconds(*fastest), short_seconds(seconds(*plain)));
  } else if (plain == fastest && measured > 1) {
    text += ", plain back-propagation itself: the scan does not pay here";
  }
  text += ".";
  double worst = 0;
  std::size_t predicted = 0;
  for (const RunDetails& run : runs) {
    if (run.measurements.empty()) continue;
    const StoredMeasurement& last = run.measurements.back();
    if (!last.predicted_s || last.measured_s <= 0) continue;
    ++predicted;
    worst = std::max(worst, std::fabs(*last.predicted_s / last.measured_s - 1));
  }
  if (predicted > 0) text += fmt::format(" Predictions are at most {:.3g} % off.", 100 * worst);
  return text;
}

std::string passes_verdict(const PassRecord& record) {
  const PassRow* best = nullptr;
  std::size_t wrong = 0;
  for (const PassRow& row : record.passes) {
    if (row.mismatch) ++wrong;
    if (row.failure || row.mismatch || seconds_of(row) <= 0) continue;
    if (best == nullptr || seconds_of(row) < seconds_of(*best)) best = &row;
  }
  std::string text;
  if (wrong > 0) text = fmt::format("{} of {} methods gave WRONG gradients. ", wrong, record.passes.size());
  if (best != nullptr) {
    const PassRow& first = record.passes.front();
    text += fmt::format("The fastest is {} with {} for a backward pass{}", shortened(best->method),
                        short_seconds(seconds_of(*best)), best->measured ? "" : " (predicted)");
    if (best != &first && seconds_of(first) > 0) {
      text += fmt::format(", {:.3g} times faster than {} ({})", seconds_of(first) / seconds_of(*best),
                          shortened(first.method), short_seconds(seconds_of(first)));
    }
    return text + ".";
  }
  const auto chosen = std::find_if(record.passes.begin(), record.passes.end(),
                                   [](const PassRow& row) { return row.best.value_or(false); });
  if (chosen != record.passes.end()) return text + fmt::format("The best is {}.", shortened(chosen->method));
  return text + fmt::format("{} methods were counted.", record.passes.size());
}

std::string training_verdict(const TrainingRecord& record) {
  const auto time = [&](double value) {
    return record.is_in_seconds ? short_seconds(value) : fmt::format("{:.6g} units of its file", value);
  };
  if (!record.best || *record.best >= record.variants.size() || !record.best_makespan) {
    return fmt::format("{} variants; none of them has a best makespan that fits.", record.variants.size());
  }
  std::string text = fmt::format("The best of {} variants is {} with {}", record.variants.size(),
                                 shortened(record.variants[*record.best]), time(*record.best_makespan));
  const TrainingFigure* slowest = nullptr;
  for (const TrainingFigure& figure : record.figures) {
    if (figure.name != "makespan" || figure.index) continue;
    if (slowest == nullptr || figure.value > slowest->value) slowest = &figure;
  }
  if (slowest != nullptr && *record.best_makespan > 0 && slowest->value > *record.best_makespan &&
      slowest->variant < record.variants.size()) {
    text += fmt::format(", {:.3g} times faster than {} ({})", slowest->value / *record.best_makespan,
                        shortened(record.variants[slowest->variant]), time(slowest->value));
  }
  return text + ".";
}

std::string study_verdict(const StoredStudy& study) {
  const std::string points = study.points == 1 ? "1 point" : fmt::format("{} points", study.points);
  if (study.is_complete) return fmt::format("{}, all of them done.", points);
  return fmt::format("{}, not all of them done: the same command goes on with the rest.", points);
}

}  // namespace upsweep
