#include "window_accumulator.hpp"

#include <algorithm>

#include "bit_kernels.hpp"

namespace upsweep {

Reach joined(const Reach& a, const Reach& b) {
  if (a.is_empty()) return b;
  if (b.is_empty()) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

WindowAccumulator::WindowAccumulator(Index channels)
    : channels_(channels),
      per_position_(bitmap_words(channels)),
      padding_(channels % 64 == 0 ? 0 : ~std::uint64_t{0} << (channels % 64)) {}

void WindowAccumulator::start(const Window& bounds) {
  bounds_ = bounds;
  width_ = bounds.is_empty() ? 0 : bounds.width();
  words_.assign(bounds.is_empty() ? 0 : bounds.height() * width_ * per_position_, 0);
  steps_ = words_.size();
  if (padding_ == 0) return;
  for (std::size_t last = per_position_ - 1; last < words_.size(); last += per_position_) words_[last] = padding_;
}

void WindowAccumulator::add(const WindowRow& row, std::int64_t y, std::int64_t x) {
  const std::size_t words = row.width * per_position_;
  std::uint64_t* target = at(row.y + y, row.x + x);
  const std::size_t step = width_ * per_position_;
  steps_ += row.height * words;
  if (row.bits != nullptr) {
    or_window(target, step, row.bits, words, row.height, words);
    add_beside(row, y, x);
    return;
  }
  for (Index line = 0; line < row.height; ++line, target += step) std::fill_n(target, words, ~std::uint64_t{0});
}

void WindowAccumulator::add_beside(const WindowRow& row, std::int64_t y, std::int64_t x) {
  if (row.beside.is_there()) set(row.beside.channel, row.y + y + row.beside.dy, row.x + x + row.beside.dx);
}

void WindowAccumulator::set(Index channel, std::int64_t y, std::int64_t x) {
  at(y, x)[channel / 64] |= std::uint64_t{1} << (channel % 64);
}

bool WindowAccumulator::is_full(const Window& part) const {
  const std::size_t words = part.width() * per_position_;
  const std::uint64_t* line = words_.data() + offset(part.y.begin, part.x.begin);
  for (std::size_t y = 0; y < part.height(); ++y, line += width_ * per_position_) {
    // Mostly the first word tells.
    for (std::size_t i = 0; i < words; ++i) {
      if (line[i] != ~std::uint64_t{0}) return false;
    }
  }
  return true;
}

bool WindowAccumulator::covers(const WindowRow& row, std::int64_t y, std::int64_t x) {
  if (row.nnz == 0) return true;
  steps_ += std::uint64_t{row.height} * row.width * per_position_;
  if (row.bits == nullptr) return is_full(shifted(window_of(row), y, x));
  const std::size_t words = row.width * per_position_;
  const std::uint64_t* line = words_.data() + offset(row.y + y, row.x + x);
  const std::uint64_t* bits = row.bits;
  for (Index dy = 0; dy < row.height; ++dy, line += width_ * per_position_, bits += words) {
    for (std::size_t i = 0; i < words; ++i) {
      if ((bits[i] & ~line[i]) != 0) return false;
    }
  }
  const WindowColumn& beside = row.beside;
  if (!beside.is_there()) return true;
  const std::uint64_t word = at(row.y + y + beside.dy, row.x + x + beside.dx)[beside.channel / 64];
  return (word >> (beside.channel % 64) & 1) != 0;
}

bool WindowAccumulator::has_columns(std::size_t y, std::size_t x) const {
  const std::uint64_t* words = words_.data() + (y * width_ + x) * per_position_;
  return std::any_of(words, words + per_position_, [](std::uint64_t word) { return word != 0; });
}

WindowRow WindowAccumulator::finish() {
  if (words_.empty()) return {};
  if (padding_ != 0) {
    for (std::size_t last = per_position_ - 1; last < words_.size(); last += per_position_) words_[last] &= ~padding_;
  }
  const std::size_t height = bounds_.height();
  std::size_t top = height;
  std::size_t bottom = 0;
  std::size_t left = width_;
  std::size_t right = 0;
  for (std::size_t y = 0; y < height; ++y) {
    std::size_t first = 0;
    while (first < width_ && !has_columns(y, first)) ++first;
    if (first == width_) continue;
    std::size_t last = width_;
    while (!has_columns(y, last - 1)) --last;
    top = std::min(top, y);
    bottom = y + 1;
    left = std::min(left, first);
    right = std::max(right, last);
  }
  if (top == height) return {};
  WindowRow row{bounds_.y.begin + static_cast<std::int64_t>(top), bounds_.x.begin + static_cast<std::int64_t>(left),
                static_cast<Index>(bottom - top), static_cast<Index>(right - left)};
  const std::size_t words = row.width * per_position_;
  const bool is_whole = row.height == height && row.width == width_;
  if (!is_whole) trimmed_.resize(row.height * words);
  std::uint64_t nnz = 0;
  for (std::size_t y = top; y < bottom; ++y) {
    const std::uint64_t* line = words_.data() + (y * width_ + left) * per_position_;
    nnz += count_bits(line, words);
    if (!is_whole) std::copy_n(line, words, trimmed_.data() + (y - top) * words);
  }
  row.nnz = static_cast<Index>(nnz);
  if (nnz < std::uint64_t{row.height} * row.width * channels_) row.bits = is_whole ? words_.data() : trimmed_.data();
  return row;
}

WindowRow stored_row(const WindowRow& row, Index channels, RowSink& sink) {
  WindowRow stored = row;
  if (row.bits == nullptr) return stored;
  const std::size_t words = std::size_t{row.height} * row.width * bitmap_words(channels);
  std::uint64_t* copy = sink.allocate_words(words);
  std::copy_n(row.bits, words, copy);
  stored.bits = copy;
  return stored;
}

}  // namespace upsweep
