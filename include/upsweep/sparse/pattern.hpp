#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "upsweep/sparse/row.hpp"
#include "upsweep/sparse/row_classes.hpp"

namespace upsweep {

/// A pattern as plain CSR arrays.
struct CsrPattern {
  Index rows = 0;
  Index cols = 0;
  std::vector<std::uint64_t> indptr;  ///< length rows + 1
  std::vector<Index> indices;         ///< length nnz; sorted and without repetition within a row

  friend bool operator==(const CsrPattern&, const CsrPattern&) = default;
};

/// Structure of a sparse matrix: which entries there are. Immutable; equal rows may share their memory.
///
/// Read it row by row. How a row is stored (list, bitmap, shared with another row or pattern) is not part of the
/// contract, so that denser encodings can come without a change to those who read it. Patterns over images may be kept
/// by classes of rows that are shifts of each other: these are for counts, which go by classes; for_each() reads them
/// slowly, and in_rows() writes the rows out for those who need row() or row_number().
class Pattern {
 public:
  /// Number in place of a stored row for a row without entries.
  static constexpr Index kEmptyRow = ~Index{0};

  /// A pattern whose row r is store row `row_numbers[r]`.
  ///
  /// Shapes: `row_numbers` has one number per row, each kEmptyRow or below the size of the store; an empty vector means
  /// that row r is store row r. `cols` is the width of every stored row.
  Pattern(Index rows, Index cols, std::vector<Index> row_numbers, std::shared_ptr<const RowStore> store);

  /// A pattern by classes of rows; never null.
  explicit Pattern(std::shared_ptr<const RowClasses> classes);

  /// Checks and copies CSR arrays. Throws std::invalid_argument that names the first broken invariant.
  static Pattern from_csr(const CsrPattern& csr);

  /// The n × n identity pattern.
  static Pattern diagonal(Index n);

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index cols() const { return cols_; }
  [[nodiscard]] std::uint64_t nnz() const { return nnz_; }

  /// The largest number of entries in a row.
  [[nodiscard]] Index max_row_nnz() const { return max_row_nnz_; }

  /// Rows with at least one entry.
  [[nodiscard]] std::uint64_t nonempty_rows() const { return nonempty_rows_; }

  /// True for a square pattern whose entries are the whole diagonal and nothing else.
  [[nodiscard]] bool is_full_diagonal() const { return full_diagonal_; }

  /// The classes that the pattern is kept by, or null where it is kept row by row.
  [[nodiscard]] const std::shared_ptr<const RowClasses>& classes() const { return classes_; }

  /// Calls visit(column) for every column of row r < rows(), ascending; for all patterns.
  template <class Visit>
  void for_each(Index r, Visit visit) const {
    if (classes_) {
      classes_->for_each(r, visit);
    } else {
      row(r).for_each(visit);
    }
  }

  // The rest of what tells rows apart is for patterns without classes.

  /// Row r < rows(); valid as long as the pattern lives.
  [[nodiscard]] Row row(Index r) const {
    const Index number = row_number(r);
    return number == kEmptyRow ? Row() : store_->rows()[number];
  }

  /// Rows with the same number are equal (the reverse need not hold); below stored_rows(), or kEmptyRow.
  [[nodiscard]] Index row_number(Index r) const { return row_numbers_.empty() ? r : row_numbers_[r]; }

  /// Number of rows in the store, used by this pattern or not.
  [[nodiscard]] Index stored_rows() const { return static_cast<Index>(store_->rows().size()); }

  /// The stored rows, for patterns that share them.
  [[nodiscard]] const std::shared_ptr<const RowStore>& store() const { return store_; }

  /// Plain CSR arrays, equal rows written out.
  [[nodiscard]] CsrPattern to_csr() const;

  /// Memory of this object, shared rows counted in full; bytes.
  [[nodiscard]] std::size_t memory() const {
    return classes_ ? classes_->memory() : store_->memory() + row_numbers_.capacity() * sizeof(Index);
  }

 private:
  Index rows_;
  Index cols_;
  std::vector<Index> row_numbers_;
  std::shared_ptr<const RowStore> store_;
  std::shared_ptr<const RowClasses> classes_;
  std::uint64_t nnz_ = 0;
  std::uint64_t nonempty_rows_ = 0;
  Index max_row_nnz_ = 0;
  bool full_diagonal_ = false;
};

/// True when both have the same shape and the same entries, however they are stored.
[[nodiscard]] bool operator==(const Pattern& a, const Pattern& b);

/// The same entries kept row by row; rows share their storage where they are twins (AxisClasses::twin_of). Memory: that
/// of every row; throws OutOfRoom where there is not as much.
[[nodiscard]] Pattern in_rows(const Pattern& pattern);

/// Builds a pattern row by row, on several threads: `write` is called once per row, in any order.
///
/// `expected_nnz` is a hint for the size of memory blocks.
[[nodiscard]] Pattern build_pattern(Index rows, Index cols, std::uint64_t expected_nnz, const RowWriter& write);

/// Bytes of a CSR matrix of this shape: (value_bytes + 4) · nnz + 4 · (rows + 1), with 8 bytes per row pointer when nnz
/// exceeds 2^31 - 1. Source: the counting rules in docs/counting-rule.md. Throws CountOverflow.
[[nodiscard]] std::uint64_t csr_bytes(std::uint64_t rows, std::uint64_t nnz, unsigned value_bytes);

}  // namespace upsweep
