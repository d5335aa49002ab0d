#include "upsweep/report/study_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "study_parts.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/document/short_text.hpp"
#include "upsweep/report/runs_report.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostReasons = 5;

std::string rate_text(double per_second) {
  if (per_second >= 10'000) return short_count(per_second);
  return per_second >= 100 ? fmt::format("{:.0f}", per_second) : fmt::format("{:.3g}", per_second);
}

double points_per_second(const StudyResult& result) {
  return result.seconds > 0 ? static_cast<double>(result.evaluated) / result.seconds : 0;
}

const char* unit_of(const StudyResult& result) { return result.is_in_seconds ? "s" : "FLOPs"; }

Json study_json(const StudyReport& report) {
  const StudySpec& spec = report.study.spec;
  Json axes = Json::array();
  for (const Axis& axis : spec.axes) {
    Json columns = Json::array();
    for (const AxisColumn& column : axis.columns) {
      columns.push_back({{"path", column.path},
                         {"factor", column.is_factor},
                         {"first", column.values.front().text},
                         {"last", column.values.back().text}});
    }
    axes.push_back({{"name", axis.name}, {"size", axis.size()}, {"columns", std::move(columns)}});
  }
  Json constraints = Json::array();
  for (const Constraint& constraint : spec.constraints) constraints.push_back(constraint.text());
  Json questions = Json::array();
  for (const Question& question : spec.questions) questions.push_back(to_string(question.kind));
  return {{"name", spec.name},
          {"description", spec.description},
          {"file", report.study.file},
          {"content_hash", report.study.content_hash},
          {"id", report.result.id == 0 ? Json() : Json(report.result.id)},
          {"model", report.study.model.file},
          {"machine", report.study.machine ? Json(report.study.machine->file) : Json()},
          {"axes", std::move(axes)},
          {"constraints", std::move(constraints)},
          {"questions", std::move(questions)}};
}

Json points_json(const StudyResult& result) {
  Json object = {{"total", result.points.size()}};
  const auto counts = points_by_status(result);
  for (std::size_t s = 0; s < counts.size(); ++s) object[status_text(static_cast<PointStatus>(s))] = counts[s];
  object["evaluated"] = result.evaluated;
  object["found"] = result.found;
  object["resumed"] = result.resumed;
  object["interrupted"] = result.is_interrupted;
  object["seconds"] = result.seconds;
  object["points_per_s"] = points_per_second(result);
  object["unit"] = unit_of(result);
  object["exact"] = result.is_exact;
  return object;
}

Json invalid_json(const StudyReport& report) {
  Json invalid = Json::array();
  const AxisCells axes(report.study.spec);
  for (std::size_t i = 0; i < report.result.invalid.size(); ++i) {
    const std::uint64_t position = report.result.invalid[i];
    const std::vector<std::string> values = axes.values(position);
    Json at = Json::object();
    for (std::size_t h = 0; h < values.size(); ++h) at[axes.heads()[h]] = values[h];
    invalid.push_back({{"position", position}, {"at", std::move(at)}, {"reason", report.result.reasons[i]}});
  }
  return invalid;
}

/// Rows of the store; coordinates as the object that they are.
Json rows_json(const QueryResult& points) {
  Json rows = query_table(points).json();
  for (Json& row : rows) {
    if (!row.contains("coordinates") || !row["coordinates"].is_string()) continue;
    Json coordinates = Json::parse(row["coordinates"].get<std::string>(), nullptr, false);
    if (!coordinates.is_discarded()) row["coordinates"] = std::move(coordinates);
  }
  return rows;
}

std::string grid_text(const StudySpec& spec, std::uint64_t points) {
  std::string text;
  for (const Axis& axis : spec.axes) text += fmt::format("{}{} {}", text.empty() ? "" : " x ", axis.size(), axis.name);
  const std::string count = counted_text(points, "point");
  return text.empty() ? count : fmt::format("{} = {}", text, count);
}

/// What points have unless an axis says otherwise; defaults in words.
std::string settings_line(const StudySpec& spec, bool is_in_seconds) {
  const PointSettings& point = spec.base.point;
  const std::string workers =
      point.workers ? counted_text(*point.workers, "worker")
                    : std::string("as many workers as the widest level of the batch has ops, at most the machine's");
  const std::string batch = spec.base.batch ? fmt::format("batch {}", *spec.base.batch)
                                            : std::string("batch 1, of a recurrent model its own");
  const std::string launch = is_in_seconds ? ", on a gpu " + launch_text(point.launch.value_or(LaunchMode::graph)) : "";
  return fmt::format("Unless an axis says otherwise: {}, {}, {}, {} execution, {} ops{}, {} pattern\n",
                     schedules_text(point.schedule), workers, batch, to_string(point.execution), to_string(point.ops),
                     launch, spec.base.pattern == PatternKind::sample ? "sample" : "guaranteed");
}

std::string head_text(const StudyReport& report) {
  const StudySpec& spec = report.study.spec;
  const auto file_of = [&](const YamlDocument& document, const char* what) {
    return document.file == report.study.file ? fmt::format("the {} in the study", what) : document.file;
  };
  std::string text = spec.description.empty() ? fmt::format("Study {}\n", spec.name)
                                              : fmt::format("Study {}: {}\n", spec.name, spec.description);
  std::string machine = "no machine: scores are FLOPs";
  if (report.study.machine) machine = fmt::format("on {}", file_of(*report.study.machine, "machine"));
  if (!report.study.machine && report.result.is_in_seconds) machine = "on the machines of an axis";
  text += fmt::format("Base: {}, {}\n{}", file_of(report.study.model, "model"), machine,
                      settings_line(spec, report.result.is_in_seconds));
  text += fmt::format("Grid: {}\n", grid_text(spec, report.result.points.size()));
  for (const Constraint& constraint : spec.constraints) text += fmt::format("Only where {}\n", constraint.text());
  return text;
}

/// What became of the points, and how fast.
std::string counts_text(const StudyResult& result) {
  const auto counts = points_by_status(result);
  const auto count = [&](PointStatus status) { return counts.at(static_cast<std::size_t>(status)); };
  std::string text = fmt::format("Points: {} done", count(PointStatus::done));
  for (const auto& [status, meaning] :
       {std::pair{PointStatus::infeasible, "infeasible (no asked schedule fits the memory)"},
        std::pair{PointStatus::invalid,
                  "invalid (their values make no model, machine "
                  "or settings)"},
        std::pair{PointStatus::excluded, "excluded by constraints"}, std::pair{PointStatus::open, "still open"}}) {
    if (count(status) > 0) text += fmt::format(", {} {}", count(status), meaning);
  }
  text += fmt::format("\n{} evaluated in {}", result.evaluated, short_seconds(result.seconds));
  if (result.evaluated > 0 && result.seconds > 0)
    text += fmt::format(", {} a second", rate_text(points_per_second(result)));
  if (result.found > 0) text += fmt::format(", {} found in the store", result.found);
  if (result.resumed > 0) text += fmt::format(", {} there from earlier runs of this study", result.resumed);
  text += ".\n";
  const CountStatistics& cache = result.counts;
  if (cache.asked > 0) {
    text += fmt::format("Counted networks: needed {}, found {} ({:.4g} %; {} in memory, {} stored), counted {}",
                        counted_text(cache.asked, "time"), cache.in_memory + cache.stored,
                        100. * static_cast<double>(cache.in_memory + cache.stored) / static_cast<double>(cache.asked),
                        cache.in_memory, cache.stored, cache.counted);
    if (cache.by_formula > 0) {
      text += fmt::format(
          ", {} by formulas of the image's size: each goes through three counted sizes and equals the counts at {} "
          "others at least, the largest among them (checked, not proven)",
          cache.by_formula, kLeastChecks);
    }
    text += ".\n";
  }
  if (cache.damaged > 0) {
    text += fmt::format("{} in the database {} damaged, as the checksum says: counted again.\n",
                        counted_text(cache.damaged, "counted network"), cache.damaged == 1 ? "was" : "were");
  }
  if (!result.is_exact) text += "Expected counts, not exact ones, where entries are random.\n";
  return text;
}

/// The first reasons of points that are not valid, each with its first point.
std::string invalid_text(const StudyReport& report) {
  const StudyResult& result = report.result;
  if (result.invalid.empty()) return "";
  const std::uint64_t all = points_by_status(result).at(static_cast<std::size_t>(PointStatus::invalid));
  std::vector<std::pair<std::string, std::size_t>> reasons;  // with the place of the first such point
  for (std::size_t i = 0; i < result.reasons.size(); ++i) {
    const bool is_new =
        std::none_of(reasons.begin(), reasons.end(), [&](const auto& r) { return r.first == result.reasons[i]; });
    if (is_new) reasons.emplace_back(result.reasons[i], i);
  }
  const AxisCells axes(report.study.spec);
  std::string text = fmt::format("\nNot valid: {}, for instance\n", counted_text(all, "point"));
  for (std::size_t r = 0; r < std::min(reasons.size(), kMostReasons); ++r) {
    text += fmt::format("  {}: {}\n", axes.place_text(result.invalid[reasons[r].second]), reasons[r].first);
  }
  if (reasons.size() > kMostReasons)
    text += fmt::format("  ... {} more: --format json\n", counted_text(reasons.size() - kMostReasons, "reason"));
  return text;
}

}  // namespace

