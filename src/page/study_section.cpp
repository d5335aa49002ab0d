#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sections.hpp"
#include "upsweep/figure/stored_figures.hpp"
#include "upsweep/figure/study_figures.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostPoints = 40;   // of a study's table
constexpr std::size_t kMostAnswers = 40;  // of a question

FigureData object_of_text(const std::string& text) {
  FigureData object = FigureData::parse(text, nullptr, false);
  return object.is_object() ? object : FigureData::object();
}

/// A value as it stands in a study file: whole numbers in full.
Value number_value(double value) {
  constexpr double kExact = 1e15;
  const bool is_whole = value == std::floor(value) && std::fabs(value) < kExact;
  return Value(value).shown(is_whole ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value));
}

/// A value of an axis for people: a file by its stem, a list by its JSON.
Value coordinate_value(const FigureData& value) {
  if (value.is_number()) return number_value(value.get<double>());
  if (!value.is_string())
    return Value(value.is_null() ? "-" : value.dump(-1, ' ', false, FigureData::error_handler_t::replace));
  std::string text = value.get<std::string>();
  if (text.ends_with(".yaml")) {
    text.resize(text.size() - 5);
    text.erase(0, text.find_last_of('/') + 1);
  }
  return Value(text);
}

/// Names that occur in objects, in the order in which they come first, and whether all values are numbers.
std::vector<Column> columns_of(const std::vector<FigureData>& objects) {
  std::vector<Column> columns;
  for (const FigureData& object : objects) {
    for (const auto& [key, value] : object.items()) {
      auto column =
          std::find_if(columns.begin(), columns.end(), [&name = key](const auto& c) { return c.head == name; });
      if (column == columns.end()) column = columns.insert(columns.end(), Column{"", key, Unit::exact});
      if (!value.is_number()) column->unit = Unit::text;
    }
  }
  return columns;
}

std::vector<Value> coordinate_values(const FigureData& object, const std::vector<Column>& columns) {
  std::vector<Value> cells;
  for (const auto& column : columns) {
    const auto found = object.find(*column.head);
    cells.push_back(coordinate_value(found == object.end() ? FigureData() : *found));
  }
  return cells;
}

std::vector<Column> shown_heads(std::vector<Column> columns) {
  for (auto& column : columns) column.head = shortened(*column.head, 60);
  return columns;
}

Markup points_table_of(const std::vector<StudyPointRow>& points) {
  std::vector<FigureData> places;
  for (std::size_t i = 0; i < std::min(points.size(), kMostPoints); ++i) {
    places.push_back(object_of_text(points[i].coordinates));
  }
  const std::vector<Column> axes = columns_of(places);
  std::vector<Column> columns = shown_heads(axes);
  const bool in_seconds = std::any_of(points.begin(), points.end(), [](const auto& p) { return p.unit == "s"; });
  const Unit unit = in_seconds ? Unit::seconds : Unit::count;
  columns.insert(columns.end(), {{"", "speedup of the scan", Unit::speedup},
                                 {"", "best schedule", Unit::text},
                                 {"", in_seconds ? "best score" : "best score (FLOPs)", unit},
                                 {"", in_seconds ? "plain back-propagation" : "plain back-propagation (FLOPs)", unit},
                                 {"", "dense back-propagation", Unit::seconds},
                                 {"", "over the graph", unit},
                                 {"", "blocks, beside it", unit},
                                 {"", in_seconds ? "best scan" : "best scan (FLOPs)", unit},
                                 {"", "memory", Unit::bytes},
                                 {"", "status", Unit::text}});
  HtmlTable table("Points", columns);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const StudyPointRow& point = points[i];
    const auto score = [&point](const std::optional<double>& value) {
      return Value(value).in(point.unit == "s" ? Unit::seconds : Unit::count);
    };
    std::vector<Value> cells = coordinate_values(places[i], axes);
    cells.insert(cells.end(), {Value(point.speedup()), Value(point.schedule.empty() ? "-" : point.schedule),
                               score(point.score), score(point.plain_score), score(point.dense_score),
                               score(point.graph_score), score(point.blocks_score), score(point.scan_score),
                               Value(point.peak_live_bytes), Value(point.status)});
    table.row(cells);
  }
  Markup out("<details><summary>Points");
  out.text(fmt::format(" ({})", points.size())).add("</summary>\n").add(table.markup());
  if (points.size() > kMostPoints) {
    out.add("<p class=\"note\">")
        .text(fmt::format("The first {} of {} points; all of them: ", kMostPoints, points.size()));
    out.add("<code>upsweep study FILE --format csv</code></p>\n");
  }
  return out.add("</details>\n");
}

/// "everywhere", "from", ... of an answer; of "unknown" with the reasons, too.
Value faster_value(const FigureData& answer) {
  const FigureData faster = answer.value("faster", FigureData());
  std::string reasons;
  for (const FigureData& reason : answer.value("missing", FigureData::array())) {
    if (reason.is_string()) reasons += (reasons.empty() ? "" : ", ") + reason.get<std::string>();
  }
  if (faster != "unknown" || reasons.empty()) return coordinate_value(faster);
  return {shortened("unknown: " + reasons, 200)};
}

