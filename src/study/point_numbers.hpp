#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "coordinates.hpp"
#include "upsweep/io/study_file.hpp"

namespace upsweep {

/// The root of a path: "model", "machine", or empty for settings.
[[nodiscard]] std::string_view root_of(std::string_view path);

/// The path below its root: "chain.length" of "model.chain.length", empty of "model".
[[nodiscard]] std::string below_root(const std::string& path);

/// The name of the setting that a path means: "workers" for "machine.workers"; empty where it means none.
[[nodiscard]] std::string setting_of(const std::string& path);

/// What constraints ask of a point that is not in its axes' values.
struct PointDefaults {
  const StudySettings& settings;                         ///< with the values of the axes
  std::function<std::optional<double>()> default_batch;  ///< of the point's model
};

/// The numbers that the constraints of a study are about: values of axes, settings, scalars of the base documents or,
/// where an axis names whole files, of those.
class PointNumbers {
 public:
  /// `study` must outlive this object.
  explicit PointNumbers(const StudyFile& study);

  /// The first constraint that does not hold, or null. Throws std::invalid_argument where a number is missing.
  [[nodiscard]] const Constraint* broken(const PointValues& values, const PointDefaults& defaults) const;

 private:
  /// A scalar of a document.
  struct Scalar {
    std::optional<double> number;
    bool is_whole = false;
  };
  /// Where the number at a path comes from.
  struct Source {
    std::string setting;                // where it is one
    std::optional<ColumnPlace> column;  // where an axis sets it
    std::optional<ColumnPlace> file;    // where an axis sets the whole document
    std::vector<Scalar> scalars;        // by place on the axis of `file`; else one
  };

  [[nodiscard]] Source source_of(const std::string& path) const;
  [[nodiscard]] std::vector<Scalar> scalars_of(const std::string& path, const std::optional<ColumnPlace>& file) const;
  [[nodiscard]] static std::optional<double> number(const Source& source, const PointValues& values,
                                                    const PointDefaults& defaults);

  const StudyFile& study_;
  std::unordered_map<std::string, Source> sources_;
};

}  // namespace upsweep
