#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "graph_run_report.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/report/validation_report.hpp"
#include "upsweep/report/verdict_words.hpp"
#include "upsweep/scan/scheme.hpp"

namespace upsweep {
namespace {

/// The shortest measured time of the schedules that are scans and right, or of those that are plain.
std::optional<std::size_t> fastest(const ValidationReport& report, bool scans) {
  std::optional<std::size_t> best;
  const auto& schedules = report.validation.schedules;
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    if (!schedules[i].ran() || schedules[i].mismatch) continue;
    const ScheduleProfile& profile = report.profiles[i];
    if (has_plain_ops(profile.ops.size(), profile.schedule.length) == scans) continue;
    if (!best || schedules[i].measurement.seconds < schedules[*best].measurement.seconds) best = i;
  }
  return best;
}

/// Of dense back-propagation, as measured; nothing where it was not.
std::optional<double> dense_seconds(const ValidationReport& report) {
  const bool ran = report.dense != nullptr && report.dense->skipped.empty() && report.dense->gradients_s > 0;
  return ran ? std::optional(report.dense->gradients_s) : std::nullopt;
}

/// Nothing where no scan pays. The Jacobians of the chain, written in every iteration, both sides need.
std::optional<Payback> payback_of(const ValidationReport& report) {
  const std::optional<std::size_t> plain = fastest(report, false);
  const std::optional<std::size_t> scan = fastest(report, true);
  if (!plain || !scan || report.forms_blocks) return std::nullopt;
  const Measurement& without = report.validation.schedules[*plain].measurement;
  const Measurement& with = report.validation.schedules[*scan].measurement;
  const std::optional<double> dense = dense_seconds(report);
  const double best = std::min(without.seconds, dense.value_or(without.seconds));
  if (!(best > 0) || standing_of(with.seconds / best, kSameMeasurement) != Standing::pays) return std::nullopt;
  // Dense kernels have no plan.
  const double planned = best < without.seconds ? 0 : without.plan_seconds;
  return Payback{report.profiles[*scan].schedule.name, best - with.seconds, std::max(0.0, with.plan_seconds - planned)};
}

/// The fastest scan beside plain back-propagation, as measured; empty where nothing ran.
std::string measured_text(const ValidationReport& report, Verdict& verdict) {
  const auto& schedules = report.validation.schedules;
  const std::optional<std::size_t> plain = fastest(report, false);
  const std::optional<std::size_t> scan = fastest(report, true);
  if (!plain || !scan || !(schedules[*plain].measurement.seconds > 0)) {
    return has_one_link(report) || !report.validation.any_ran()
               ? ""
               : "Plain BP and a scan were not both run and right, so that nothing follows for the scan.";
  }
  verdict.baselines = {{"sparse-bp", schedules[*plain].measurement.seconds, true, report.profiles[*scan].schedule.name,
                        schedules[*scan].measurement.seconds}};
  const Baseline baseline = verdict.baselines.front();
  verdict.is_decided = !report.forms_blocks;
  verdict.frame = VerdictFrame{.workers = report.workers,
                               .machine = report.device.device,
                               .execution = report.execution,
                               .pattern = report.pattern,
                               .priced_by = "measured"};
  verdict.parts.under = fmt::format("Measured on {}", frame_text(*verdict.frame));
  const std::string text =
      fmt::format("{} against {} of plain BP", short_seconds(baseline.scan_score), short_seconds(baseline.score));
  const std::optional<double> dense = dense_seconds(report);
  const auto add_dense = [&](double scan_s) {
    if (dense) verdict.baselines.push_back({"dense-bp", *dense, true, baseline.best_scan, scan_s});
  };
  if (!report.forms_blocks) {
    const double ratio = *baseline.ratio();
    add_dense(baseline.scan_score);
    if (!dense) return fmt::format("{}; {}", text, comparison_text(baseline, "it", verdict.same));
    return fmt::format("{} and {} of dense BP; {} is {} and {}: {}", text, short_seconds(*dense), baseline.best_scan,
                       speed_text(ratio, "the former"), speed_text(*verdict.baselines.back().ratio(), "the latter"),
                       pays_text(verdict));
  }
  const std::string part =
      fmt::format("{}; {} is {}, forming the Jacobians of blocks and the gradients inside them aside", text,
                  baseline.best_scan, speed_text(*baseline.ratio()));
  const auto& graph = report.validation.graph;
  const bool ran = graph && graph->skipped.empty() && !graph->mismatch;
  const double formed = baseline.scan_score + report.validation.measured_build_s;
  const double over_graph = ran ? graph->run.seconds + graph->run.build_seconds : 0;
  if (!(over_graph > 0)) return part;
  add_dense(formed);
  verdict.baselines.push_back({"graph-bp", over_graph, true, baseline.best_scan, formed});
  const double to_dense = dense ? formed / *dense : 0;
  const double largest = std::max(formed / over_graph, to_dense);
  // What is left out would only add to it.
  verdict.is_decided = standing_of(largest, verdict.same) == Standing::does_not_pay;
  const std::string beside_dense =
      dense ? fmt::format(", and {} ({})", speed_text(to_dense, "dense BP"), short_seconds(*dense)) : "";
  return fmt::format(
      "{}; with forming them it is {}, both with their Jacobians{}: {}", part,
      speed_text(formed / over_graph, "plain BP over the graph"), beside_dense,
      verdict.is_decided ? pays_text(largest, verdict.same) : "without the gradients inside, so that nothing follows");
}

/// Whether what ran is right.
std::string proof_text(const ValidationReport& report) {
  std::size_t ran = 0;
  std::size_t right = 0;
  for (const ScheduleValidation& one : report.validation.schedules) {
    ran += one.ran() ? 1 : 0;
    right += one.ran() && !one.mismatch ? 1 : 0;
  }
  if (ran == 0) return "Nothing was run.";
  if (right < ran) return fmt::format("{} of {} schedules are right.", right, ran);
  const std::string what = fmt::format("{} schedule{} ran", ran, ran == 1 ? "" : "s");
  if (has_one_link(report)) return one_link_text(report, what);
  return fmt::format(
      "{}: structure, nnz and products of every op are exactly as counted, and every gradient{} agrees with direct "
      "back-propagation within its rounding bound.",
      what, report.forms_blocks ? " between links (those inside blocks are no part of a scan)" : "");
}

}  // namespace

Verdict validation_verdict(const ValidationReport& report) {
  Verdict verdict;
  verdict.same = kSameMeasurement;
  verdict.sentences = {proof_text(report)};
  const std::string measured = measured_text(report, verdict);
  if (!measured.empty()) {
    verdict.sentences.push_back(verdict.frame ? standing_sentence(verdict, verdict.parts.under, measured) : measured);
  }
  verdict.payback = payback_of(report);
  if (verdict.payback)
    verdict.sentences.push_back(payback_text(*verdict.payback, "what planning takes more than that of plain BP"));
  return verdict;
}

}  // namespace upsweep