std::string schedules_text(const std::string& schedule) {
  if (schedule == "best") return "the best hybrid depth of each point";
  return schedule == "best-of-all" ? "the best of all schedules of each point" : "schedule " + short_text(schedule, 60);
}

std::string counted_text(std::uint64_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

Document document(const StudyReport& report) {
  const bool has_table = report.result.points.size() <= kMostTablePoints;
  Document document;
  return std::move(
      document
          .facts([report] {
            const CountStatistics& cache = report.result.counts;
            return Json{{"study", study_json(report)},
                        {"points", points_json(report.result)},
                        {"cache",
                         {{"asked", cache.asked},
                          {"in_memory", cache.in_memory},
                          {"stored", cache.stored},
                          {"counted", cache.counted},
                          {"by_formula", cache.by_formula},
                          {"damaged", cache.damaged},
                          {"hit_rate", cache.hit_rate()}}},
                        {"answers", answers_json(report.result.answers)},
                        {"invalid", invalid_json(report)},
                        {"rows", report.points == nullptr ? Json() : rows_json(*report.points)}};
          })
          .say(head_text(report) + counts_text(report.result) + invalid_text(report) + (has_table ? "\n" : ""))
          .show_sheet(points_table(report))
          .add(answers_document(report.result.answers)));
}

std::string progress_text(const StudyProgress& progress) {
  const double share =
      progress.points > 0 ? static_cast<double>(progress.done) / static_cast<double>(progress.points) : 1;
  // Rounded down: 100 % means all.
  std::string text = fmt::format("{} of {}, {} %", progress.done, counted_text(progress.points, "point"),
                                 static_cast<std::uint64_t>(100 * share));
  if (progress.points_per_s > 0) {
    text += fmt::format(", {} a second", rate_text(progress.points_per_s));
    if (progress.done < progress.points) text += fmt::format(", {} left", wait_text(progress.seconds_left));
  }
  if (progress.best.empty()) return text;
  const std::string score = progress.is_in_seconds ? short_seconds(progress.best_score)
                                                   : fmt::format("{} FLOPs", short_count(progress.best_score));
  return fmt::format("{}, best {} with {}", text, progress.best, score);
}

}  // namespace upsweep
