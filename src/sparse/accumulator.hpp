#pragma once

#include <cstdint>
#include <vector>

#include "upsweep/sparse/pattern.hpp"

namespace upsweep {

/// Collects the columns of one row of a product. One per thread, reused for all rows; its memory grows with the largest
/// row that needed it.
class RowAccumulator {
 public:
  /// Prepares for rows of the product number `product` (unique in the process), whose right factor is `y`; cheap when
  /// it was the last one already. `y` must outlive its use.
  void start(std::uint64_t product, const Pattern& y, bool y_has_bitmaps);

  /// Union of the rows of Y that `x` selects, found with `products` matched pairs.
  void collect(const Row& x, std::uint64_t products);

  /// Steps that the last collect() took: entries of rows of Y, or words of 64 columns where these are kept as bits.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

  /// Number of columns that the last collect() found.
  [[nodiscard]] Index nnz() const { return nnz_; }

  /// Stores the row that the last collect() found.
  [[nodiscard]] Row store(RowSink& sink) const;

 private:
  void collect_sorted(const Row& x);
  void collect_hashed(const Row& x, std::uint64_t products);
  void collect_bytes(const Row& x);
  void collect_bits(const Row& x);
  [[nodiscard]] bool seen(Index row_number);

  std::uint64_t product_ = 0;
  const Pattern* y_ = nullptr;
  bool y_has_bitmaps_ = false;
  Index nnz_ = 0;
  std::uint64_t steps_ = 0;
  bool in_bits_ = false;               // the result is in bits_, else in list_
  std::vector<Index> list_;            // sorted columns
  std::vector<std::uint64_t> bits_;    // bitmap_words(cols) words
  std::vector<std::uint8_t> bytes_;    // one per column, all 0 between rows
  std::vector<Index> table_;           // hash table, power of two
  std::vector<std::uint32_t> stamps_;  // by stored row of Y: the last row of X that used it
  std::uint32_t stamp_ = 0;
};

}  // namespace upsweep
