#pragma once

#include <istream>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "upsweep/grid/study_spec.hpp"
#include "upsweep/io/chain_file.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/io/yaml.hpp"
#include "upsweep/machine/machine.hpp"

namespace upsweep {

/// A study file, read and checked.
struct StudyFile {
  std::string file;  ///< as errors name it
  std::string text;  ///< of the file
  StudySpec spec;
  YamlDocument model;                   ///< of the base; `file` is where its paths are relative to
  std::optional<YamlDocument> machine;  ///< of the base, where it has one
  std::string content_hash;  ///< of the YAML that the study and its models and machines are, but comments and layout;
                             ///< not of the arrays that a model names (masks, weights, samples)
};

/// Whether the scores of a study are seconds: its objective is time, and it has a machine, of the base or of an axis;
/// those of points with shared ops on a pram are FLOPs nevertheless. Else, and where all points are such, they are
/// FLOPs.
[[nodiscard]] bool scores_in_seconds(const StudyFile& study);

/// Reads a study file; the format is in docs/studies.md. Every path of an axis exists, in the base or as a key that its
/// reader accepts, and every value of the base is valid on its own.
///
/// Throws InputError, "FILE:LINE: what is wrong, what was found, what is accepted"; of a path that does not exist with
/// the nearest that does; of a grid that is empty or has more than kMostPoints points with their number.
[[nodiscard]] StudyFile load_study(const std::string& path);

/// The same from a stream; `path` stands for it in errors, and paths in it are relative to the folder of `path`.
[[nodiscard]] StudyFile load_study(std::istream& in, const std::string& path);

/// Whether a column of an axis counts something, so that whole numbers are all that it may be: workers, the batch, what
/// the base model writes as a whole number or leaves out, and what of a machine has no unit and is so written. Factors
/// and quantities, as a latency and a memory limit, are no counts, whole as their values may be.
[[nodiscard]] bool is_count(const StudyFile& study, const AxisColumn& column);

/// A value for a path below the model or machine.
struct PathValue {
  std::string path;  ///< without "model." or "machine."; empty: the whole document is that of the file `value`
  AxisValue value;
  bool is_factor = false;  ///< see AxisColumn
};

/// A model of a study.
using StudyModel = std::variant<Model, ChainModel>;

/// The model of `base` with these values, in their order but for whole documents, which come first. `folder_of` is the
/// study file, to whose folder files in values are relative.
///
/// Throws InputError where that is no valid model. Numbers as Numbers::needed where `needs_numbers`; `masks` as
/// load_network() has it.
[[nodiscard]] StudyModel model_with(const YamlDocument& base, std::span<const PathValue> values,
                                    const std::string& folder_of, bool needs_numbers, SeededMasks* masks = nullptr);

/// The machine of `base` (null: none, and a value has to name its file) with these values. "launch_latency_us" stands
/// for the op latency of all rates, "level_latency_us" for their level latency, whatever unit stands there. Throws
/// InputError.
[[nodiscard]] Machine machine_with(const YamlDocument* base, std::span<const PathValue> values,
                                   const std::string& folder_of);

}  // namespace upsweep
