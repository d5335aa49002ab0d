#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/random.hpp"
#include "upsweep/network/network.hpp"
#include "upsweep/network/weights.hpp"

namespace upsweep::testing {

/// Random operators on small images: sizes that strides do not divide, kernels larger than the image, dilation, groups.
class RandomImagesTest : public SeededTest {
 protected:
  PerAxis pair(std::uint64_t low, std::uint64_t high) { return {between(low, high), between(low, high)}; }

  OperatorKind random_kind(const Shape& in) {
    switch (between(0, 7)) {
      case 0:
        return Relu{};
      case 1:
        return BatchNorm2d{};
      case 2:
        return MaxPool2d{pair(1, 3), pair(1, 3), pair(0, 1), pair(1, 2), chance(0.5)};
      case 3:
        return AvgPool2d{pair(1, 3), pair(1, 3), pair(0, 1), chance(0.5)};
      case 4:
        return AdaptiveAvgPool2d{pair(1, 5)};
      default: {
        const std::uint64_t groups = chance(0.3) ? in[0] : in[0] % 2 == 0 && chance(0.3) ? 2 : 1;
        return Conv2d{groups * between(1, groups > 2 ? 2 : 4), pair(1, 5), pair(1, 3), pair(0, 4), pair(1, 2), groups};
      }
    }
  }

  /// An operator that fits; `name` is its own.
  OperatorSpec random_operator(const std::string& name, Shape& shape) {
    for (;;) {
      OperatorKind kind = random_kind(shape);
      try {
        const Shape out = infer_shape(kind, shape);
        if (elements(out) > 600) continue;
        shape = out;
        return {name, std::move(kind), {}};
      } catch (const std::invalid_argument&) {
        continue;  // too large a kernel for this image
      }
    }
  }

  /// `length` operators on an image, then mostly flatten and linear ones.
  Network random_network(std::size_t length) {
    Shape shape{between(1, 4), between(1, 14), between(1, 14)};
    const Shape input = shape;
    std::vector<OperatorSpec> specs;
    for (std::size_t i = 0; i < length; ++i) specs.push_back(random_operator("op" + std::to_string(i), shape));
    if (chance(0.6)) {
      specs.push_back({"flatten", Flatten{}, {}});
      specs.push_back({"fc1", Linear{between(1, 9)}, {}});
      if (chance(0.5)) specs.push_back({"relu", Relu{}, {}});
      if (chance(0.5)) specs.push_back({"fc2", Linear{between(1, 9)}, {}});
    }
    return {input, specs};
  }

  /// Residual, downsampling, inception and dense blocks one after the other, and what single operators there are.
  Network random_branches(std::size_t blocks) {
    Shape shape{between(1, 3), between(3, 9), between(3, 9)};
    const Shape input = shape;
    std::vector<OperatorSpec> specs;
    std::string last = kInputName;
    const auto append = [&](OperatorKind kind, const std::vector<std::string>& inputs) {
      specs.push_back({"op" + std::to_string(specs.size()), std::move(kind), inputs});
      return specs.back().name;
    };
    const auto conv = [&](const std::string& from, std::uint64_t channels, std::uint64_t kernel, std::uint64_t stride) {
      return append(Conv2d{channels, {kernel, kernel}, {stride, stride}, {kernel / 2, kernel / 2}}, {from});
    };
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::uint64_t channels = between(1, 3);
      switch (between(0, 4)) {
        case 0:
          last = append(Add{}, {last, conv(append(Relu{}, {conv(last, channels, 3, 1)}), shape[0], 3, 1)});
          break;
        case 1:
          last = append(Add{}, {conv(last, channels, 1, 2), conv(last, channels, 3, 2)});
          shape = {channels, (shape[1] + 1) / 2, (shape[2] + 1) / 2};
          break;
        case 2:
          last = append(Concat{}, {conv(last, channels, 1, 1), conv(last, channels, 3, 1),
                                   append(MaxPool2d{{3, 3}, {1, 1}, {1, 1}}, {last})});
          shape[0] += 2 * channels;
          break;
        case 3: {
          // Each layer reads all that came before.
          std::vector<std::string> features{last};
          for (std::uint64_t layers = between(1, 3); layers > 0; --layers) {
            features.push_back(conv(append(Relu{}, {last}), channels, 3, 1));
            shape[0] += channels;
            last = append(Concat{}, features);
          }
          break;
        }
        default:
          if (shape[1] > 1 && shape[2] > 1 && chance(0.5)) {
            last = append(MaxPool2d{{2, 2}, {2, 2}}, {last});
            shape = {shape[0], shape[1] / 2, shape[2] / 2};
          } else {
            last = append(Relu{}, {last});
          }
      }
    }
    last = append(AdaptiveAvgPool2d{{1, 1}}, {last});
    append(Linear{between(1, 5)}, {append(Flatten{}, {last})});
    return {input, specs};
  }

  /// Masks of some operators; of some of them so thin that rows have an entry at most.
  NetworkWeights random_masks(const Network& network) {
    NetworkWeights weights(network.operators().size());
    for (std::size_t o = 0; o < weights.size(); ++o) {
      const Operator& op = network.operators()[o];
      const auto shape = weight_shape(op.kind, op.in_shape);
      if (!shape || chance(0.3)) continue;
      const double density = chance(0.2) ? 0.05 : chance(0.5) ? 0.3 : 0.8;
      for (std::uint64_t w = 0; w < elements(*shape); ++w) weights[o].kept.push_back(chance(density) ? 1 : 0);
    }
    return weights;
  }

  static std::string describe(const Network& network) {
    std::string text = to_string(network.input());
    for (const Operator& op : network.operators()) text += " " + canonical_text(op.kind) + to_string(op.out_shape);
    return text;
  }
};

}  // namespace upsweep::testing
