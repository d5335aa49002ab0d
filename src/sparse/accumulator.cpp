#include "accumulator.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "bit_kernels.hpp"

namespace upsweep {
namespace {

// Up to this many matched pairs, sorting them beats every table.
constexpr std::uint64_t kSortLimit = 48;
// Below this share of the width (one pair in so many columns) a hash table is cheaper than a scan over all columns.
constexpr std::uint64_t kHashDensity = 32;
constexpr Index kFree = ~Index{0};

}  // namespace

void RowAccumulator::start(std::uint64_t product, const Pattern& y, bool y_has_bitmaps) {
  if (product == product_) return;
  product_ = product;
  y_ = &y;
  y_has_bitmaps_ = y_has_bitmaps;
  stamp_ = 0;
  stamps_.clear();
}

void RowAccumulator::collect(const Row& x, std::uint64_t products) {
  in_bits_ = false;
  list_.clear();
  steps_ = products;
  if (products <= kSortLimit) {
    collect_sorted(x);
  } else if (y_has_bitmaps_) {
    collect_bits(x);
  } else if (products < y_->cols() / kHashDensity) {
    collect_hashed(x, products);
  } else {
    collect_bytes(x);
  }
}

Row RowAccumulator::store(RowSink& sink) const {
  return in_bits_ ? sink.append_bitmap(bits_, nnz_) : sink.append_list(list_);
}

void RowAccumulator::collect_sorted(const Row& x) {
  x.for_each([&](Index k) { y_->row(k).for_each([&](Index column) { list_.push_back(column); }); });
  std::sort(list_.begin(), list_.end());
  list_.erase(std::unique(list_.begin(), list_.end()), list_.end());
  nnz_ = static_cast<Index>(list_.size());
}

void RowAccumulator::collect_hashed(const Row& x, std::uint64_t products) {
  const std::size_t size = std::bit_ceil(static_cast<std::size_t>(products) * 2);
  table_.assign(size, kFree);
  const std::size_t mask = size - 1;
  const int shift = 64 - std::countr_zero(size);  // the high bits of the product mix all bits of the column
  x.for_each([&](Index k) {
    for (const Index column : y_->row(k).list()) {
      std::size_t at = (column * 0x9e3779b97f4a7c15U) >> shift;
      while (table_[at] != kFree && table_[at] != column) at = (at + 1) & mask;
      if (table_[at] == kFree) {
        table_[at] = column;
        list_.push_back(column);
      }
    }
  });
  std::sort(list_.begin(), list_.end());
  nnz_ = static_cast<Index>(list_.size());
}

void RowAccumulator::collect_bytes(const Row& x) {
  const std::size_t words = bitmap_words(y_->cols());
  if (bytes_.size() < words * 64) bytes_.resize(words * 64);
  std::uint8_t* bytes = bytes_.data();
  x.for_each([&](Index k) {
    for (const Index column : y_->row(k).list()) bytes[column] = 1;
  });
  bits_.resize(words);
  steps_ += words;
  pack_and_clear(bytes, bits_.data(), words);
  nnz_ = static_cast<Index>(count_bits(bits_.data(), words));
  in_bits_ = true;
}

void RowAccumulator::collect_bits(const Row& x) {
  const Index cols = y_->cols();
  const std::size_t words = bitmap_words(cols);
  bits_.assign(words, 0);
  std::uint64_t* bits = bits_.data();
  // Bits past the last column count as set, so that a full row is all ones.
  const std::uint64_t padding = cols % 64 == 0 ? 0 : ~std::uint64_t{0} << (cols % 64);
  bits[words - 1] |= padding;
  if (stamps_.empty()) stamps_.assign(y_->stored_rows(), 0);
  if (++stamp_ == 0) {
    std::fill(stamps_.begin(), stamps_.end(), 0);
    stamp_ = 1;
  }
  bool full = false;
  steps_ = words;
  x.for_each([&](Index k) {
    const Index number = y_->row_number(k);
    if (full || number == Pattern::kEmptyRow || seen(number)) return;
    const Row& row = y_->store()->rows()[number];
    if (row.is_bitmap()) {
      full = or_words(bits, row.words(), words);
      steps_ += words;
    } else {
      steps_ += row.nnz();
      for (const Index column : row.list()) bits[column / 64] |= std::uint64_t{1} << (column % 64);
    }
  });
  bits[words - 1] &= ~padding;
  nnz_ = full ? cols : static_cast<Index>(count_bits(bits, words));
  in_bits_ = true;
}

bool RowAccumulator::seen(Index row_number) { return std::exchange(stamps_[row_number], stamp_) == stamp_; }

}  // namespace upsweep
