#include "upsweep/report/anchors_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "upsweep/document/short_text.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kWorstAnchors = 10;

Json failures_json(const AnchorFailures& failures) {
  return {{"predicted", failures.predicted}, {"missed", failures.missed}, {"false_alarms", failures.false_alarms}};
}

std::optional<double> milliseconds(const std::optional<double>& seconds) {
  return seconds ? std::optional(1e3 * *seconds) : std::nullopt;
}

const std::string& name_of(const AnchorRow& row) { return row.matrix.empty() ? row.algorithm : row.matrix; }

/// Median and 90th percentile, of which people see one cell.
Value errors_value(const ErrorFigures& errors) {
  const auto figure = [&](double value) { return errors.points == 0 ? Json() : Json(value); };
  return Value::object({{"mean", figure(errors.mean)},
                        {"median", figure(errors.median)},
                        {"p90", figure(errors.p90)},
                        {"max", figure(errors.max)}})
      .shown(errors.points == 0 ? "-" : fmt::format("{:.1f} / {:.1f} %", 100 * errors.median, 100 * errors.p90));
}

Table points_table(const AnchorReport& report, const std::string& name) {
  using Of = const AnchorPoint*;
  const auto row = [](std::string column, auto AnchorRow::*member) {
    return Field<Of>(std::move(column), std::nullopt, Unit::text, [member](Of point) { return point->row.*member; });
  };
  const auto text = [](std::string column, std::string AnchorPoint::*member) {
    return Field<Of>(std::move(column), std::nullopt, Unit::text,
                     [member](Of point) { return Value::unless_empty(point->*member); });
  };
  const auto ms = [](std::string column, std::optional<double> AnchorPoint::*member) {
    return Field<Of>(std::move(column), std::nullopt, Unit::exact,
                     [member](Of point) { return milliseconds(point->*member); });
  };
  return {
      name, each_of(report.points),
      std::vector<Field<Of>>{
          row("file", &AnchorRow::file),
          row("line", &AnchorRow::line),
          row("family", &AnchorRow::family),
          row("device", &AnchorRow::device),
          row("library", &AnchorRow::library),
          {"name", {}, Unit::text, [](Of point) { return name_of(point->row); }},
          text("machine", &AnchorPoint::machine),
          {"measured_ms", {}, Unit::exact, [](Of point) { return milliseconds(point->row.time_s); }},
          ms("predicted_ms", &AnchorPoint::predicted_s),
          ms("low_ms", &AnchorPoint::low_s),
          ms("high_ms", &AnchorPoint::high_s),
          ms("in_sample_ms", &AnchorPoint::in_sample_s),
          ms("bound_ms", &AnchorPoint::bound_s),
          {"error", {}, Unit::exact, &AnchorPoint::error},
          row("status", &AnchorRow::status),
          text("predicted_status", &AnchorPoint::predicted_status),
          text("binds", &AnchorPoint::binds),
          {"fitted", {}, Unit::text, &AnchorPoint::is_fitted},
          {"left_out", {}, Unit::text, &AnchorPoint::is_left_out},
          text("skipped", &AnchorPoint::skipped),
          {"interval_ms",
           {},
           Unit::object,
           [](Of point) {
             return point->low_s ? Value::object(Json::array({1e3 * *point->low_s, 1e3 * *point->high_s})) : Value();
           }},
          {"inside", {}, Unit::text, &AnchorPoint::is_inside},
          {"family_index", {}, Unit::exact, [has_families = !report.families.empty()](Of point) {
             return has_families ? Value(point->family) : Value();
           }}}};
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
    for (const std::string& sentence : family.fitted_on) {
      text += fmt::format("  {}, {}: {}\n", short_text(family.family), short_text(family.device, 44),
                          short_text(sentence, 300));
    }
  }
  for (const AnchorFamily& family : report.families) {
    if (family.fitted > family.left_out) {
      text += fmt::format("  {}, {}, {}: {} points are fitted and not left out, their errors in sample\n",
                          short_text(family.family), short_text(family.device, 44), short_text(family.library),
                          family.fitted - family.left_out);
    }
  }
  return text.empty() ? "" : fmt::format("\nFitted on:\n\n{}", text);
}

}  // namespace