/// Where the scan is faster along an axis, for each place.
Markup crossings_table_of(const std::vector<const StoredAnswer*>& answers) {
  std::vector<FigureData> places;
  std::vector<FigureData> details;
  for (const StoredAnswer* answer : answers) {
    FigureData detail = object_of_text(answer->details);
    if (!detail.contains("faster") || details.size() == kMostAnswers) continue;
    places.push_back(object_of_text(answer->place));
    details.push_back(std::move(detail));
  }
  if (details.size() < 2) return {};
  const std::vector<Column> axes = columns_of(places);
  std::vector<Column> columns = shown_heads(axes);
  columns.insert(columns.end(), {{"", "along", Unit::text},
                                 {"", "scan is faster", Unit::text},
                                 {"", "at", Unit::count},
                                 {"", "limited by", Unit::text}});
  HtmlTable table("Where the scan is faster", columns);
  for (std::size_t i = 0; i < details.size(); ++i) {
    std::vector<Value> cells = coordinate_values(places[i], axes);
    const FigureData faster = details[i].value("faster", FigureData());
    const bool crosses = faster != "everywhere" && faster != "nowhere";
    cells.push_back(coordinate_value(details[i].value("along", FigureData())));
    cells.push_back(faster_value(details[i]));
    cells.push_back(crosses ? coordinate_value(details[i].value("value", FigureData())) : Value("-"));
    cells.push_back(coordinate_value(details[i].value("binding", FigureData())));
    table.row(cells);
  }
  return table.markup();
}

const char* question_title(const std::string& question) {
  if (question == "best") return "Which schedule is best";
  if (question == "crossover") return "Where the scan pays";
  if (question == "capacity") return "What fits";
  if (question == "fewest_workers") return "How few workers are enough";
  if (question == "top") return "The best points";
  if (question == "ops") return "Whole and shared ops";
  return question == "pareto" ? "Score against memory: the Pareto front" : nullptr;
}

Markup answers_markup(const StoredStudy& study) {
  std::vector<std::pair<std::string, std::vector<const StoredAnswer*>>> questions;
  for (const StoredAnswer& answer : study.answers) {
    auto found =
        std::find_if(questions.begin(), questions.end(), [&](const auto& q) { return q.first == answer.question; });
    if (found == questions.end()) found = questions.insert(questions.end(), {answer.question, {}});
    found->second.push_back(&answer);
  }
  Markup out;
  for (const auto& [question, answers] : questions) {
    const char* title = question_title(question);
    out.add("<h4>").text(title != nullptr ? title : shortened(question)).add("</h4>\n");
    const Markup crossings = question == "crossover" ? crossings_table_of(answers) : Markup();
    out.add(crossings);
    if (!crossings.empty()) out.add("<details><summary>In sentences</summary>\n");
    out.add("<ul>\n");
    for (std::size_t i = 0; i < std::min(answers.size(), kMostAnswers); ++i) {
      out.element("li", shortened(answers[i]->sentence, 600)).add("\n");
    }
    out.add("</ul>\n");
    if (answers.size() > kMostAnswers) {
      out.add("<p class=\"note\">")
          .text(fmt::format("The first {} of {} answers.", kMostAnswers, answers.size()))
          .add("</p>\n");
    }
    if (!crossings.empty()) out.add("</details>\n");
  }
  return out;
}

/// How much of a study's grid is there, and how many points are done, infeasible, invalid or excluded.
std::string study_state(const StoredStudy& study, const std::vector<StudyPointRow>& points) {
  std::map<std::string, std::size_t> counts;
  for (const StudyPointRow& point : points) ++counts[point.status];
  std::string text = study.points == 1 ? "1 point" : fmt::format("{} points", study.points);
  const char* separator = ": ";
  for (const char* status : {"done", "infeasible", "invalid", "excluded"}) {
    const auto found = counts.find(status);
    if (found == counts.end()) continue;
    text += fmt::format("{}{} {}", separator, found->second, status);
    separator = ", ";
  }
  if (study.is_complete) return text + ".";
  return text + "; not all of them are there yet: the same command goes on with the rest.";
}

}  // namespace

Markup study_section(const SectionContext& context, const StoredStudy& study) {
  Markup out("<section");
  out.attribute("id", fmt::format("study-{}", study.id)).add("><h3>");
  out.text(fmt::format("Study {}: {}", study.id, shortened(study.name, 80))).add("</h3>\n<p class=\"about\">");
  const std::vector<StudyPointRow> points = points_of_study(context.store, study.id);
  out.text(fmt::format("{}. {}", shown_time(study.created_utc), study_state(study, points))).add("</p>\n");
  out.add(verdict_markup(study.verdict));
  const bool has_misfits =
      std::any_of(points.begin(), points.end(), [](const auto& point) { return point.status == "infeasible"; });
  if (has_misfits && !study.verdict.text.value_or("").empty())
    out.add("<p class=\"note\">Points that do not fit into the memory are left out of it.</p>\n");
  if (context.shelf.is_open()) {
    for (const Figure& figure : study_line_figures(study, points)) context.shelf.put(figure, out);
    context.shelf.put(study_map_figure(study, points), out);
    context.shelf.put(study_front_figure(study, points), out);
  }
  out.add(left_out_note(context, "study", study.id)).add(answers_markup(study)).add(points_table_of(points));
  return out.add("</section>\n");
}

}  // namespace upsweep
