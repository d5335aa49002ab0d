#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/grid/study_spec.hpp"
#include "upsweep/io/yaml.hpp"

namespace upsweep {

/// The documents that the paths of a study lead into.
struct StudyDocuments {
  std::string file;                    ///< of the study, to whose folder files are relative
  std::vector<YamlDocument> models;    ///< of the base, then of the values of axes over `model` that can be read
  std::vector<YamlDocument> machines;  ///< likewise; none where there is no machine
};

/// An axis with the places of its paths in the file.
struct PlacedAxis {
  Axis axis;
  std::vector<const YamlNode*> paths;  ///< of each column
};

/// What a path of a study leads into, and the rest of it; neither model nor machine: a setting, or nothing.
struct PathTarget {
  bool is_model = false;
  bool is_machine = false;
  std::string below;  ///< empty: the whole document
};
[[nodiscard]] PathTarget path_target(const std::string& path);

/// The fields of the models and machines of a study that its axes set, whatever the paths call them.
class AxisFields {
 public:
  /// `documents` must outlive this object.
  explicit AxisFields(const StudyDocuments& documents) : documents_(documents) {}

  /// Takes the path of a column in. Returns an earlier one that sets the same field, one around it or one inside it.
  std::optional<std::string> add(const std::string& path);

  /// A path of an axis, other than this one, that sets what this one leads to. Throws std::invalid_argument for bad
  /// syntax.
  [[nodiscard]] std::optional<std::string> other_path(const std::string& path) const;

 private:
  const StudyDocuments& documents_;
  std::map<std::string, std::string> paths_;  // by field
};

/// The path of a machine's document that a path below `machine` means: "rates[*].op_latency_us" of "launch_latency_us".
[[nodiscard]] std::string machine_path(const std::string& path);

/// "workers" for "machine.workers", other paths as they are.
[[nodiscard]] std::string plain_path(const std::string& path);

/// A scalar of the file as a value. Throws InputError for what is no scalar, and for NaN and infinity.
[[nodiscard]] AxisValue scalar_value(const YamlDocument& document, const YamlNode& node, const std::string& what);

/// Reads the settings of `base`; `model` and `machine` are the caller's. Throws InputError.
[[nodiscard]] StudySettings read_base_settings(YamlMap& base);

/// Reads the list `axes`. Throws InputError; paths need not exist yet.
[[nodiscard]] std::vector<PlacedAxis> read_axes(const YamlDocument& document, const YamlNode& list);

/// Throws InputError for the first path that does not exist, with the nearest that does, or that sets a field which
/// another one sets.
void check_paths(const YamlDocument& document, const StudyDocuments& documents, const std::vector<PlacedAxis>& axes);

/// Whether a path has a number by itself: on an axis, as a setting, or in the documents.
[[nodiscard]] bool has_number(const StudyDocuments& documents, const StudySpec& spec, const std::string& path);

/// Reads `constraints`, a text or a list of them. Throws InputError, also for a path without a number, and for one of a
/// field that an axis sets by another path.
[[nodiscard]] std::vector<Constraint> read_constraints(const YamlDocument& document, const YamlNode& node,
                                                       const StudyDocuments& documents, const StudySpec& spec);

/// Reads the list `questions` of a study whose axes and base are read. Throws InputError. `is_in_seconds`: what scores
/// are.
[[nodiscard]] std::vector<Question> read_questions(const YamlDocument& document, const YamlNode& list,
                                                   const StudySpec& spec, bool is_in_seconds);

}  // namespace upsweep
