#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "recorder.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep {
namespace {

/// n: how many elements the results are made of.
std::int64_t elements_of(std::size_t length) { return static_cast<std::int64_t>(length) - 1; }

/// Sklansky's levels over what stands at position_of(0), ..., position_of(count - 1).
template <class PositionOf>
void sklansky_levels(Recorder& a, Phase phase, std::int64_t count, const PositionOf& position_of) {
  for (std::int64_t half = 1; half < count; half *= 2) {
    a.start_level(phase);
    for (std::int64_t i = half; i < count; ++i) {
      if ((i & half) != 0) a.join(position_of(i / half * half - 1), position_of(i));
    }
  }
}

/// n elements in `count` blocks as even as possible, longer ones first.
struct Blocks {
  std::int64_t n;
  std::int64_t count;

  /// First position of block b; n for b = count.
  [[nodiscard]] std::int64_t first(std::int64_t b) const { return n / count * b + std::min(b, n % count); }
  [[nodiscard]] std::int64_t last(std::int64_t b) const { return first(b + 1) - 1; }
  [[nodiscard]] std::int64_t size(std::int64_t b) const { return first(b + 1) - first(b); }
};

/// One step of folding block b to a product: its elements stay for the way down, all but the last, where the product
/// ends.
void reduce_step(Recorder& a, const Blocks& blocks, std::int64_t b, std::int64_t step, ValueId& product) {
  const std::int64_t right = blocks.first(b) + step;
  const std::int64_t left = step == 1 ? right - 1 : Combine::kReduction;
  const bool is_last = right == blocks.last(b);
  const ValueId earlier = step == 1 ? a.at(left) : product;
  product = a.combine(left, earlier, right, a.at(right), is_last ? right : Combine::kReduction);
  if (is_last) a.at(right) = product;
}

void reduce_blocks(Recorder& a, const Blocks& blocks) {
  std::vector<ValueId> products(static_cast<std::size_t>(blocks.count), kIdentity);
  for (std::int64_t step = 1; step < blocks.size(0); ++step) {
    a.start_level(Phase::up);
    a.join(step - 1, step);
    for (std::int64_t b = 1; b + 1 < blocks.count; ++b) {
      if (step < blocks.size(b)) reduce_step(a, blocks, b, step, products[static_cast<std::size_t>(b)]);
    }
  }
}

void walk_blocks(Recorder& a, const Blocks& blocks) {
  for (std::int64_t step = 0; step < blocks.size(0); ++step) {
    a.start_level(Phase::down);
    for (std::int64_t b = 1; b < blocks.count; ++b) {
      // The last position of every block but the last has its prefix from the middle.
      const std::int64_t steps = b + 1 < blocks.count ? blocks.size(b) - 1 : blocks.size(b);
      if (step < steps) a.join(blocks.first(b) + step - 1, blocks.first(b) + step);
    }
  }
}

}  // namespace

Schedule kogge_stone_schedule(std::size_t length) {
  Recorder a(length);
  const std::int64_t n = elements_of(length);
  for (std::int64_t distance = 1; distance < n; distance *= 2) {
    a.start_level(Phase::up);
    // From the right, so that the level reads what the one before has left.
    for (std::int64_t i = n; i-- > distance;) a.join(i - distance, i);
  }
  return a.finish_prefixes("kogge-stone");
}

Schedule sklansky_schedule(std::size_t length) {
  Recorder a(length);
  sklansky_levels(a, Phase::up, elements_of(length), [](std::int64_t i) { return i; });
  return a.finish_prefixes("sklansky");
}

Schedule brent_kung_schedule(std::size_t length) {
  Recorder a(length);
  const std::int64_t n = elements_of(length);
  std::int64_t half = 1;
  for (; 2 * half <= n; half *= 2) {
    a.start_level(Phase::up);
    for (std::int64_t i = 2 * half - 1; i < n; i += 2 * half) a.join(i - half, i);
  }
  for (; half > 0; half /= 2) {
    a.start_level(Phase::down);
    for (std::int64_t i = 3 * half - 1; i < n; i += 2 * half) a.join(i - half, i);
  }
  return a.finish_prefixes("brent-kung");
}

Schedule blocked_schedule(std::size_t length, std::size_t blocks) {
  Recorder a(length);
  if (blocks == 0) throw std::invalid_argument("a scan by 0 blocks, expected at least 1");
  const Blocks cut{elements_of(length), static_cast<std::int64_t>(std::min(blocks, length - 1))};
  reduce_blocks(a, cut);
  sklansky_levels(a, Phase::middle, cut.count - 1, [&](std::int64_t b) { return cut.last(b); });
  walk_blocks(a, cut);
  return a.finish_prefixes(fmt::format("blocked:{}", cut.count));
}

}  // namespace upsweep
