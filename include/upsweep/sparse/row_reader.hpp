#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "upsweep/base/memory.hpp"
#include "upsweep/sparse/pattern.hpp"

namespace upsweep {

/// Rows of a pattern for those who go from row to row, whatever it is kept by. Immutable; keeps the pattern alive.
class RowReader {
 public:
  /// What the rows are, where that is less than any.
  enum class Kind : std::uint8_t {
    identity,   ///< the whole diagonal
    mask,       ///< some of the diagonal
    selection,  ///< at most one entry in each
    rows,
  };
  static constexpr Index kNone = ~Index{0};

  /// Throws OutOfRoom.
  explicit RowReader(std::shared_ptr<const Pattern> pattern);

  [[nodiscard]] const Pattern& pattern() const { return *pattern_; }
  [[nodiscard]] Index rows() const { return pattern_->rows(); }
  [[nodiscard]] Index cols() const { return pattern_->cols(); }
  [[nodiscard]] Kind kind() const { return kind_; }

  /// Number of entries of row r.
  [[nodiscard]] std::uint32_t length(Index r) const { return lengths_.empty() ? 1 : lengths_[r]; }
  /// The same of all rows: length 64 · bitmap_words(rows()), 0 past the last; not of an identity.
  [[nodiscard]] const std::vector<std::uint32_t>& lengths() const { return lengths_; }
  /// The same of rows that are runs, see is_run(), and 0 of the others; empty where no row is one.
  [[nodiscard]] const std::vector<std::uint32_t>& runs() const { return runs_; }

  /// The column of the only entry of row r, or kNone; not of Kind::rows.
  [[nodiscard]] Index target(Index r) const {
    if (kind_ == Kind::identity) return r;
    if (lengths_[r] == 0) return kNone;
    return kind_ == Kind::mask ? r : targets_[r];
  }
  /// Of a mask: a bit for each row that has its entry; length bitmap_words(rows()).
  [[nodiscard]] const std::uint64_t* mask() const { return mask_.data(); }

  /// Rows of the same number are equal, as far as work is planned (Pattern::row_number); below numbers().
  [[nodiscard]] Index number(Index r) const { return number_of_.empty() ? r : number_of_[r]; }
  [[nodiscard]] Index numbers() const { return numbers_; }
  /// Whether every row has a number of its own: row r the number r.
  [[nodiscard]] bool is_each() const { return number_of_.empty(); }

  /// The columns of row r as bits, bitmap_words(cols()) words, where they are there as such; else null.
  [[nodiscard]] const std::uint64_t* bits(Index r) const {
    if (!bitmaps_.empty()) return bitmaps_.data() + r * bitmap_words(cols());
    if (!has_bits_) return nullptr;
    const Row row = pattern_->row(r);
    return row.is_bitmap() ? row.words() : nullptr;
  }
  /// Whether there are such rows.
  [[nodiscard]] bool has_bits() const { return has_bits_; }

  /// Calls visit(column) for every column of row r, in no particular order.
  template <class Visit>
  void for_each(Index r, Visit visit) const {
    if (kind_ != Kind::rows) {
      if (const Index column = target(r); column != kNone) visit(column);
    } else if (pattern_->classes()) {
      for_each_of_class(*pattern_->classes(), r, visit);
    } else {
      pattern_->row(r).for_each(visit);
    }
  }

 private:
  /// Columns of a stored row of a class, from the first position of its window on; without, its bits are read.
  struct Columns {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  void find_runs();
  void find_kind();
  void number_rows();
  void list_columns(const RowClasses& classes);
  void find_bits();

  template <class Visit>
  void for_each_of_class(const RowClasses& classes, Index r, Visit visit) const;

  std::shared_ptr<const Pattern> pattern_;
  Kind kind_ = Kind::rows;
  std::vector<std::uint32_t> lengths_;
  std::vector<std::uint32_t> runs_;
  std::vector<Index> targets_;
  std::vector<std::uint64_t> mask_;
  std::vector<Index> number_of_;
  Index numbers_ = 0;
  std::vector<Columns> columns_of_;  // by class
  std::vector<Index> columns_;
  bool has_bits_ = false;
  std::vector<std::uint64_t> bitmaps_;  // of all rows; empty: of none
  HeldMemory held_;
};

template <class Visit>
void RowReader::for_each_of_class(const RowClasses& classes, Index r, Visit visit) const {
  const ImageShape& in = classes.rows();
  const ImageShape& out = classes.cols();
  const Index x = r % in.width;
  const Index y = r / in.width % in.height;
  const Index channel = r / in.width / in.height;
  const std::size_t place = classes.partition().place(classes.axis(0).class_of[channel], classes.axis(1).class_of[y],
                                                      classes.axis(2).class_of[x]);
  const WindowRow row = classes.row(place);
  if (row.nnz == 0) return;
  const auto first =
      static_cast<Index>((classes.axis(1).offset[y] + row.y) * out.width + classes.axis(2).offset[x] + row.x);
  const Index plane = out.height * out.width;
  if (const Columns listed = columns_of_[place]; listed.end > listed.begin) {
    for (std::size_t i = listed.begin; i < listed.end; ++i) visit(first + columns_[i]);
    return;
  }
  const std::size_t words = bitmap_words(out.channels);
  const std::uint64_t* bits = row.bits;
  for (Index dy = 0; dy < row.height; ++dy) {
    for (Index dx = 0; dx < row.width; ++dx) {
      const Index at = first + dy * out.width + dx;
      if (bits == nullptr) {
        for (Index c = 0; c < out.channels; ++c) visit(at + c * plane);
        continue;
      }
      for (std::size_t w = 0; w < words; ++w) {
        for (std::uint64_t word = *bits++; word != 0; word &= word - 1)
          visit(at + static_cast<Index>(w * 64 + static_cast<unsigned>(std::countr_zero(word))) * plane);
      }
    }
  }
  const WindowColumn& beside = row.beside;
  if (beside.is_there()) visit(first + beside.dy * out.width + beside.dx + beside.channel * plane);
}

}  // namespace upsweep
