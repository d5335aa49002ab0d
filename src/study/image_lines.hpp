#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>

#include "cached_network.hpp"
#include "image_line.hpp"
#include "upsweep/base/content_key.hpp"
#include "upsweep/io/model_file.hpp"

namespace upsweep {

/// The line of images that a network's own is on, by the guaranteed pattern; nothing where there is none.
[[nodiscard]] std::optional<SizesOnLine> line_of(const Network& network, std::span<const ImageSize> images);

/// Networks on lines of images, by all but the image: settings, masks, schedules, the line. Thread-safe.
class ImageLines {
 public:
  /// The analysis of the model under all these schedules, counted or by formulas; null where it is to be counted by
  /// itself. Where it has to count, it counts the guaranteed pattern.
  [[nodiscard]] ImageLine::Found at(const Model& model, const SizesOnLine& sizes, const ScheduleNameSet& schedules);

 private:
  [[nodiscard]] std::shared_ptr<ImageLine> line_at(const ContentKey& key, const SizesOnLine& sizes);

  std::mutex mutex_;  // of
  std::unordered_map<ContentKey, std::shared_ptr<ImageLine>, ContentKeyHash> lines_;
};

}  // namespace upsweep
