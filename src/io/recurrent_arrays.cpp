#include "recurrent_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "upsweep/io/npy.hpp"
#include "upsweep/io/text_file.hpp"
#include "upsweep/network/shape.hpp"

namespace upsweep {
namespace {

namespace fs = std::filesystem;

/// An array of finite numbers; its errors are at the node that asked for it.
NpyArray read_array(const YamlDocument& document, const YamlNode& node, const fs::path& file) {
  return document.at<InputError>(node, [&] { return read_finite_npy(file.string()); });
}

/// The labels of a sample, each a class.
std::vector<std::uint32_t> class_labels(const YamlDocument& document, const YamlNode& node, const NpyArray& array,
                                        std::uint64_t samples, std::size_t classes) {
  if (array.shape != Shape{samples}) {
    throw document.error(node, fmt::format("labels have shape {}, accepted is {}: one per sequence of the inputs",
                                           to_string(array.shape), to_string(Shape{samples})));
  }
  std::vector<std::uint32_t> labels;
  for (const double label : array.to_doubles()) {
    if (!(label >= 0 && label < static_cast<double>(classes)) || label != std::floor(label)) {
      throw document.error(node, fmt::format("label {} of sequence {}, accepted are the integers 0 to {}", label,
                                             labels.size(), classes - 1));
    }
    labels.push_back(static_cast<std::uint32_t>(label));
  }
  return labels;
}

}  // namespace

CellWeights<double> read_values(const YamlDocument& document, const YamlNode& node, const CellShape& shape,
                                ContentHash& hash) {
  const fs::path folder = beside(document.file, yaml_text(document, node, "values of weights"));
  if (!fs::is_directory(folder)) {
    throw document.error(
        node, fmt::format("values of weights: {} is no folder, accepted is one of .npy files", folder.string()));
  }
  if (fs::exists(folder / "weight_ih_l1.npy") || fs::exists(folder / "weight_ih_l0_reverse.npy")) {
    throw document.error(node,
                         fmt::format("values of weights: {} has weights of more layers or directions, accepted is one "
                                     "layer in one direction",
                                     folder.string()));
  }
  const std::uint64_t sums = shape.gates() * shape.hidden;
  struct Entry {
    const char* name;
    Shape shape;
    bool is_optional;
  };
  const std::vector<Entry> entries = {{"weight_ih_l0", {sums, shape.input}, false},
                                      {"weight_hh_l0", {sums, shape.hidden}, false},
                                      {"bias_ih_l0", {sums}, true},
                                      {"bias_hh_l0", {sums}, true},
                                      {"head", {shape.classes, shape.hidden}, false},
                                      {"head.bias", {shape.classes}, true}};
  CellWeights<double> weights = zero_weights<double>(shape);
  for (std::size_t a = 0; a < entries.size(); ++a) {
    const Entry& entry = entries[a];
    const fs::path file = folder / fmt::format("{}.npy", entry.name);
    if (entry.is_optional && !fs::exists(file)) continue;
    const NpyArray array = read_array(document, node, file);
    if (array.shape != entry.shape) {
      throw document.error(node, fmt::format("{} has shape {}, accepted is {}", file.string(), to_string(array.shape),
                                             to_string(entry.shape)));
    }
    const std::vector<double> numbers = array.to_doubles();
    std::copy(numbers.begin(), numbers.end(), weights.arrays()[a].begin());
    hash.add(entry.name, std::as_bytes(std::span(numbers)));
  }
  return weights;
}

RecurrentSample read_sample(const YamlDocument& document, const YamlNode& node, const CellShape& shape,
                            ContentHash& hash) {
  YamlMap map(document, node, "sample");
  const YamlNode& inputs = map.require("inputs");
  const YamlNode& labels = map.require("labels");
  map.finish();
  const NpyArray array =
      read_array(document, inputs, beside(document.file, yaml_text(document, inputs, map.name("inputs"))));
  if (array.shape.size() != 3 || array.shape[0] == 0 || array.shape[1] == 0 || array.shape[2] != shape.input) {
    throw document.error(inputs, fmt::format("inputs have shape {}, accepted is [samples, steps, {}]",
                                             to_string(array.shape), shape.input));
  }
  RecurrentSample sample{array.shape[0], array.shape[1], array.to_doubles(), {}};
  sample.labels =
      class_labels(document, labels,
                   read_array(document, labels, beside(document.file, yaml_text(document, labels, map.name("labels")))),
                   sample.samples, shape.classes);
  hash.add("inputs", std::as_bytes(std::span(sample.inputs)));
  hash.add("labels", std::as_bytes(std::span(sample.labels)));
  return sample;
}

}  // namespace upsweep