Table anchor_families(const AnchorReport& report) {
  using Of = const AnchorFamily*;
  const auto errors = [](std::string name, std::string head, ErrorFigures AnchorFamily::*figures) {
    return Field<Of>(std::move(name), std::move(head), Unit::object,
                     [figures](Of family) { return errors_value(family->*figures); });
  };
  return Table("families", each_of(report.families),
               std::vector<Field<Of>>{
                   {"family", "family", Unit::text,
                    [](Of family) { return Value(family->family).shown(short_text(family->family)); }},
                   {"device", "device", Unit::text,
                    [](Of family) {
                      const std::string& name = family->device;
                      return Value(name).shown(name.empty() ? "(not named)" : short_text(name, 44));
                    }},
                   {"library", "library", Unit::text,
                    [](Of family) { return Value(family->library).shown(short_text(family->library, 26)); }},
                   {"machine", {}, Unit::text, [](Of family) { return Value::unless_empty(family->machine); }},
                   {"rows", {}, Unit::exact, &AnchorFamily::rows},
                   {"points", "points", Unit::exact, [](Of family) { return family->error.points; }},
                   {"fitted", {}, Unit::exact, &AnchorFamily::fitted},
                   {"left_out", {}, Unit::exact, &AnchorFamily::left_out},
                   errors("error", "error", &AnchorFamily::error),
                   errors("in_sample", "in sample", &AnchorFamily::in_sample),
                   errors("bound_error", "roofline's", &AnchorFamily::bound_error),
                   {"coverage", "in interval", Unit::share, &AnchorFamily::coverage},
                   {"skipped", "skipped", Unit::exact, &AnchorFamily::skipped},
                   {"failures",
                    {},
                    Unit::object,
                    [](Of family) { return Value::object(failures_json(family->failures)); }},
                   {"fitted_on", {}, Unit::object, [](Of family) { return Value::object(family->fitted_on); }}})
      .keys(3);
}

Table worst_anchors(const AnchorReport& report) {
  using Of = const AnchorPoint*;
  std::vector<Of> points = each_of(report.points);
  std::erase_if(points, [](Of point) { return !point->error(); });
  std::ranges::stable_sort(points, std::greater(), [](Of point) { return *point->error(); });
  points.resize(std::min(points.size(), kWorstAnchors));
  return {"", std::move(points),
          std::vector<Field<Of>>{
              {"", "row", Unit::text,
               [](Of point) { return fmt::format("{}:{}", short_text(point->row.file, 40), point->row.line); }},
              {"", "of", Unit::text, [](Of point) { return short_text(name_of(point->row), 30); }},
              {"", "measured", Unit::seconds, [](Of point) { return point->row.time_s; }},
              {"", "predicted", Unit::seconds, &AnchorPoint::predicted_s},
              {"", "error", Unit::change, [](Of point) { return *point->predicted_s / *point->row.time_s - 1; }},
              {"", "most of it is", Unit::text, &AnchorPoint::binds}}};
}

Document document(const AnchorReport& report) {
  Document document;
  document
      .facts([&report] {
        return Json{{"failures", failures_json(all_failures(report))}, {"interval_share", kIntervalShare}};
      })
      .list(points_table(report, "points"))
      .sheet(points_table(report, ""));
  if (report.points.empty()) return std::move(document.list(anchor_families(report)).say("No rows.\n"));
  document
      .say(
          "Errors of predicted times, median / 90th percentile; rows that rates were fitted to are predicted by rates "
          "without their structure.\n\n")
      .show(anchor_families(report))
      .say(failures_text(report));
  if (Table worst = worst_anchors(report); worst.rows() > 0)
    document.say("\nThe rows that are predicted worst:\n\n").show(std::move(worst));
  return std::move(document.say(fitted_text(report) + skipped_text(report)));
}

}  // namespace upsweep
