#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>

#include "quantity.hpp"
#include "study_readers.hpp"
#include "upsweep/base/edit_distance.hpp"
#include "yaml_choice.hpp"

namespace upsweep {
namespace {

QuestionKind kind_of(const YamlDocument& document, const YamlNode& node) {
  return yaml_value(document, node, "a question",
                    {QuestionKind::best, QuestionKind::crossover, QuestionKind::capacity, QuestionKind::fewest_workers,
                     QuestionKind::top, QuestionKind::pareto});
}

class QuestionReader {
 public:
  QuestionReader(const YamlDocument& document, const StudySpec& spec, bool is_in_seconds)
      : document_(document), spec_(spec), is_in_seconds_(is_in_seconds) {}

  [[nodiscard]] Question read(const YamlNode& node) const {
    if (node.kind == YamlNode::Kind::scalar) return of_name(node);
    if (node.kind != YamlNode::Kind::mapping || node.children.size() != 2) {
      throw document_.error(node, fmt::format("a question is {}, accepted is its name or a mapping of one key, its "
                                              "name, to what it asks for",
                                              describe(node)));
    }
    Question question;
    question.kind = kind_of(document_, *node.children[0]);
    YamlMap map(document_, *node.children[1], to_string(question.kind));
    read_keys(map, question);
    map.finish();
    return question;
  }

 private:
  [[nodiscard]] Question of_name(const YamlNode& node) const {
    Question question;
    question.kind = kind_of(document_, node);
    if (question.kind == QuestionKind::crossover || question.kind == QuestionKind::capacity) {
      throw document_.error(node, fmt::format("{} is asked without an axis, accepted is {}: {{along: AXIS}}",
                                              to_string(question.kind), to_string(question.kind)));
    }
    if (question.kind == QuestionKind::fewest_workers) {
      throw document_.error(node, fmt::format("fewest_workers is asked without a target, accepted is fewest_workers: "
                                              "{{{}: NUMBER}}",
                                              is_in_seconds_ ? "target_ms" : "target_flops"));
    }
    return question;
  }

  void read_keys(YamlMap& map, Question& question) const {
    switch (question.kind) {
      case QuestionKind::best:
      case QuestionKind::pareto:
        return;
      case QuestionKind::crossover:
        read_along(map, question);
        return;
      case QuestionKind::capacity:
        read_along(map, question);
        read_memory(map, question);
        return;
      case QuestionKind::fewest_workers:
        read_target(map, question);
        return;
      case QuestionKind::top:
        question.count = map.find_integer("count", 1, kMostPoints).value_or(question.count);
        if (const YamlNode* by = map.find("by")) {
          question.by =
              yaml_value(document_, *by, map.name("by"), {PointKey::score, PointKey::speedup, PointKey::memory});
        }
        return;
    }
  }

  [[nodiscard]] std::vector<std::string> axis_names() const {
    std::vector<std::string> names;
    for (const Axis& axis : spec_.axes) names.push_back(axis.name);
    return names;
  }

  void read_along(YamlMap& map, Question& question) const {
    const YamlNode& along = map.require("along");
    question.along = plain_path(yaml_text(document_, along, map.name("along")));
    if (!axis_named(spec_, question.along)) {
      throw document_.error(along, fmt::format("{} is {}, which is no axis{}", map.name("along"), describe(along),
                                               spec_.axes.empty() ? ": the study has no axes"
                                                                  : accepted_text(question.along, axis_names())));
    }
    if (const YamlNode* tolerance = map.find("tolerance")) {
      question.tolerance = yaml_number(document_, *tolerance, map.name("tolerance"));
      if (!(question.tolerance > 0) || question.tolerance >= 1) {
        throw document_.error(*tolerance, fmt::format("{} is {}, accepted is a number between 0 and 1",
                                                      map.name("tolerance"), describe(*tolerance)));
      }
    }
  }

  void read_memory(YamlMap& map, Question& question) const {
    if (const YamlNode* of = map.find("of")) {
      question.of = yaml_value(document_, *of, map.name("of"),
                               {MemoryOf::best, MemoryOf::plain, MemoryOf::scan, MemoryOf::bppsa, MemoryOf::pipeline});
    }
    std::map<std::string, std::string> sources;
    QuantityReader quantities(map, "", sources);
    if (const auto bytes = quantities.find("memory", kMemoryUnits, kByteCount))
      question.memory_bytes = static_cast<std::uint64_t>(std::llround(*bytes));
  }

