#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "study_readers.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/edit_distance.hpp"
#include "upsweep/io/study_file.hpp"
#include "upsweep/io/yaml_path.hpp"

namespace upsweep {
namespace {

// So many values of an axis are tried before a key that the base lacks counts as unknown to its reader.
constexpr std::size_t kMostTries = 8;

bool is_plain(const YamlNode& node) {
  const auto is_scalar = [](const YamlNode& n) {
    return n.kind == YamlNode::Kind::scalar || n.kind == YamlNode::Kind::null;
  };
  return is_scalar(node) ||
         (node.kind == YamlNode::Kind::sequence &&
          std::all_of(node.children.begin(), node.children.end(), [&](const auto& item) { return is_scalar(*item); }));
}

/// Checks the paths of a study's axes against its documents.
class PathChecker {
 public:
  PathChecker(const YamlDocument& study, const StudyDocuments& documents) : study_(study), documents_(documents) {}

  void check(const PlacedAxis& placed, std::size_t number) const {
    for (std::size_t c = 0; c < placed.paths.size(); ++c) {
      const AxisColumn& column = placed.axis.columns[c];
      const auto fail = [&](const std::string& what) {
        throw study_.error(*placed.paths[c], fmt::format("path '{}' of axis {} {}", column.path, number, what));
      };
      const PathTarget target = path_target(column.path);
      const bool is_document = target.is_model || target.is_machine;
      if (is_document && !target.below.empty()) {
        try {
          check_below(placed.axis, column, target, fail);
        } catch (const std::invalid_argument& error) {
          fail(fmt::format("is wrong: {}", error.what()));
        }
        continue;
      }
      const auto& settings = setting_names();
      if (!is_document && std::find(settings.begin(), settings.end(), column.path) == settings.end()) {
        if (column.path == "objective") fail("is one for the whole study, accepted is `objective` of base");
        fail(fmt::format("does not exist, the nearest that does is '{}'", nearest(column.path)));
      }
      if (column.is_factor) fail("has factors, accepted are they on numbers of the model or machine");
    }
  }

 private:
  template <class Fail>
  void check_below(const Axis& axis, const AxisColumn& column, const PathTarget& target, const Fail& fail) const {
    const std::vector<YamlDocument>& documents = target.is_model ? documents_.models : documents_.machines;
    if (documents.empty()) fail("needs a machine, and the study has none, accepted is `machine` of base");
    bool is_there = false;
    for (const YamlDocument& document : documents) {
      const std::vector<const YamlNode*> nodes = yaml_at(document, target.below);
      if (std::any_of(nodes.begin(), nodes.end(), [](const YamlNode* node) { return is_plain(*node); })) return;
      is_there = is_there || !nodes.empty();
    }
    if (is_there) {
      fail(fmt::format("leads to more than one value, accepted is a path like '{}'", nearest(column.path)));
    }
    if (std::none_of(documents.begin(), documents.end(),
                     [&](const YamlDocument& document) { return can_make(document, target.below); })) {
      fail(fmt::format("does not exist, the nearest that does is '{}'", nearest(column.path)));
    }
    const std::optional<std::string> refusal = refusal_of(axis, target);
    if (!refusal) return;
    fail(fmt::format("does not exist, the nearest that does is '{}'; made there, it is refused: {}",
                     nearest(column.path), *refusal));
  }

  /// Whether everything on the way to a path's last key is there.
  static bool can_make(const YamlDocument& document, const std::string& path) {
    try {
      static_cast<void>(yaml_with(document, path, "0"));
      return true;
    } catch (const std::invalid_argument&) {
      return false;
    }
  }

