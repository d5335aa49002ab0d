#include "upsweep/learning/image_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "upsweep/base/error.hpp"

namespace upsweep {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostClasses = 256;  // a label is a byte
constexpr std::size_t kPatches = 4;        // along each axis of an image
constexpr double kPatternSize = 0.5;

constexpr std::size_t kCifarClasses = 10;
constexpr std::size_t kCifarPixels = std::size_t{3} * 32 * 32;
constexpr std::size_t kCifarRecord = 1 + kCifarPixels;
constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 30U;

/// The pattern of every class, [class][element].
std::vector<double> class_patterns(const Shape& shape, std::size_t classes, std::uint64_t seed) {
  const std::size_t channels = shape.size() == 3 ? shape[0] : 1;
  const std::size_t height = shape.size() == 3 ? shape[1] : 1;
  const std::size_t width = shape.back();
  const NormalStream patches(seed, "patterns");
  std::vector<double> patterns;
  for (std::size_t plane = 0; plane < classes * channels; ++plane) {
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t x = 0; x < width; ++x) {
        const std::size_t row = plane * kPatches + y * kPatches / height;
        patterns.push_back(kPatternSize * static_cast<double>(patches(row * kPatches + x * kPatches / width)));
      }
    }
  }
  return patterns;
}

/// Files data_batch_*.bin of a folder, by name.
std::vector<fs::path> batch_files(const std::string& folder) {
  constexpr const char* kAccepted = "accepted is a folder with CIFAR-10's files data_batch_*.bin";
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with("data_batch_") && name.ends_with(".bin")) files.push_back(entry->path());
  }
  if (error) throw InputError(fmt::format("{}: {}, {}", folder, error.message(), kAccepted));
  if (files.empty()) throw InputError(fmt::format("{}: no file data_batch_*.bin, {}", folder, kAccepted));
  std::sort(files.begin(), files.end());
  return files;
}

/// Appends the records of a file.
void read_records(const fs::path& file, std::vector<std::uint8_t>& labels, std::vector<std::uint8_t>& pixels) {
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    throw InputError(fmt::format("{}: not a regular file, accepted is a file of CIFAR-10", file.string()));
  const std::uintmax_t length = fs::file_size(file, error);
  if (error) throw InputError(fmt::format("{}: {}, accepted is a file of CIFAR-10", file.string(), error.message()));
  if (length == 0 || length % kCifarRecord != 0 || length > kMostBytes) {
    throw InputError(fmt::format("{}: {} bytes, accepted are 1 or more records of {} bytes, up to {} bytes together",
                                 file.string(), length, kCifarRecord, kMostBytes));
  }
  std::ifstream in(file, std::ios::binary);
  std::vector<char> record(kCifarRecord);
  for (std::uintmax_t i = 0; i < length / kCifarRecord; ++i) {
    if (!in.read(record.data(), static_cast<std::streamsize>(kCifarRecord))) {
      throw InputError(
          fmt::format("{}: reading stopped in record {}, accepted are {} bytes", file.string(), i, length));
    }
    const auto label = static_cast<std::uint8_t>(record[0]);
    if (label >= kCifarClasses) {
      throw InputError(fmt::format("{}: record {} has the label {}, accepted are 0 to {}", file.string(), i, label,
                                   kCifarClasses - 1));
    }
    labels.push_back(label);
    for (std::size_t p = 1; p < kCifarRecord; ++p) pixels.push_back(static_cast<std::uint8_t>(record[p]));
  }
}

}  // namespace

ImageData::ImageData(Shape shape, std::size_t classes, std::vector<std::uint8_t> labels, Source source)
    : shape_(std::move(shape)),
      classes_(classes),
      elements_(upsweep::elements(shape_)),
      labels_(std::move(labels)),
      source_(std::move(source)) {}

ImageData ImageData::synthetic(const Shape& shape, std::size_t classes, std::size_t samples, std::uint64_t seed) {
  if ((shape.size() != 1 && shape.size() != 3) || elements(shape) == 0) {
    throw std::invalid_argument(
        fmt::format("images of the shape {}, accepted are [channels, height, width] and [features]", to_string(shape)));
  }
  if (classes == 0 || classes > kMostClasses || samples == 0) {
    throw std::invalid_argument(
        fmt::format("{} classes and {} samples, accepted are 1 to {} and at least 1", classes, samples, kMostClasses));
  }
  const UniformStream chance(seed, "labels");
  std::vector<std::uint8_t> labels;
  labels.reserve(samples);
  for (std::size_t i = 0; i < samples; ++i)
    labels.push_back(static_cast<std::uint8_t>(chance(i) * static_cast<double>(classes)));
  return {shape, classes, std::move(labels), Made{NormalStream(seed, "noise"), class_patterns(shape, classes, seed)}};
}

ImageData ImageData::cifar10(const std::string& folder, const PixelScale& scale) {
  std::vector<std::uint8_t> labels;
  Stored stored{{}, scale};
  for (const fs::path& file : batch_files(folder)) read_records(file, labels, stored.pixels);
  return {{3, 32, 32}, kCifarClasses, std::move(labels), std::move(stored)};
}

void ImageData::write(std::size_t sample, std::span<double> pixels) const {
  if (pixels.size() != elements_)
    throw std::invalid_argument(fmt::format("{} pixels, accepted are {}", pixels.size(), elements_));
  const std::size_t label = labels_.at(sample);
  if (const auto* made = std::get_if<Made>(&source_)) {
    const double* pattern = made->patterns.data() + label * elements_;
    for (std::size_t i = 0; i < elements_; ++i)
      pixels[i] = pattern[i] + static_cast<double>(made->noise(sample * elements_ + i));
    return;
  }
  const auto& stored = std::get<Stored>(source_);
  const std::uint8_t* bytes = stored.pixels.data() + sample * elements_;
  for (std::size_t i = 0; i < elements_; ++i) {
    const std::size_t channel = i / (elements_ / 3);
    pixels[i] = (bytes[i] / 255.0 - stored.scale.mean[channel]) / stored.scale.deviation[channel];
  }
}

}  // namespace upsweep
