#include "ops_answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "answer_sentences.hpp"
#include "variants.hpp"

namespace upsweep {
namespace {

/// Adds the kind of a machine of the study; nothing of values that make none: their points say so.
void add_kind(const StudyFile& study, const std::vector<PathValue>& values, std::set<MachineKind>& kinds) {
  if (const MachineVariant variant = make_machine(study, values); variant.machine) kinds.insert(variant.machine->kind);
}

/// The kinds of machines that the points of a study have; of fields of machines, one alone changes the kind.
std::set<MachineKind> machine_kinds(const StudyFile& study) {
  std::set<MachineKind> kinds;
  bool is_replaced = false;
  for (const Axis& axis : study.spec.axes) {
    for (const AxisColumn& column : axis.columns) {
      if (column.path != "machine" && column.path != "machine.kind") continue;
      is_replaced = true;
      const std::string path = column.path == "machine" ? "" : "kind";
      for (const AxisValue& value : column.values) add_kind(study, {{path, value, column.is_factor}}, kinds);
    }
  }
  if (!is_replaced) add_kind(study, {}, kinds);
  return kinds;
}

bool has_ops(const StudySpec& spec, Ops ops) {
  const std::string text = to_string(ops);
  bool is_axis = false;
  for (const Axis& axis : spec.axes) {
    for (const AxisColumn& column : axis.columns) {
      if (column.path != "ops") continue;
      is_axis = true;
      if (std::ranges::find(column.values, text, &AxisValue::text) != column.values.end()) return true;
    }
  }
  return !is_axis && spec.base.point.ops == ops;
}

/// "a cpu or gpu".
std::string device_text(const std::set<MachineKind>& kinds) {
  std::vector<std::string> names;
  for (const MachineKind kind : kinds) {
    if (kind != MachineKind::pram) names.push_back(to_string(kind));
  }
  return names.empty() ? "" : fmt::format("a {}", fmt::join(names, " or "));
}

AnswerRecord ops_record(const std::string& sentence, bool is_equal) {
  AnswerJson answer;
  answer["whole_equals_shared"] = is_equal;
  return {"ops", "", sentence, answer.dump()};
}

}  // namespace

std::optional<AnswerRecord> ops_answer(const StudyFile& study) {
  const StudySpec& spec = study.spec;
  const std::string lead = "whether ops are whole or shared makes no difference";
  const auto is_about_memory = [](const Question& one) { return one.kind == QuestionKind::capacity; };
  if (!spec.questions.empty() && std::ranges::all_of(spec.questions, is_about_memory))
    return ops_record(lead + ": every question is about memory, which holds values, whoever works on them", true);
  if (spec.base.point.objective != Objective::time)
    return ops_record(fmt::format("{} to {}, which is no makespan", lead, to_string(spec.base.point.objective)), true);
  const std::set<MachineKind> kinds = machine_kinds(study);
  const std::string devices = device_text(kinds);
  const bool has_pram = kinds.contains(MachineKind::pram) && has_ops(spec, Ops::shared);
  std::string sentence;
  if (!devices.empty()) sentence = fmt::format("{} on {}, where an op uses the whole device", lead, devices);
  if (has_pram) {
    sentence += fmt::format("{}shared ops on a pram are compared in FLOPs, since its seconds are those of whole ops",
                            sentence.empty() ? "" : "; ");
    if (has_ops(spec, Ops::whole) || !devices.empty())
      sentence += "; by score and time, points in seconds alone are compared";
  }
  if (sentence.empty()) return std::nullopt;
  return ops_record(sentence, !has_pram);
}

}  // namespace upsweep
