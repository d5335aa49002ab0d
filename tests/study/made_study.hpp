#pragma once

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/io/study_file.hpp"
#include "upsweep/io/yaml.hpp"

namespace upsweep::testing {

inline YamlDocument document(const std::string& text, const std::string& file = "made.yaml") {
  std::istringstream in(text);
  return parse_yaml(in, file);
}

/// A study put together by hand, without a study file.
inline StudyFile made_study(const std::string& model, const std::string& machine = {}) {
  StudyFile study;
  study.file = "made.yaml";
  study.model = document(model);
  if (!machine.empty()) study.machine = document(machine);
  return study;
}

inline AxisColumn numbers(const std::string& path, const std::vector<double>& values) {
  AxisColumn column{path, false, {}};
  for (const double value : values) column.values.push_back(axis_value(value));
  return column;
}

inline AxisColumn factors(const std::string& path, const std::vector<double>& values) {
  AxisColumn column = numbers(path, values);
  column.is_factor = true;
  return column;
}

inline AxisColumn texts(const std::string& path, const std::vector<std::string>& values) {
  AxisColumn column{path, false, {}};
  for (const std::string& value : values) column.values.push_back({value});
  return column;
}

/// Adds an axis of one column.
inline void add_axis(StudyFile& study, AxisColumn column) {
  const std::string name = column.path;
  study.spec.axes.push_back({name, {std::move(column)}});
}

inline constexpr const char* kChain = "name: made\nchain: {length: 100, size: 4, kind: dense}\n";

inline constexpr const char* kMachine =
    "name: made\nkind: pram\nmemory_MiB: 64\nprovenance: {origin: definition}\n"
    "rates:\n  - {workers: 64, op_latency_us: 2, level_latency_us: 3}\n";

inline constexpr const char* kNetwork =
    "name: made\ninput: [12]\nweights: {init: he_normal, seed: 1, prune: {method: magnitude_global, sparsity: 0.5}}\n"
    "sample: {count: 2, seed: 1}\n"
    "operators:\n  - linear: {name: first, out_features: 8}\n  - relu: {name: on}\n"
    "  - linear: {name: second, out_features: 6}\n  - tanh\n  - linear: {name: third, out_features: 4}\n";

}  // namespace upsweep::testing
