#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "upsweep/base/memory.hpp"
#include "upsweep/sparse/row_reader.hpp"

namespace upsweep {

/// Columns as bits: length bitmap_words(cols), zeros past the last.
struct ColumnBits {
  std::vector<std::uint64_t> words;
  std::uint64_t count = 0;
};

/// A chain of matrices J[0], J[1], ... of which rows of the products J[l]·J[l - 1]···J[f] are asked for: readers, and
/// what all walks share. Safe for several threads.
class WalkedChain {
 public:
  /// Throws OutOfRoom.
  explicit WalkedChain(std::span<const std::shared_ptr<const Pattern>> elements);

  [[nodiscard]] std::size_t size() const { return readers_.size(); }
  [[nodiscard]] const RowReader& operator[](std::size_t e) const { return readers_[e]; }

  /// Columns that some row of element e has; made at the first call.
  [[nodiscard]] const ColumnBits& reached(std::size_t e) const;
  /// Columns of element e - 1 that rows of it at reached(e) have; made at the first call.
  [[nodiscard]] const ColumnBits& after_reached(std::size_t e) const;

 private:
  std::vector<RowReader> readers_;
  struct Shared {
    std::once_flag is_reached_made;
    std::once_flag is_after_made;
    ColumnBits reached;
    ColumnBits after;
  };
  std::unique_ptr<Shared[]> shared_;
  HeldMemory held_;
};

/// A row of products of a chain: from a row of one element down to the element where the product begins, one at a time.
/// One per thread, used for many rows; its memory is a few bits and numbers per column.
class RowWalk {
 public:
  /// `chain` outlives it. Throws OutOfRoom.
  explicit RowWalk(const WalkedChain& chain);

  /// Begins with row r of element e.
  void start(std::size_t e, Index r);
  /// Goes on to the product with the element before the present one.
  void step();

  /// The present element.
  [[nodiscard]] std::size_t element() const { return element_; }
  /// Columns of the row of the product.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Whether these are all that any row of the present element has.
  [[nodiscard]] bool is_saturated() const { return is_saturated_; }
  /// is_run() of these.
  [[nodiscard]] bool is_run() const;
  /// Σ values[c] over the columns c; `values` has 64 · bitmap_words(cols) numbers.
  [[nodiscard]] std::uint64_t sum(const std::uint32_t* values) const;
  /// The column of a number below count(), in an order of its own.
  [[nodiscard]] Index column(std::uint64_t number) const;
  /// Work since start(): entries that were met, and words of 64 columns where these are kept as bits.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  friend class WalkedChain;

  template <class Rows>
  static std::uint64_t collect(const RowReader& next, const ColumnBits& reached, const Rows& rows,
                               std::vector<std::uint8_t>& bytes, std::uint64_t* bits, std::uint64_t& steps);

  [[nodiscard]] std::uint64_t pairs_with(const RowReader& next) const;
  template <class Visit>
  void for_each_column(const Visit& visit) const;
  void mask(const RowReader& next);
  void gather(const RowReader& next);
  void gather_bits(const RowReader& next);
  void share(const ColumnBits& bits);
  void drop();

  const WalkedChain& chain_;
  std::size_t element_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t steps_ = 0;
  bool is_saturated_ = false;
  const std::uint64_t* bits_ = nullptr;  // of this object or shared; null: the columns are in list_
  std::vector<Index> list_;
  std::vector<Index> next_list_;
  // All zero but for the columns that bits_ stands for.
  std::vector<std::uint64_t> mine_;
  std::vector<std::uint64_t> next_;
  std::vector<std::uint8_t> bytes_;  // one per column, all 0 between steps; of fewer columns where there are many
  HeldMemory held_;
};

}  // namespace upsweep
