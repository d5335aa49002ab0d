#include "upsweep/io/study_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "named_file.hpp"
#include "path_steps.hpp"
#include "regular_file.hpp"
#include "study_readers.hpp"
#include "upsweep/base/near_file.hpp"
#include "upsweep/grid/grid.hpp"
#include "upsweep/io/content_hash.hpp"
#include "upsweep/io/preset_machines.hpp"
#include "upsweep/io/text_file.hpp"

namespace upsweep {
namespace {

// A longer list of axes and values than anybody writes.
constexpr std::uint64_t kMostStudyBytes = std::uint64_t{64} << 20;

/// Text that is the same for trees that mean the same: without lines, with keys in their order.
void add_canonical(const YamlNode& node, std::string& text) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      text += '~';
      return;
    case YamlNode::Kind::scalar:
      text += fmt::format("{}{}:{}", node.quoted ? '"' : '=', node.text.size(), node.text);
      return;
    case YamlNode::Kind::sequence:
      text += '[';
      for (const auto& item : node.children) add_canonical(*item, text);
      text += ']';
      return;
    case YamlNode::Kind::mapping: {
      std::vector<std::size_t> keys;
      for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) keys.push_back(i);
      std::sort(keys.begin(), keys.end(),
                [&](std::size_t a, std::size_t b) { return node.children[a]->text < node.children[b]->text; });
      text += '{';
      for (const std::size_t i : keys) {
        add_canonical(*node.children[i], text);
        add_canonical(*node.children[i + 1], text);
      }
      text += '}';
      return;
    }
  }
}

void add_document(ContentHash& hash, std::string_view name, const YamlDocument& document) {
  std::string text;
  add_canonical(*document.root, text);
  hash.add(name, text);
}

/// A model or machine: a file by its path, a machine by the name of a preset, or a mapping of the study. `place` is
/// where its node stands in `base`.
YamlDocument read_part(const YamlDocument& study, const YamlNode& base, const std::string& key) {
  const std::shared_ptr<const YamlNode>& node = base.children[*value_place(base, key)];
  if (node->kind == YamlNode::Kind::mapping) return {study.file, node};
  const std::string name = yaml_text(study, *node, key + " of base");
  const std::optional<std::string> path = key == "machine" ? named_file(name, study.file) : beside(study.file, name);
  if (!path) {
    return study.at(
        *node, [&] { return machine_document(name, study.file); }, fmt::format("machine of base is '{}': ", name));
  }
  if (std::error_code error; !std::filesystem::exists(*path, error)) {
    throw study.error(*node, fmt::format("{} of base is '{}', and there is no file {}{}; accepted is a {} file, or a "
                                         "mapping of what stands in one",
                                         key, node->text, *path, near_file(*path), key));
  }
  return read_yaml(*path);
}

/// Documents that an axis over `key` names; those that cannot be read make points that say why.
void add_axis_documents(const StudyFile& study, const std::string& key, std::vector<YamlDocument>& documents) {
  for (const Axis& axis : study.spec.axes) {
    for (const AxisColumn& column : axis.columns) {
      if (column.path != key) continue;
      for (const AxisValue& value : column.values) {
        try {
          documents.push_back(key == "machine" ? machine_document(value.text, study.file)
                                               : read_yaml(beside(study.file, value.text)));
        } catch (const InputError&) {
          continue;
        } catch (const std::invalid_argument&) {
          continue;
        }
      }
    }
  }
}

StudyDocuments documents_of(const StudyFile& study) {
  StudyDocuments documents;
  documents.file = study.file;
  documents.models = {study.model};
  if (study.machine) documents.machines = {*study.machine};
  add_axis_documents(study, "model", documents.models);
  add_axis_documents(study, "machine", documents.machines);
  return documents;
}

