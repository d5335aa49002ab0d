#include "upsweep/report/stored_study_report.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "cell_text.hpp"
#include "column_words.hpp"
#include "study_parts.hpp"

namespace upsweep {
namespace {

using Align = TextTable::Align;

std::vector<AnswerRecord> answers_of(const StoredStudy& study) {
  std::vector<AnswerRecord> answers;
  for (const StoredAnswer& one : study.answers) answers.push_back({one.question, one.place, one.sentence, one.details});
  return answers;
}

/// What is known of a study as columns of its table.
std::vector<std::pair<std::string, Cell>> fields_of(const StoredStudy& study) {
  const auto unless_empty = [](const std::string& text) { return text.empty() ? Cell() : Cell(text); };
  return {{"id", study.id},
          {"created_utc", study.created_utc},
          {"finished_utc", unless_empty(study.finished_utc)},
          {"tool_version", study.tool_version},
          {"parameters", study.parameters},
          {"rule", study.rule},
          {"name", study.name},
          {"file", study.file},
          {"content_hash", study.content_hash},
          {"points", static_cast<std::int64_t>(study.points)},
          {"complete", std::int64_t{study.is_complete ? 1 : 0}}};
}

}  // namespace

Json to_json(const StoredStudy& study) {
  Json object;
  for (const auto& [name, cell] : fields_of(study)) object[name] = cell_json(cell);
  object["axes"] = Json::array();
  for (const StoredAxis& axis : study.axes) {
    Json values = Json::parse(axis.values, nullptr, false);
    object["axes"].push_back({{"name", axis.name}, {"values", values.is_discarded() ? Json(axis.values) : values}});
  }
  object["answers"] = answers_json(answers_of(study));
  return object;
}

std::string to_csv(const StoredStudy& study) {
  std::vector<std::string> heads;
  std::vector<std::string> cells;
  for (const auto& [name, cell] : fields_of(study)) {
    heads.push_back(name);
    cells.push_back(cell_text(cell));
  }
  return csv_line(heads) + csv_line(cells);
}

std::string to_text(const StoredStudy& study, const TextStyle& style) {
  TextTable table({{"field", Align::left}, {"value", Align::left}});
  for (const auto& [name, cell] : fields_of(study)) table.row({column_words(name), shown_cell(name, cell)});
  for (const StoredAxis& axis : study.axes) table.row({"axis " + axis.name, axis.values});
  return table.text(style) + answers_text(answers_of(study), style);
}

}  // namespace upsweep
