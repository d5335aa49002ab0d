#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "upsweep/io/study_file.hpp"

namespace upsweep::testing {

/// A study of a tiny network; `axes` is the file from its axes on.
inline StudyFile network_study(const std::string& axes) {
  std::istringstream in(R"(
name: networks
base:
  model:
    name: tiny
    input: [8]
    dtype: fp32
    weights: {init: he_normal, seed: 0}
    operators:
      - linear: {name: fc1, out_features: 6}
      - relu: {name: relu1}
      - linear: {name: fc2, out_features: 4}
)" + axes);
  return load_study(in, "networks.yaml");
}

/// The same with some models, each with a number of points; neighbours differ in their models.
inline StudyFile network_study(int models, int points) {
  return network_study("axes: [{path: workers, range: {from: 1, to: " + std::to_string(points) +
                       "}}, {path: model.operators.fc1.out_features, range: {from: 1, to: " + std::to_string(models) +
                       "}}]");
}

}  // namespace upsweep::testing
