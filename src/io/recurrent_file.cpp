#include "upsweep/io/recurrent_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "recurrent_arrays.hpp"
#include "upsweep/io/content_hash.hpp"
#include "upsweep/io/yaml.hpp"
#include "upsweep/recurrent/stacked.hpp"
#include "yaml_choice.hpp"

namespace upsweep {
namespace {

constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 39U;
constexpr std::uint64_t kMostExtent = 65'536;  // of inputs, hidden states, classes
constexpr std::uint64_t kMostBatch = 1'000'000;

std::uint64_t extent(YamlMap& map, const char* key, std::uint64_t least, std::uint64_t most) {
  return map.integer(key, least, most);
}

/// `layers` of the cell, if it says any; `fused` is already read.
void read_layers(YamlMap& map, Layers accepted, RecurrentModel& model) {
  const YamlNode* layers = map.find("layers");
  if (layers == nullptr) return;
  const YamlDocument& document = map.document();
  model.layers = yaml_integer(document, *layers, map.name("layers"), 1, kMostLayers);
  if (model.layers == 1) return;
  if (accepted == Layers::one) {
    throw document.error(*layers, fmt::format("{} is {}, accepted is 1: stacks of layers are counted by profile and "
                                              "search, but not run",
                                              map.name("layers"), model.layers));
  }
  if (!model.is_fused) {
    throw document.error(*layers, fmt::format("{} is {} with fused: false, accepted is fused: true: the blocks of a "
                                              "stack are whole Jacobians",
                                              map.name("layers"), model.layers));
  }
}

void read_cell(const YamlDocument& document, const YamlNode& node, Layers accepted, RecurrentModel& model) {
  YamlMap map(document, node, "recurrent");
  const bool is_gru = yaml_choice(document, map.require("cell"), map.name("cell"), {"rnn", "gru"}) == 1;
  model.shape.kind = is_gru ? CellKind::gru : CellKind::rnn;
  model.shape.input = extent(map, "input_size", 1, kMostExtent);
  model.shape.hidden = extent(map, "hidden_size", 1, kMostExtent);
  model.steps = extent(map, "steps", 2, kMostSteps);
  model.batch = map.find_integer("batch", 1, kMostBatch).value_or(model.batch);
  if (const YamlNode* nonlinearity = map.find("nonlinearity")) {
    if (is_gru) {
      throw document.error(*nonlinearity, map.name("nonlinearity") +
                                              " of a gru, accepted is that of an rnn: the gates "
                                              "of a gru have their own");
    }
    const bool is_relu = yaml_choice(document, *nonlinearity, map.name("nonlinearity"), {"tanh", "relu"}) == 1;
    model.shape.nonlinearity = is_relu ? Nonlinearity::relu : Nonlinearity::tanh;
  }
  if (const YamlNode* fused = map.find("fused")) {
    model.is_fused = yaml_boolean(document, *fused, map.name("fused"));
    if (is_gru && !model.is_fused) {
      throw document.error(*fused,
                           map.name("fused") + " is false of a gru, accepted is true: its step is one Jacobian");
    }
  }
  read_layers(map, accepted, model);
  map.finish();
}

void read_weights(const YamlDocument& document, const YamlNode& node, RecurrentModel& model, ContentHash& hash) {
  YamlMap map(document, node, "weights");
  const YamlNode* seed = map.find("seed");
  const YamlNode* values = map.find("values");
  if ((seed == nullptr) == (values == nullptr))
    throw document.error(node, "weights has neither or both of seed and values, accepted is one of them");
  if (seed != nullptr) model.seed = yaml_integer(document, *seed, map.name("seed"));
  if (values != nullptr && model.layers > 1)
    throw document.error(*values, "values of weights of a stack of layers, accepted is seed");
  if (values != nullptr) model.values = read_values(document, *values, model.shape, hash);
  map.finish();
}

/// A number of a file as a T. Throws InputError where it is none.
template <class T>
T rounded(double x, const RecurrentModel& model, const char* what) {
  const auto number = static_cast<T>(x);
  if (std::isfinite(number)) return number;
  throw InputError(fmt::format("{}: {} is {:g}, accepted are numbers that {} holds; dtype: fp64 holds more", model.file,
                               what, x, sizeof(T) == sizeof(float) ? "fp32" : "fp64"));
}

}  // namespace

RecurrentModel load_recurrent(const YamlDocument& document, Layers accepted) {
  RecurrentModel model;
  model.file = document.file;
  YamlMap map(document, *document.root, "a recurrent model file");
  model.name = map.text("name");
  model.value_bytes = yaml_value_bytes(document, map.find("dtype"));
  read_cell(document, map.require("recurrent"), accepted, model);
  YamlMap head(document, map.require("head"), "head");
  model.shape.classes = extent(head, "out_features", 1, kMostExtent);
  head.finish();
  ContentHash hash;
  if (const YamlNode* weights = map.find("weights")) read_weights(document, *weights, model, hash);
  if (const YamlNode* sample = map.find("sample")) model.sample = read_sample(document, *sample, model.shape, hash);
  map.finish();
  hash.add("recurrent", fmt::format("{} {} input {} hidden {} classes {} steps {} batch {} fused {} bytes {} seed {}",
                                    to_string(model.shape.kind), to_string(model.shape.nonlinearity), model.shape.input,
                                    model.shape.hidden, model.shape.classes, model.steps, model.batch, model.is_fused,
                                    model.value_bytes, model.seed));
  if (model.layers > 1) hash.add("layers", fmt::format("{}", model.layers));  // of one layer, hashes stay as they were
  model.content_hash = hash.text();
  return model;
}

template <class T>
CellWeights<T> recurrent_weights(const RecurrentModel& model) {
  if (!model.values) return initial_weights<T>(model.shape, model.seed);
  CellWeights<T> weights = zero_weights<T>(model.shape);
  for (std::size_t a = 0; a < weights.arrays().size(); ++a) {
    std::transform(model.values->arrays()[a].begin(), model.values->arrays()[a].end(), weights.arrays()[a].begin(),
                   [&](double x) { return rounded<T>(x, model, "a weight"); });
  }
  return weights;
}

template <class T>
SequenceBatch<T> recurrent_batch(const RecurrentModel& model, std::uint64_t seed) {
  const CellWeights<T> weights = recurrent_weights<T>(model);
  if (!model.sample) return random_batch<T>(weights, model.steps, model.batch, seed);
  const RecurrentSample& sample = *model.sample;
  if (sample.steps < model.steps || sample.samples < model.batch) {
    throw InputError(
        fmt::format("{}: sample has {} sequences of {} steps, accepted are at least the {} of {} steps that "
                    "the model asks for",
                    model.file, sample.samples, sample.steps, model.batch, model.steps));
  }
  const std::size_t input = model.shape.input;
  SequenceBatch<T> batch{weights,
                         model.steps,
                         std::vector<T>(model.steps * model.batch * input),
                         {sample.labels.begin(), sample.labels.begin() + static_cast<std::ptrdiff_t>(model.batch)}};
  for (std::size_t b = 0; b < model.batch; ++b) {
    for (std::size_t t = 0; t < model.steps; ++t) {
      std::transform(sample.inputs.begin() + static_cast<std::ptrdiff_t>((b * sample.steps + t) * input),
                     sample.inputs.begin() + static_cast<std::ptrdiff_t>((b * sample.steps + t + 1) * input),
                     batch.inputs.begin() + static_cast<std::ptrdiff_t>((t * model.batch + b) * input),
                     [&](double x) { return rounded<T>(x, model, "an input"); });
    }
  }
  return batch;
}

template CellWeights<float> recurrent_weights<float>(const RecurrentModel&);
template CellWeights<double> recurrent_weights<double>(const RecurrentModel&);
template SequenceBatch<float> recurrent_batch<float>(const RecurrentModel&, std::uint64_t);
template SequenceBatch<double> recurrent_batch<double>(const RecurrentModel&, std::uint64_t);

}  // namespace upsweep
