#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "upsweep/base/memory.hpp"

namespace upsweep {

/// Row or column number of a pattern.
using Index = std::uint32_t;

/// Number of 64-bit words of a bitmap over `cols` columns.
[[nodiscard]] constexpr std::size_t bitmap_words(Index cols) { return (std::size_t{cols} + 63) / 64; }

/// The columns of one row: a sorted list, or a bitmap where that is smaller. Does not own its memory.
class Row {
 public:
  Row() = default;

  /// A row with the columns `list`, sorted and without repetition.
  explicit Row(std::span<const Index> list) : data_(list.data()), nnz_(static_cast<Index>(list.size())) {}

  /// A row with the set bits of `words`, `nnz` of them.
  Row(const std::uint64_t* words, Index nnz) : data_(words), nnz_(nnz), bitmap_(true) {}

  /// Number of columns.
  [[nodiscard]] Index nnz() const { return nnz_; }
  [[nodiscard]] bool is_bitmap() const { return bitmap_; }

  /// The columns; only where is_bitmap() is false.
  [[nodiscard]] std::span<const Index> list() const { return {static_cast<const Index*>(data_), nnz_}; }

  /// The bits, bitmap_words(cols) words with zeros past the last column; only where is_bitmap() is true.
  [[nodiscard]] const std::uint64_t* words() const { return static_cast<const std::uint64_t*>(data_); }

  /// Calls visit(column) for every column, ascending.
  template <class Visit>
  void for_each(Visit visit) const {
    if (!bitmap_) {
      for (const Index column : list()) visit(column);
      return;
    }
    Index left = nnz_;
    for (std::size_t w = 0; left > 0; ++w) {
      for (std::uint64_t word = words()[w]; word != 0; word &= word - 1, --left) {
        visit(static_cast<Index>(w * 64 + static_cast<unsigned>(std::countr_zero(word))));
      }
    }
  }

 private:
  const void* data_ = nullptr;
  Index nnz_ = 0;
  bool bitmap_ = false;
};

/// Rows of a pattern, each stored once; patterns refer to them by number and may share them. R is Row or WindowRow.
template <class R>
class StoreOf {
 public:
  /// `rows` refer to memory inside `blocks`. Throws OutOfRoom.
  StoreOf(std::vector<R> rows, std::vector<std::unique_ptr<std::byte[]>> blocks, std::size_t block_bytes)
      : rows_(std::move(rows)), blocks_(std::move(blocks)), block_bytes_(block_bytes) {
    held_.add(memory());
  }

  [[nodiscard]] const std::vector<R>& rows() const { return rows_; }

  /// Memory in use, bytes.
  [[nodiscard]] std::size_t memory() const { return block_bytes_ + rows_.capacity() * sizeof(R); }

 private:
  std::vector<R> rows_;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::size_t block_bytes_;
  HeldMemory held_;
};

using RowStore = StoreOf<Row>;

/// Appends rows to memory blocks in the smaller of the two forms. One per thread; not thread-safe. Whatever takes
/// memory throws OutOfRoom where there is none.
class RowSink {
 public:
  /// A list takes 32 bits a column, a bitmap 1 bit: past this density, 1/32, the bitmap is smaller.
  static constexpr Index kBitmapDensity = 32;
  /// The most that callers ask to be taken at once.
  static constexpr std::size_t kMaxBlockBytes = std::size_t{1} << 20;

  /// `cols`: width of every row; `block_bytes`: memory is taken in pieces of this size (larger for a larger row).
  RowSink(Index cols, std::size_t block_bytes) : cols_(cols), block_bytes_(block_bytes) {}

  /// True where a row of `nnz` of `cols` columns is kept as a bitmap.
  [[nodiscard]] static bool prefers_bitmap(Index cols, Index nnz) {
    return nnz > 4 && std::uint64_t{nnz} * kBitmapDensity > cols;
  }

  /// No `rows` rows over `cols` columns take more, bytes: a list is used only where it is no larger than a bitmap, or
  /// has at most four columns.
  [[nodiscard]] static std::size_t most_bytes(std::size_t rows, Index cols) {
    return rows * std::max(bitmap_words(cols) * sizeof(std::uint64_t), 4 * sizeof(Index));
  }

  /// Stores a row given as a sorted list without repetition.
  Row append_list(std::span<const Index> columns);

  /// Stores a row given as a bitmap of bitmap_words(cols) words with `nnz` set bits.
  Row append_bitmap(std::span<const std::uint64_t> words, Index nnz);

  /// Memory for a bitmap of bitmap_words(cols) words, uninitialised.
  [[nodiscard]] std::uint64_t* allocate_bitmap() {
    return reinterpret_cast<std::uint64_t*>(allocate(bitmap_words(cols_) * sizeof(std::uint64_t)));
  }

  /// Memory for `words` words, uninitialised.
  [[nodiscard]] std::uint64_t* allocate_words(std::size_t words) {
    return reinterpret_cast<std::uint64_t*>(allocate(words * sizeof(std::uint64_t)));
  }

  /// Memory for a list of `nnz` columns, uninitialised.
  [[nodiscard]] Index* allocate_list(Index nnz) {
    return reinterpret_cast<Index*>(allocate(std::size_t{nnz} * sizeof(Index)));
  }

  /// Moves the blocks that back the rows to the end of `blocks`; returns their size in bytes.
  std::size_t release(std::vector<std::unique_ptr<std::byte[]>>& blocks);

 private:
  std::byte* allocate(std::size_t bytes);

  Index cols_;
  std::size_t block_bytes_;
  std::size_t used_ = 0;
  std::size_t room_ = 0;
  std::size_t total_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  HeldMemory held_;
};

}  // namespace upsweep