void read_base(const YamlDocument& document, const YamlNode& node, StudyFile& study) {
  YamlMap base(document, node, "base");
  static_cast<void>(base.require("model"));
  const bool has_machine = base.find("machine") != nullptr;
  study.spec.base = read_base_settings(base);
  base.finish();
  study.model = read_part(document, node, "model");
  if (has_machine) study.machine = read_part(document, node, "machine");
}

/// The base has to be valid on its own; says so at the file that is wrong.
void check_base(const StudyFile& study) {
  const bool needs_numbers = study.spec.base.pattern == PatternKind::sample;
  static_cast<void>(model_with(study.model, {}, study.file, needs_numbers));
  if (study.machine) static_cast<void>(machine_with(&*study.machine, {}, study.file));
}

void read_grid(const YamlDocument& document, const YamlNode* axes, const YamlNode* constraints, StudyFile& study) {
  std::vector<PlacedAxis> placed;
  if (axes != nullptr) placed = read_axes(document, *axes);
  for (const PlacedAxis& axis : placed) study.spec.axes.push_back(axis.axis);
  document.at(axes == nullptr ? *document.root : *axes, [&] { static_cast<void>(grid_of(study.spec.axes)); });
  const StudyDocuments documents = documents_of(study);
  check_paths(document, documents, placed);
  if (constraints != nullptr) study.spec.constraints = read_constraints(document, *constraints, documents, study.spec);
  ContentHash hash;
  add_document(hash, "study", document);
  for (const YamlDocument& model : documents.models) add_document(hash, "model", model);
  for (const YamlDocument& machine : documents.machines) add_document(hash, "machine", machine);
  study.content_hash = hash.text();
}

bool has_axis_of(const StudySpec& spec, const char* path) {
  return std::any_of(spec.axes.begin(), spec.axes.end(), [path](const Axis& axis) {
    return std::any_of(axis.columns.begin(), axis.columns.end(),
                       [path](const AxisColumn& column) { return column.path == path; });
  });
}

/// Whether every point has shared ops on the pram of the base.
bool shares_ops_of_a_pram(const StudyFile& study) {
  const StudySpec& spec = study.spec;
  if (!study.machine || spec.base.point.ops == Ops::whole) return false;
  for (const char* path : {"ops", "machine", "machine.kind"}) {
    if (has_axis_of(spec, path)) return false;
  }
  return machine_with(&*study.machine, {}, study.file).kind == MachineKind::pram;
}

StudyFile read_study_text(std::string text, const std::string& path) {
  std::istringstream in(text);
  const YamlDocument document = parse_yaml(in, path);
  StudyFile study;
  study.file = path;
  study.text = std::move(text);
  YamlMap map(document, *document.root, "the study");
  study.spec.name = map.name_or_stem();
  study.spec.description = map.find_text("description").value_or(study.spec.description);
  const YamlNode& base = map.require("base");
  const YamlNode* axes = map.find("axes");
  const YamlNode* constraints = map.find("constraints");
  const YamlNode* questions = map.find("questions");
  map.finish();
  read_base(document, base, study);
  check_base(study);
  read_grid(document, axes, constraints, study);
  study.spec.questions = {Question{}};
  if (questions != nullptr)
    study.spec.questions = read_questions(document, *questions, study.spec, scores_in_seconds(study));
  return study;
}

}  // namespace

bool scores_in_seconds(const StudyFile& study) {
  if (study.spec.base.point.objective != Objective::time || shares_ops_of_a_pram(study)) return false;
  return study.machine || has_axis_of(study.spec, "machine");
}

StudyFile load_study(const std::string& path) {
  RegularFile file = open_regular_file(path, "a study file");
  if (file.length > kMostStudyBytes) {
    throw InputError(
        fmt::format("{}: the file has {} bytes, accepted are at most {}", path, file.length, kMostStudyBytes));
  }
  return load_study(file.stream, path);
}

StudyFile load_study(std::istream& in, const std::string& path) {
  return read_study_text(std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()), path);
}

}  // namespace upsweep