  void read_target(YamlMap& map, Question& question) const {
    const auto axis = std::find_if(spec_.axes.begin(), spec_.axes.end(), [](const Axis& a) {
      return std::any_of(a.columns.begin(), a.columns.end(), [](const AxisColumn& c) { return c.path == "workers"; });
    });
    if (axis == spec_.axes.end()) {
      throw document_.error(map.node(),
                            fmt::format("fewest_workers needs an axis with the path 'workers', found are "
                                        "axes {}",
                                        spec_.axes.empty() ? "none, for the study has no axes"
                                                           : fmt::format("{}", fmt::join(axis_names(), ", "))));
    }
    question.along = axis->name;
    const YamlNode* flops = map.find("target_flops");
    if ((flops != nullptr) == is_in_seconds_) {
      throw document_.error(map.node(), is_in_seconds_ ? "target_flops of fewest_workers stands in a study whose "
                                                         "scores are seconds, accepted is target_s, _ms, _us or _ns"
                                                       : "fewest_workers has no target_flops, accepted is that key: "
                                                         "without a machine and the objective time, scores are FLOPs");
    }
    if (flops != nullptr) {
      question.target_score = yaml_number(document_, *flops, map.name("target_flops"));
      if (question.target_score > 0) return;
      throw document_.error(*flops, fmt::format("{} is {}, accepted is a finite number above 0",
                                                map.name("target_flops"), describe(*flops)));
    }
    std::map<std::string, std::string> sources;
    question.target_score = QuantityReader(map, "", sources).require("target", kTimeUnits, kPositive);
  }

  const YamlDocument& document_;
  const StudySpec& spec_;
  bool is_in_seconds_;
};

/// The error of a constraint that would read what the base has and not what an axis sets.
std::invalid_argument set_elsewhere(const std::string& axis_path, const std::string& path) {
  const bool is_readable = axis_path.find('*') == std::string::npos;
  return std::invalid_argument(
      fmt::format("the axis over '{}' sets what the constraint reads as '{}', accepted is {}", axis_path, path,
                  is_readable ? "the path as the axis has it" : "an axis over that path alone, without [*]"));
}

}  // namespace

std::vector<Constraint> read_constraints(const YamlDocument& document, const YamlNode& node,
                                         const StudyDocuments& documents, const StudySpec& spec) {
  std::vector<Constraint> constraints;
  AxisFields fields(documents);
  std::vector<std::string> names = setting_names();
  for (const Axis& axis : spec.axes) {
    for (const AxisColumn& column : axis.columns) {
      static_cast<void>(fields.add(column.path));
      names.push_back(column.path);
    }
  }
  const auto add = [&](const YamlNode& text) {
    std::string hint;
    try {
      constraints.emplace_back(yaml_text(document, text, "a constraint"));
      // Says which of its paths has no number.
      static_cast<void>(constraints.back().holds([&](const std::string& path) -> std::optional<double> {
        if (const auto other = fields.other_path(path)) throw set_elsewhere(*other, path);
        if (has_number(documents, spec, path)) return 1.0;
        std::vector<std::string> numbers;
        std::ranges::copy_if(names, std::back_inserter(numbers),
                             [&](const std::string& name) { return has_number(documents, spec, name); });
        hint = hint_of(path, numbers);
        return std::nullopt;
      }));
    } catch (const std::invalid_argument& error) {
      throw document.error(text, error.what() + hint);
    }
  };
  if (node.kind != YamlNode::Kind::sequence) {
    add(node);
  } else {
    for (const auto& item : node.children) add(*item);
  }
  return constraints;
}

std::vector<Question> read_questions(const YamlDocument& document, const YamlNode& list, const StudySpec& spec,
                                     bool is_in_seconds) {
  const QuestionReader reader(document, spec, is_in_seconds);
  std::vector<Question> questions;
  for (const auto& item : yaml_list(document, list, "questions", "question")) questions.push_back(reader.read(*item));
  return questions;
}

}  // namespace upsweep
