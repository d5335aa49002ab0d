#include "study_record.hpp"

#include <nlohmann/json.hpp>

#include "answer_sentences.hpp"
#include "upsweep/profile/counting_rule_version.hpp"

namespace upsweep {

StudyRecord study_record(const StudyFile& study, const StudyOptions& options, std::uint64_t points) {
  StudyRecord record;
  record.tool_version = options.tool_version;
  record.parameters = options.parameters;
  record.rule = kCountingRule;
  record.name = study.spec.name;
  record.file = study.file;
  record.content_hash = study.content_hash;
  record.text = study.text;
  record.points = points;
  for (const Axis& axis : study.spec.axes) {
    AnswerJson values = AnswerJson::array();
    for (const AxisValue& value : axis.columns.front().values) values.push_back(json_of(value));
    record.axes.push_back(axis.name);
    record.values.push_back(values.dump());
  }
  return record;
}

}  // namespace upsweep
