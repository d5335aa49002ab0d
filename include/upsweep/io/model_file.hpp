#pragma once

#include <optional>
#include <string>
#include <vector>

#include "upsweep/base/error.hpp"
#include "upsweep/io/seeded_masks.hpp"
#include "upsweep/io/yaml.hpp"
#include "upsweep/network/network.hpp"
#include "upsweep/network/sample.hpp"
#include "upsweep/network/weights.hpp"
#include "upsweep/onnx/import.hpp"

namespace upsweep {

/// A model file, read and checked.
struct Model {
  std::string file;  ///< as errors name it
  std::string name;
  unsigned value_bytes = 4;  ///< 4 for fp32, 8 for fp64
  Network network;
  std::vector<int> lines;  ///< of the operators, in the order of the network; empty where the file has no lines
  NetworkWeights weights;
  std::optional<SampleInputs> sample;  ///< where the file has `sample`, or under Numbers::run
  std::string content_hash;  ///< of operators (their names seed numbers), what they read, sizes, arrays and seeds; not
                             ///< of the model's name, comments or layout of the file
  std::optional<ImportFacts> import = {};   ///< of an ONNX file
  std::optional<ForwardMacs> forward = {};  ///< of an ONNX file

  /// The error of an operator of the network at its place in the file.
  [[nodiscard]] InputError located(const OperatorError& error) const {
    if (lines.empty()) return InputError(file + ": " + error.what());
    return {file, lines[error.index()], error.what()};
  }
  /// What `work` on the network gives; an OperatorError that it throws is located().
  template <class Work>
  auto at_operators(const Work& work) const {
    try {
      return work();
    } catch (const OperatorError& error) {
      throw located(error);
    }
  }
};

/// Whether a run needs numbers, or structure alone.
enum class Numbers {
  structure,  ///< masks and zeros; seeded numbers only while pruning needs them
  needed,     ///< the values of every weight, and the sample inputs
  run,        ///< the same; without `sample` in the file, one standard normal input of seed 0
};

/// Reads a model file and the arrays that it names; the format is in docs/model-files.md. Masks of seeded weights are
/// taken from `masks` where they are there.
///
/// Throws InputError, one line that names file, line, operator, what was found and what is accepted; under
/// Numbers::needed also where the file has no `sample`.
[[nodiscard]] Model load_network(const YamlDocument& document, Numbers numbers, SeededMasks* masks = nullptr);

/// Reads an ONNX file. Weights that it leaves out are he_normal of seed 0 where numbers are needed, and the sample is
/// one standard normal input of seed 0. Throws InputError, one line that names file and node.
[[nodiscard]] Model load_onnx(const std::string& file, const OnnxOptions& options, Numbers numbers);

}  // namespace upsweep
