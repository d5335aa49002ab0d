#pragma once

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

/// "workers" for "machine.workers", other paths as they are.
[[nodiscard]] std::string plain_path(const std::string& path);

/// A scalar of the file as a value. Throws InputError for what is no scalar, and for NaN and infinity.
[[nodiscard]] AxisValue scalar_value(const YamlDocument& document, const YamlNode& node, const std::string& what);

/// Reads the settings of `base`; `model` and `machine` are the caller's. Throws InputError.
[[nodiscard]] StudySettings read_base_settings(YamlMap& base);

/// Reads the list `axes`. Throws InputError; paths need not exist yet.
[[nodiscard]] std::vector<PlacedAxis> read_axes(const YamlDocument& document, const YamlNode& list);

/// Throws InputError for the first path that does not exist, with the nearest that does.
void check_paths(const YamlDocument& document, const StudyDocuments& documents, const std::vector<PlacedAxis>& axes);

/// Whether a path has a number by itself: on an axis, as a setting, or in the documents.
[[nodiscard]] bool has_number(const StudyDocuments& documents, const StudySpec& spec, const std::string& path);

/// Reads `constraints`, a text or a list of them. Throws InputError, also for a path without a number.
[[nodiscard]] std::vector<Constraint> read_constraints(const YamlDocument& document, const YamlNode& node,
                                                       const StudyDocuments& documents, const StudySpec& spec);

/// Reads the list `questions` of a study whose axes and base are read. Throws InputError. `is_in_seconds`: what scores
/// are.
[[nodiscard]] std::vector<Question> read_questions(const YamlDocument& document, const YamlNode& list,
                                                   const StudySpec& spec, bool is_in_seconds);

}  // namespace upsweep
