#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "upsweep/base/error.hpp"
#include "upsweep/learning/optimizer.hpp"

namespace upsweep {

/// The bit-stream task: x_t ~ Bernoulli(0.05 + 0.1 c) of class c in 0..9. Source: thesis, section 4.1.
struct BitstreamData {
  std::uint64_t samples = 0;
  std::uint64_t seed = 0;
};

/// Sequences of features from files; their paths are as in the train file, relative to its folder.
struct FeatureData {
  std::string inputs;         ///< .npy, [samples, steps, input]
  std::string labels;         ///< .npy, [samples], integers
  bool is_normalized = true;  ///< every coefficient of a sample to mean 0 and variance 1 along the steps
};

/// Made-up sequences of features of the model's size; their course depends on the class.
struct SyntheticFeatureData {
  std::uint64_t samples = 0;
  std::uint64_t seed = 0;
};

/// The training set of CIFAR-10 in its binary version: data_batch_1.bin to data_batch_5.bin.
struct CifarData {
  std::string folder;  ///< ready to be opened
};

/// Made-up images of the model's size; they depend on the class.
struct SyntheticImageData {
  std::uint64_t samples = 0;
  std::uint64_t seed = 0;
};

/// The first three are for recurrent models, the others for networks of operators.
using TrainData = std::variant<BitstreamData, FeatureData, SyntheticFeatureData, CifarData, SyntheticImageData>;

/// "bitstream", "features", "synthetic_features", "images: cifar10", "images: synthetic".
[[nodiscard]] std::string kind_of(const TrainData& data);

/// The largest numbers that a train file, or an option of the command line in its place, may ask for.
struct TrainLimits {
  static constexpr std::uint64_t kBatch = 1'000'000;
  static constexpr std::uint64_t kSteps = std::uint64_t{1} << 39U;
  static constexpr std::uint64_t kIterations = 10'000'000;
};

/// Where keys of a train file stand, for errors; 0 where a key is not there or an option of the command line replaces
/// it.
struct TrainLines {
  int train = 0;
  int model = 0;
  int data = 0;
  int optimizer = 0;
  int batch = 0;
  int steps = 0;
  int backward = 0;
  int backend = 0;
};

/// A train file: one model, data, optimiser and number of iterations, and the kinds of backward pass to train it by.
struct TrainSpec {
  std::string file;  ///< as errors name it
  std::string name;
  std::string note;           ///< free text for people
  std::string model_file;     ///< path of the model file, ready to be opened
  bool is_recurrent = false;  ///< a recurrent model; otherwise a network of operators
  TrainData data;
  OptimizerSettings optimizer;
  std::optional<std::uint64_t> batch;  ///< default: the recurrent model's; a network has none, so that it is given
  std::optional<std::uint64_t> steps;  ///< T; default: the recurrent model's; never of a network
  std::uint64_t iterations = 1;

  /// Kinds of backward pass by their canonical names, at least one, all different; the first is the reference of the
  /// comparison. Recurrent: as parse_backward_method() reads and to_string() writes them. Network: as
  /// network_backward_name().
  std::vector<std::string> backward;
  std::string backend = "cpu";
  std::uint64_t shuffle_seed = 0;
  std::string content_hash;  ///< of what the curves depend on, the files that it names by their paths
  TrainLines lines;

  /// The error "FILE:LINE: message".
  [[nodiscard]] InputError error(int at_line, const std::string& message) const {
    return {file, at_line > 0 ? at_line : lines.train, message};
  }
};

}  // namespace upsweep
