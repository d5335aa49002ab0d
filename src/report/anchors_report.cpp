#include "upsweep/report/anchors_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "upsweep/report/short_text.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kWorstAnchors = 10;

Json anchor_errors_json(const ErrorFigures& errors) {
  if (errors.points == 0) return {{"mean", Json()}, {"median", Json()}, {"p90", Json()}, {"max", Json()}};
  return {{"mean", errors.mean}, {"median", errors.median}, {"p90", errors.p90}, {"max", errors.max}};
}

Json failures_json(const AnchorFailures& failures) {
  return {{"predicted", failures.predicted}, {"missed", failures.missed}, {"false_alarms", failures.false_alarms}};
}

Json optional_ms(const std::optional<double>& seconds) { return seconds ? Json(1e3 * *seconds) : Json(); }

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json family_json(const AnchorFamily& family) {
  return {{"family", family.family},
          {"device", family.device},
          {"library", family.library},
          {"machine", text_or_null(family.machine)},
          {"rows", family.rows},
          {"points", family.error.points},
          {"skipped", family.skipped},
          {"fitted", family.fitted},
          {"left_out", family.left_out},
          {"error", anchor_errors_json(family.error)},
          {"in_sample", anchor_errors_json(family.in_sample)},
          {"bound_error", anchor_errors_json(family.bound_error)},
          {"coverage", family.coverage ? Json(*family.coverage) : Json()},
          {"failures", failures_json(family.failures)},
          {"fitted_on", family.fitted_on}};
}

Json point_json(const AnchorReport& report, const AnchorPoint& point) {
  const AnchorRow& row = point.row;
  const std::optional<double> error = point.error();
  const std::optional<bool> inside = point.is_inside();
  return {{"file", row.file},
          {"line", row.line},
          {"family", row.family},
          {"device", row.device},
          {"library", row.library},
          {"name", row.matrix.empty() ? row.algorithm : row.matrix},
          {"machine", text_or_null(point.machine)},
          {"measured_ms", optional_ms(row.time_s)},
          {"predicted_ms", optional_ms(point.predicted_s)},
          {"interval_ms", point.low_s ? Json::array({1e3 * *point.low_s, 1e3 * *point.high_s}) : Json()},
          {"inside", inside ? Json(*inside) : Json()},
          {"in_sample_ms", optional_ms(point.in_sample_s)},
          {"bound_ms", optional_ms(point.bound_s)},
          {"error", error ? Json(*error) : Json()},
          {"status", row.status},
          {"predicted_status", text_or_null(point.predicted_status)},
          {"binds", text_or_null(point.binds)},
          {"fitted", point.is_fitted},
          {"left_out", point.is_left_out},
          {"skipped", text_or_null(point.skipped)},
          {"family_index", report.families.empty() ? Json() : Json(point.family)}};
}

AnchorFailures all_failures(const AnchorReport& report) {
  AnchorFailures sum;
  for (const AnchorFamily& family : report.families) {
    sum.predicted += family.failures.predicted;
    sum.missed += family.failures.missed;
    sum.false_alarms += family.failures.false_alarms;
  }
  return sum;
}

std::string anchor_percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string median_and_p90(const ErrorFigures& errors) {
  return errors.points == 0 ? "-" : fmt::format("{:.1f} / {:.1f} %", 100 * errors.median, 100 * errors.p90);
}

std::string families_text(const AnchorReport& report, const TextStyle& style) {
  constexpr auto kLeft = TextTable::Align::left;
  TextTable table({{"family", kLeft},
                   {"device", kLeft},
                   {"library", kLeft},
                   {"points"},
                   {"error"},
                   {"in sample"},
                   {"roofline's"},
                   {"in interval"},
                   {"skipped"}},
                  3);
  for (const AnchorFamily& family : report.families) {
    table.row({short_text(family.family), family.device.empty() ? "(not named)" : short_text(family.device, 44),
               short_text(family.library, 26), fmt::format("{}", family.error.points), median_and_p90(family.error),
               median_and_p90(family.in_sample), median_and_p90(family.bound_error),
               family.coverage ? anchor_percent(*family.coverage) : "-", fmt::format("{}", family.skipped)});
  }
  return table.text(style);
}