  /// Why the reader refuses the values of an axis in every document that is tried; nothing where it takes one.
  [[nodiscard]] std::optional<std::string> refusal_of(const Axis& axis, const PathTarget& target) const {
    std::optional<std::string> refusal;
    for (const YamlDocument& document : target.is_model ? documents_.models : documents_.machines) {
      for (std::size_t place = 0; place < std::min(axis.size(), kMostTries); ++place) {
        try {
          make(document, values_at(axis, place, target), target);
          return std::nullopt;
        } catch (const InputError& error) {
          if (!refusal) refusal = error.what();
        } catch (const CountOverflow& error) {
          if (!refusal) refusal = error.what();
        }
      }
    }
    return refusal;
  }

  /// The values at a place of an axis that go into the same document; columns of a zip may need each other.
  static std::vector<PathValue> values_at(const Axis& axis, std::size_t place, const PathTarget& target) {
    std::vector<PathValue> values;
    for (const AxisColumn& column : axis.columns) {
      PathTarget other = path_target(column.path);
      if (other.is_model != target.is_model || other.is_machine != target.is_machine) continue;
      values.push_back({std::move(other.below), column.values[place], column.is_factor});
    }
    return values;
  }

  void make(const YamlDocument& document, const std::vector<PathValue>& values, const PathTarget& target) const {
    if (target.is_model) {
      static_cast<void>(model_with(document, values, documents_.file, false));
    } else {
      static_cast<void>(machine_with(&document, values, documents_.file));
    }
  }

  /// The path of the study that is nearest to what stands in the file.
  [[nodiscard]] std::string nearest(const std::string& path) const {
    std::vector<std::string> candidates = setting_names();
    candidates.insert(candidates.end(), {"model", "machine"});
    const auto below = [&](const char* root) {
      const std::string start = fmt::format("{}.", root);
      return path.starts_with(start) ? path.substr(start.size()) : path;
    };
    for (const YamlDocument& document : documents_.models)
      candidates.push_back("model." + nearest_path(document, below("model")));
    for (const YamlDocument& document : documents_.machines)
      candidates.push_back("machine." + nearest_path(document, below("machine")));
    if (!documents_.machines.empty())
      candidates.insert(candidates.end(), {"machine.launch_latency_us", "machine.level_latency_us"});
    return nearest_name(path, candidates);
  }

  const YamlDocument& study_;
  const StudyDocuments& documents_;
};

bool is_number(const YamlDocument& document, const YamlNode& node) {
  if (node.kind != YamlNode::Kind::scalar) return false;
  try {
    return scalar_value(document, node, "a number").number.has_value();
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

void check_paths(const YamlDocument& document, const StudyDocuments& documents, const std::vector<PlacedAxis>& axes) {
  const PathChecker checker(document, documents);
  AxisFields fields(documents);
  for (std::size_t a = 0; a < axes.size(); ++a) {
    checker.check(axes[a], a + 1);
    for (std::size_t c = 0; c < axes[a].paths.size(); ++c) {
      const std::string& path = axes[a].axis.columns[c].path;
      const std::optional<std::string> other = fields.add(path);
      if (!other) continue;
      throw document.error(
          *axes[a].paths[c],
          fmt::format("the axes over '{}' and '{}' set the same field, accepted is one of them", *other, path));
    }
  }
}

bool has_number(const StudyDocuments& documents, const StudySpec& spec, const std::string& path) {
  const std::string plain = plain_path(path);
  for (const Axis& axis : spec.axes) {
    for (const AxisColumn& column : axis.columns) {
      if (column.path != plain) continue;
      return std::any_of(column.values.begin(), column.values.end(),
                         [](const AxisValue& value) { return value.number.has_value(); });
    }
  }
  if (plain == "batch" || setting_number(spec.base, plain)) return true;  // a batch has a default
  const PathTarget target = path_target(plain);
  if (target.below.empty()) return false;
  for (const YamlDocument& document : target.is_model ? documents.models : documents.machines) {
    const std::vector<const YamlNode*> nodes = yaml_at(document, target.below);
    if (nodes.size() == 1 && is_number(document, *nodes.front())) return true;
  }
  return false;
}

}  // namespace upsweep
