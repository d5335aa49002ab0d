#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/base/content_key.hpp"
#include "upsweep/grid/grid.hpp"
#include "upsweep/io/study_file.hpp"

namespace upsweep {

/// A model or machine of a study, or why its values make none.
struct ModelVariant {
  std::shared_ptr<const StudyModel> model;  ///< null where `error` says why
  std::string hash;
  std::string error;
};
struct MachineVariant {
  std::shared_ptr<const Machine> machine;  ///< null without a machine, or where `error` says why
  std::string hash;                        ///< of its file's text; empty without a machine
  std::string error;
};

/// A size of images of a study's axes; what they do not set is that of the model.
struct StudyImage {
  std::optional<std::uint64_t> height;
  std::optional<std::uint64_t> width;
};

/// What a point is made of.
struct PointInputs {
  ModelVariant model;
  MachineVariant machine;
  StudySettings settings;
  std::string error;  ///< why the point is not valid; empty where it is
  bool is_excluded = false;
  std::string excluded_by;  ///< the constraint that does not hold
  ContentKey key{};         ///< of a valid point
  /// What the study's axis over schedules has, as it is written there; null without one.
  std::shared_ptr<const std::vector<std::string>> study_schedules = {};
  /// Sizes of images at which the study asks for the same network; null where no formulas are to be looked for.
  std::shared_ptr<const std::vector<StudyImage>> study_images = {};
};

/// A value of an axis that is not on the grid: bisection replaces the axis' number.
struct Replaced {
  std::size_t axis = 0;
  double value = 0;  ///< of an axis with one column that is a number
};

/// Makes the points of a study. Thread-safe: variants that were made last are kept, a bounded number of them.
class PointFactory {
 public:
  /// `study` must outlive this object. `tool_version` goes into the keys of points.
  PointFactory(const StudyFile& study, std::string tool_version);
  ~PointFactory();
  PointFactory(const PointFactory&) = delete;
  PointFactory& operator=(const PointFactory&) = delete;

  [[nodiscard]] const Grid& grid() const;

  /// The point at a position; invalid ones have `error`, none throws for what a user wrote.
  [[nodiscard]] PointInputs at(std::uint64_t position, const std::optional<Replaced>& replaced = {}) const;

  /// Number of the model variant of a position: points with equal numbers have equal models.
  [[nodiscard]] std::uint64_t model_number(std::uint64_t position) const;

  /// Values of the axes at a position, as a JSON object by axis name; of a zipped axis those of all its columns.
  [[nodiscard]] std::string coordinates_json(std::uint64_t position) const;

  /// Whether counting a point's products is worth work units of its own: its model is a network.
  [[nodiscard]] bool has_networks() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace upsweep
