#include "upsweep/io/feature_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "recurrent_arrays.hpp"
#include "upsweep/io/content_hash.hpp"

namespace upsweep {
namespace {

std::shared_ptr<YamlNode> text_node(const TrainSpec& spec, const std::string& text) {
  auto node = std::make_shared<YamlNode>();
  node->kind = YamlNode::Kind::scalar;
  node->line = spec.lines.data;
  node->text = text;
  return node;
}

/// The mapping that a model file's `sample` would be.
YamlNode sample_node(const TrainSpec& spec, const FeatureData& features) {
  YamlNode node;
  node.kind = YamlNode::Kind::mapping;
  node.line = spec.lines.data;
  for (const std::string& text : {std::string("inputs"), features.inputs, std::string("labels"), features.labels})
    node.children.push_back(text_node(spec, text));
  return node;
}

}  // namespace

SequenceData load_features(const TrainSpec& spec, const CellShape& cell, std::size_t steps, unsigned value_bytes) {
  const auto& features = std::get<FeatureData>(spec.data);
  ContentHash hash;
  const RecurrentSample sample = read_sample({spec.file, nullptr}, sample_node(spec, features), cell, hash);
  if (sample.steps < steps) {
    throw spec.error(spec.lines.data, fmt::format("sequences of {} have {} steps, accepted are at least the {} of the "
                                                  "training",
                                                  features.inputs, sample.steps, steps));
  }
  const std::size_t length = steps * cell.input;
  std::vector<double> values;
  values.reserve(sample.samples * length);
  for (std::size_t k = 0; k < sample.samples; ++k) {
    for (const double x : std::span(sample.inputs).subspan(k * sample.steps * cell.input, length)) {
      if (value_bytes == 4 && !std::isfinite(static_cast<float>(x))) {
        throw spec.error(spec.lines.data, fmt::format("{} has {}, accepted are numbers that fp32 has, up to {}",
                                                      features.inputs, x, std::numeric_limits<float>::max()));
      }
      values.push_back(x);
    }
    if (features.is_normalized) normalize_along_steps(std::span(values).last(length), cell.input);
  }
  return SequenceData::stored({sample.samples, steps, cell.input, cell.classes}, std::move(values), sample.labels);
}

}  // namespace upsweep
