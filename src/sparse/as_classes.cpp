#include "as_classes.hpp"

#include <algorithm>
#include <numeric>

#include "upsweep/base/parallel.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kWindowsPerChunk = 256;
constexpr std::size_t kWindowBlockBytes = std::size_t{1} << 16;
constexpr std::size_t kMostGrowth = 8;
constexpr std::size_t kSmallBytes = std::size_t{1} << 26;

/// The first `count` rows of a pattern without classes, columns as channels of one position.
std::shared_ptr<const WindowStore> as_windows(const Pattern& pattern, Index count) {
  const std::size_t words = bitmap_words(pattern.cols());
  std::vector<RowSink> sinks;
  for (std::size_t w = 0; w < parallel_slots(); ++w) sinks.emplace_back(pattern.cols(), kWindowBlockBytes);
  std::vector<WindowRow> rows(count);
  parallel_chunks(count, kWindowsPerChunk, [&](std::size_t begin, std::size_t end, std::size_t slot) {
    for (std::size_t r = begin; r < end; ++r) {
      const Row row = pattern.row(static_cast<Index>(r));
      if (row.nnz() == 0) continue;
      rows[r] = {0, 0, 1, 1, row.nnz()};
      if (row.nnz() == pattern.cols()) continue;
      std::uint64_t* bits = sinks[slot].allocate_words(words);
      if (row.is_bitmap()) {
        std::copy_n(row.words(), words, bits);
      } else {
        std::fill_n(bits, words, std::uint64_t{0});
        for (const Index c : row.list()) bits[c / 64] |= std::uint64_t{1} << (c % 64);
      }
      rows[r].bits = bits;
    }
  });
  std::vector<std::unique_ptr<std::byte[]>> blocks;
  std::size_t bytes = 0;
  for (RowSink& sink : sinks) bytes += sink.release(blocks);
  return std::make_shared<WindowStore>(std::move(rows), std::move(blocks), bytes);
}

}  // namespace

std::shared_ptr<const RowClasses> as_classes(const Pattern& pattern, const ImageShape& rows) {
  if (pattern.classes()) return pattern.classes()->rows() == rows ? pattern.classes() : nullptr;
  if (rows.elements() != pattern.rows() || pattern.rows() == 0) return nullptr;
  bool is_each = true;
  bool is_one = pattern.row_number(0) != Pattern::kEmptyRow;
  for (Index r = 0; r < pattern.rows(); ++r) {
    is_each = is_each && pattern.row_number(r) == r;
    is_one = is_one && pattern.row_number(r) == pattern.row_number(0);
  }
  if (!is_each && !is_one) return nullptr;
  // Lists that many rows share would be as many bitmaps.
  const std::size_t bitmaps = bitmap_words(pattern.cols()) * sizeof(std::uint64_t) * pattern.rows();
  if (is_each && bitmaps > kMostGrowth * pattern.memory() + kSmallBytes) return nullptr;
  std::array<AxisClasses, 3> axes;
  for (std::size_t a = 0; a < 3; ++a) {
    axes[a] = is_one ? AxisClasses::one(rows.along(a)) : AxisClasses::each(rows.along(a));
    if (is_one) axes[a].twin_of.assign(rows.along(a), 0);
  }
  const Index stored = is_one ? 1 : pattern.rows();
  std::vector<Index> numbers(stored);
  std::iota(numbers.begin(), numbers.end(), Index{0});
  for (Index r = 0; r < stored; ++r) {
    if (pattern.row(r).nnz() == 0) numbers[r] = RowClasses::kNoRow;
  }
  return std::make_shared<RowClasses>(rows, ImageShape{pattern.cols(), 1, 1}, RowPartition(std::move(axes)),
                                      std::move(numbers), as_windows(pattern, stored));
}

}  // namespace upsweep
