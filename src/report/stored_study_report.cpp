#include "upsweep/report/stored_study_report.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "cell_text.hpp"
#include "column_words.hpp"
#include "study_parts.hpp"

namespace upsweep {
namespace {

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

Document document(const StoredStudy& study) {
  const auto fields = fields_of(study);
  std::vector<Column> columns;
  std::vector<Value> values;
  std::vector<std::vector<Value>> rows;
  for (const auto& [name, cell] : fields) {
    columns.push_back({name, {}, Unit::text});
    values.push_back(cell_value(cell));
    rows.push_back({column_words(name), shown_cell(name, cell)});
  }
  for (const StoredAxis& axis : study.axes) rows.push_back({"axis " + axis.name, axis.values});
  const Table sheet("", columns, {values});
  Document document;
  return std::move(document
                       .facts([&study, sheet] {
                         Json object = sheet.object(0);
                         object["axes"] = Json::array();
                         for (const StoredAxis& axis : study.axes) {
                           Json parsed = Json::parse(axis.values, nullptr, false);
                           object["axes"].push_back(
                               {{"name", axis.name}, {"values", parsed.is_discarded() ? Json(axis.values) : parsed}});
                         }
                         object["answers"] = answers_json(answers_of(study));
                         return object;
                       })
                       .sheet(sheet)
                       .show({"", {{"", "field", Unit::text}, {"", "value", Unit::text}}, std::move(rows)})
                       .add(answers_document(answers_of(study))));
}

}  // namespace upsweep
