#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "upsweep/network/random.hpp"
#include "upsweep/network/shape.hpp"

namespace upsweep {

/// What pixels in the scale 0 to 1 are shifted by and divided by, for each of the three channels.
struct PixelScale {
  std::array<double, 3> mean;
  std::array<double, 3> deviation;
};

/// Means and standard deviations of the training set of CIFAR-10, as they are commonly given, to four digits.
inline constexpr PixelScale kCifar10Scale{{0.4914, 0.4822, 0.4465}, {0.2470, 0.2435, 0.2616}};

/// Labelled images for a network: either read from files, or made when they are asked for.
///
/// Images that are made depend on their seed and number alone, not on those before them, and are the same on every
/// machine. Threads may read one object at the same time.
class ImageData {
 public:
  /// A pattern of 4 × 4 patches per channel that the class determines, with normal noise of twice its size; the class
  /// is random, too. `shape` is [channels, height, width] or [features]. Throws std::invalid_argument for another
  /// shape, or none of classes or samples.
  static ImageData synthetic(const Shape& shape, std::size_t classes, std::size_t samples, std::uint64_t seed);

  /// The records of all files data_batch_*.bin in `folder`, in the order of the files' names: CIFAR-10's binary
  /// version, 1 byte with the label, 0 to 9, and 3072 with the pixels, [3, 32, 32], per record. They are kept as bytes
  /// and scaled when they are asked for.
  ///
  /// Throws InputError that names the file, what was found and what is accepted: no such folder or files, a length that
  /// is not whole records or beyond 1 GiB, a label above 9.
  /// Source: Krizhevsky, "Learning Multiple Layers of Features from Tiny Images", 2009.
  static ImageData cifar10(const std::string& folder, const PixelScale& scale = kCifar10Scale);

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] std::size_t classes() const { return classes_; }
  [[nodiscard]] std::size_t samples() const { return labels_.size(); }
  /// `sample` < samples().
  [[nodiscard]] std::uint32_t label(std::size_t sample) const { return labels_.at(sample); }

  /// Writes an image, channel-major. Shapes: `pixels` has the elements of shape(). Throws std::invalid_argument for a
  /// wrong length, std::out_of_range for a sample that there is not.
  void write(std::size_t sample, std::span<double> pixels) const;

 private:
  struct Made {
    NormalStream noise;
    std::vector<double> patterns;  // [class][element]
  };
  struct Stored {
    std::vector<std::uint8_t> pixels;  // [sample][element]
    PixelScale scale;
  };
  using Source = std::variant<Made, Stored>;

  ImageData(Shape shape, std::size_t classes, std::vector<std::uint8_t> labels, Source source);

  Shape shape_;
  std::size_t classes_;
  std::size_t elements_;
  std::vector<std::uint8_t> labels_;
  Source source_;
};

}  // namespace upsweep
