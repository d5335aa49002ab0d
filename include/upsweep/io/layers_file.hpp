#pragma once

#include <string>
#include <vector>

#include "upsweep/io/yaml.hpp"
#include "upsweep/training/layer_work.hpp"

namespace upsweep {

/// A layers file, read and checked.
struct LayersModel {
  std::string file;  ///< as errors name it
  std::string name;
  std::string source;        ///< where the shapes are from
  unsigned value_bytes = 4;  ///< of a number
  std::vector<LayerWork> layers;
  std::vector<int> lines;    ///< of the layers in the file
  std::string content_hash;  ///< of layers and dtype; not of names of the model, comments or layout of the file
};

/// Reads a layers file: the dense work of a network layer by layer, in order of execution. It is for networks with
/// branches or attention, which a model file cannot describe; it says nothing of Jacobians.
///
///     name: example                          # optional, by default the name of the file
///     source: "Who, What, Where, 2016"       # required: where the shapes are from
///     dtype: fp32                            # optional; fp32 is the only one
///     layers:
///       - {name: conv1, output: 802816, parts: [conv2d: {input: [3, 224, 224], out_channels: 64, kernel: 7, stride: 2,
///          padding: 3, bias: false}, batchnorm2d, relu]}
///       - name: encoder
///         repeat: 24                         # optional: 24 such layers, encoder.1 to encoder.24
///         output: 131072
///         parts:
///           - matmul: {m: 128, k: 1024, n: 1024, count: 3, bias: true}
///           - elementwise: {elements: 131072, flops_per_element: 8, weights: 2048}
///
/// Keys of a layer: `name`, `repeat`, `parts` (at least one) and `output`, the elements per sample that later layers
/// need when it has run: with a branch around it, those of both tensors. `output` is optional where the last part is an
/// operator: then its output. A part is one of
///
/// - an operator of model files with its settings, and `input`, the shape of its input: [channels, height, width] or
///   [features]; by default the output of the operator that is the part before. See operator_work().
/// - `matmul: {m, k, n, count, weights, bias}`: `count` (1) times an (m × k) by a (k × n) matrix per sample; `weights`
///   (true): the second is learned, else an activation; `bias` (false): n learned numbers more. See matmul_work().
/// - `elementwise: {elements, flops_per_element, weights}`: FLOPs per element (1) and learned numbers (0). See
///   elementwise_work().
///
/// W of a layer is the sum over its parts with weights; elementwise parts and batchnorm2d have none.
///
/// Throws InputError, "FILE:LINE: what is wrong, what was found, what is accepted".
[[nodiscard]] LayersModel load_layers(const YamlDocument& document);

}  // namespace upsweep
