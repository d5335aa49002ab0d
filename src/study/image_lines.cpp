#include "image_lines.hpp"

#include <cstddef>
#include <string>

#include "settings_text.hpp"
#include "upsweep/io/content_hash.hpp"

namespace upsweep {
namespace {

// A line that is done keeps formulas and one analysis. Past so many, sizes are counted each by itself.
constexpr std::size_t kMostLines = 512;

/// Of a network on images of any size, under schedules.
ContentKey key_but_for_image(const Model& model, const ScheduleNameSet& schedules, const SizesOnLine& line) {
  ContentHash hash;
  hash.add("value_bytes", std::to_string(model.value_bytes));
  hash.add("channels", std::to_string(model.network.input().front()));
  for (std::size_t o = 0; o < model.network.operators().size(); ++o) {
    const Operator& op = model.network.operators()[o];
    hash.add(op.name, canonical_text(op.kind));
    for (const std::size_t input : model.network.inputs_of(o)) hash.add("input", std::to_string(input));
    hash.add("mask", std::as_bytes(std::span(model.weights[o].kept)));
  }
  for (const std::string& name : schedules) hash.add("schedule", name);
  for (const ImageSize& size : line.sizes) {
    hash.add("height", std::to_string(size.height));
    hash.add("width", std::to_string(size.width));
  }
  return hash.digest();
}

}  // namespace

std::optional<SizesOnLine> line_of(const Network& network, std::span<const ImageSize> images) {
  const Shape& input = network.input();
  if (input.size() != 3) return std::nullopt;
  try {
    return line_through({input[1], input[2]}, images, accumulated_stride(network));
  } catch (const OperatorError&) {
    return std::nullopt;  // of too large a stride
  }
}

ImageLine::Found ImageLines::at(const Model& model, const SizesOnLine& sizes, const ScheduleNameSet& schedules) {
  const std::shared_ptr<ImageLine> line = line_at(key_but_for_image(model, schedules, sizes), sizes);
  if (line == nullptr) return {};
  const Shape& input = model.network.input();
  return line->at({input[1], input[2]}, [&](ImageSize size) {
    const Network network = on_image(model.network, model.weights, size);
    return count_on_image(network, model, PatternKind::guaranteed,
                          CachedNetwork().missing(schedules, scan_length(model.network)));
  });
}

std::shared_ptr<ImageLine> ImageLines::line_at(const ContentKey& key, const SizesOnLine& sizes) {
  const std::lock_guard lock(mutex_);
  if (const auto found = lines_.find(key); found != lines_.end()) return found->second;
  if (lines_.size() >= kMostLines) return nullptr;
  return lines_.emplace(key, std::make_shared<ImageLine>(sizes)).first->second;
}

}  // namespace upsweep