std::string worst_anchors_text(const AnchorReport& report, const TextStyle& style) {
  std::vector<const AnchorPoint*> points;
  for (const AnchorPoint& point : report.points) {
    if (point.error()) points.push_back(&point);
  }
  std::ranges::stable_sort(points, [](const auto* a, const auto* b) { return *a->error() > *b->error(); });
  points.resize(std::min(points.size(), kWorstAnchors));
  if (points.empty()) return "";
  constexpr auto kLeft = TextTable::Align::left;
  TextTable table({{"row", kLeft}, {"of", kLeft}, {"measured"}, {"predicted"}, {"error"}, {"most of it is", kLeft}});
  for (const AnchorPoint* point : points) {
    const AnchorRow& row = point->row;
    table.row({fmt::format("{}:{}", short_text(row.file, 40), row.line),
               short_text(row.matrix.empty() ? row.algorithm : row.matrix, 30), short_seconds(*row.time_s),
               short_seconds(*point->predicted_s),
               fmt::format("{:+.1f} %", 100 * (*point->predicted_s / *row.time_s - 1)), point->binds});
  }
  return fmt::format("\nThe rows that are predicted worst:\n\n{}", table.text(style));
}

std::string failures_text(const AnchorReport& report) {
  const AnchorFailures sum = all_failures(report);
  if (sum == AnchorFailures{}) return "";
  return fmt::format("\nFailures of libraries: {} predicted, {} missed, {} false alarms.\n", sum.predicted, sum.missed,
                     sum.false_alarms);
}

std::string skipped_text(const AnchorReport& report) {
  std::map<std::string, std::size_t> reasons;
  for (const AnchorPoint& point : report.points) {
    if (!point.skipped.empty()) ++reasons[point.skipped];
  }
  std::string text;
  for (const auto& [reason, count] : reasons) text += fmt::format("{:6}  {}\n", count, short_text(reason, 200));
  return text.empty() ? "" : fmt::format("\nRows that are not predicted:\n\n{}", text);
}

std::string fitted_text(const AnchorReport& report) {
  std::string text;
  for (const AnchorFamily& family : report.families) {
    for (const std::string& sentence : family.fitted_on)
      text += fmt::format("  {}, {}: {}\n", short_text(family.family), short_text(family.device, 44),
                          short_text(sentence, 300));
  }
  for (const AnchorFamily& family : report.families) {
    if (family.fitted > family.left_out)
      text += fmt::format("  {}, {}, {}: {} points are fitted and not left out, their errors in sample\n",
                          short_text(family.family), short_text(family.device, 44), short_text(family.library),
                          family.fitted - family.left_out);
  }
  return text.empty() ? "" : fmt::format("\nFitted on:\n\n{}", text);
}

}  // namespace

Json to_json(const AnchorReport& report) {
  Json families = Json::array();
  for (const AnchorFamily& family : report.families) families.push_back(family_json(family));
  Json points = Json::array();
  for (const AnchorPoint& point : report.points) points.push_back(point_json(report, point));
  return {{"families", std::move(families)},
          {"points", std::move(points)},
          {"failures", failures_json(all_failures(report))},
          {"interval_share", kIntervalShare}};
}

std::string to_csv(const AnchorReport& report) {
  std::string csv = csv_line({"file", "line", "family", "device", "library", "name", "machine", "measured_ms",
                              "predicted_ms", "low_ms", "high_ms", "in_sample_ms", "bound_ms", "error", "status",
                              "predicted_status", "binds", "fitted", "skipped"});
  const auto ms = [](const std::optional<double>& seconds) {
    return seconds ? fmt::format("{}", 1e3 * *seconds) : std::string();
  };
  for (const AnchorPoint& point : report.points) {
    const AnchorRow& row = point.row;
    csv += csv_line({row.file, fmt::format("{}", row.line), row.family, row.device, row.library,
                     row.matrix.empty() ? row.algorithm : row.matrix, point.machine, ms(row.time_s),
                     ms(point.predicted_s), ms(point.low_s), ms(point.high_s), ms(point.in_sample_s), ms(point.bound_s),
                     point.error() ? fmt::format("{}", *point.error()) : "", row.status, point.predicted_status,
                     point.binds, point.is_fitted ? "1" : "0", point.skipped});
  }
  return csv;
}

std::string to_text(const AnchorReport& report, const TextStyle& style) {
  if (report.points.empty()) return "No rows.\n";
  return fmt::format(
      "Errors of predicted times, median / 90th percentile; rows that rates were fitted to are predicted by rates "
      "without "
      "their structure.\n\n{}{}{}{}{}",
      families_text(report, style), failures_text(report), worst_anchors_text(report, style), fitted_text(report),
      skipped_text(report));
}

}  // namespace upsweep
