#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "upsweep/sparse/row.hpp"

namespace upsweep {

/// The elements of an activation, numbered channel-major: c * height * width + y * width + x.
struct ImageShape {
  Index channels = 1;
  Index height = 1;
  Index width = 1;

  [[nodiscard]] std::uint64_t elements() const { return std::uint64_t{channels} * height * width; }
  /// Size along an axis: channels, height, width.
  [[nodiscard]] Index along(std::size_t axis) const { return axis == 0 ? channels : axis == 1 ? height : width; }

  friend bool operator==(const ImageShape&, const ImageShape&) = default;
};

/// The positions of rows along one axis. Rows whose positions have the same classes along all axes are equal up to a
/// shift of their columns.
struct AxisClasses {
  std::vector<Index> class_of;       ///< by position, below `classes`
  std::vector<std::int64_t> offset;  ///< by position: what the shift adds to a column's position; 0 for channels
  /// By position: rows whose positions have the same numbers along all axes are equal and share their storage (see
  /// Pattern::row_number), as far as work is planned. Below the number of positions.
  std::vector<Index> twin_of;
  Index classes = 0;

  /// Every position is a class of its own, or all are one; `offset` is 0.
  static AxisClasses each(Index positions);
  static AxisClasses one(Index positions);
};

/// One column of a row of a class: a channel at a position, counted from the first one of the row's window.
struct WindowColumn {
  static constexpr Index kNone = ~Index{0};
  Index channel = kNone;  ///< kNone: no column
  Index dy = 0;
  Index dx = 0;

  [[nodiscard]] bool is_there() const { return channel != kNone; }

  friend bool operator==(const WindowColumn&, const WindowColumn&) = default;
};

/// Columns of a row up to a shift: within a window of image positions, at each of them bits of the channels. Does not
/// own its memory.
struct WindowRow {
  std::int64_t y = 0;  ///< first position of the window; the shift of a row is added
  std::int64_t x = 0;
  Index height = 0;  ///< of the window, positions; 0 without columns
  Index width = 0;
  Index nnz = 0;
  /// Length height * width * bitmap_words(channels), row by row, channels innermost, zeros past the last channel; null
  /// where every channel of every position of the window is a column.
  const std::uint64_t* bits = nullptr;
  /// A column of the window that is not among the bits, which has some: rows that differ by one column alone, as those
  /// of an identity plus equal rows do, share their bits.
  WindowColumn beside = {};

  /// Whether there is a column: channel c at a position counted from the first; `words`: bitmap_words(channels).
  [[nodiscard]] bool has(Index c, Index dy, Index dx, std::size_t words) const {
    if (bits == nullptr || (bits[(std::size_t{dy} * width + dx) * words + c / 64] >> (c % 64) & 1) != 0) return true;
    return beside == WindowColumn{c, dy, dx};
  }
  /// Whether another row has the same columns but for those beside.
  [[nodiscard]] bool shares_bits(const WindowRow& other) const {
    return bits == other.bits && y == other.y && x == other.x && height == other.height && width == other.width;
  }
};

using WindowStore = StoreOf<WindowRow>;

/// How many positions share a twin number, and for how many twin numbers of a class that is so.
struct Repeats {
  std::uint64_t uses = 0;
  std::uint64_t count = 0;
};

/// Positions that the columns of a class of rows lie within, before the shift: first, and past the last.
struct Reach {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  [[nodiscard]] bool is_empty() const { return begin >= end; }
};

/// The rows of an image in classes, by their positions along channels, height and width.
class RowPartition {
 public:
  explicit RowPartition(std::array<AxisClasses, 3> axes);

  [[nodiscard]] const AxisClasses& axis(std::size_t axis) const { return axes_[axis]; }

  /// Number of classes of rows: all combinations of those along the axes.
  [[nodiscard]] std::size_t size() const { return std::size_t{axes_[0].classes} * axes_[1].classes * axes_[2].classes; }
  /// Number of a class: channels first, x innermost.
  [[nodiscard]] std::size_t place(Index channel, Index y, Index x) const {
    return (std::size_t{channel} * axes_[1].classes + y) * axes_[2].classes + x;
  }
  /// The classes along the axes of place().
  [[nodiscard]] std::array<Index, 3> classes_at(std::size_t place) const;

  /// Rows of a class.
  [[nodiscard]] std::uint64_t rows_of(std::size_t place) const;
  /// The rows of a class by how many share their storage; rows_of() is the sum of uses · count.
  [[nodiscard]] std::vector<Repeats> repeats_of(std::size_t place) const;

  /// Bytes.
  [[nodiscard]] std::size_t memory() const;

 private:
  std::array<AxisClasses, 3> axes_;
  std::array<std::vector<std::uint64_t>, 3> sizes_;           // positions, by axis and class
  std::array<std::vector<std::vector<Repeats>>, 3> repeats_;  // by axis and class
};

/// The rows of a pattern over images by classes: rows inside an image are shifts of each other. Immutable.
///
/// Memory grows with the classes and with the sizes of the axes, not with the number of rows.
class RowClasses {
 public:
  /// Number in place of a stored row for rows without entries.
  static constexpr Index kNoRow = ~Index{0};

  /// Shapes: `partition` has the positions of `rows`; `numbers` has for each of its classes the stored row, or kNoRow.
  RowClasses(ImageShape rows, ImageShape cols, RowPartition partition, std::vector<Index> numbers,
             std::shared_ptr<const WindowStore> store);

  [[nodiscard]] const ImageShape& rows() const { return rows_; }
  [[nodiscard]] const ImageShape& cols() const { return cols_; }
  [[nodiscard]] const RowPartition& partition() const { return partition_; }
  [[nodiscard]] const AxisClasses& axis(std::size_t axis) const { return partition_.axis(axis); }
  [[nodiscard]] const std::vector<Index>& numbers() const { return numbers_; }
  [[nodiscard]] const std::shared_ptr<const WindowStore>& store() const { return store_; }

  /// The class of row r.
  [[nodiscard]] std::size_t place_of(Index r) const {
    return partition_.place(axis(0).class_of[r / rows_.width / rows_.height],
                            axis(1).class_of[r / rows_.width % rows_.height], axis(2).class_of[r % rows_.width]);
  }
  /// The columns of a class, before the shift.
  [[nodiscard]] WindowRow row(std::size_t place) const {
    return numbers_[place] == kNoRow ? WindowRow{} : store_->rows()[numbers_[place]];
  }

  /// Bounds of the columns of all rows with a class along an axis (1: y, 2: x), before the shift.
  [[nodiscard]] const Reach& reach(std::size_t axis, Index class_number) const { return reach_[axis][class_number]; }

  /// Calls visit(column) for every column of row r, ascending. Cost: O(channels · window).
  template <class Visit>
  void for_each(Index r, Visit visit) const;

  /// Memory of this object, shared rows counted in full; bytes.
  [[nodiscard]] std::size_t memory() const;

 private:
  ImageShape rows_;
  ImageShape cols_;
  RowPartition partition_;
  std::vector<Index> numbers_;
  std::shared_ptr<const WindowStore> store_;
  std::array<std::vector<Reach>, 3> reach_;  // by axis and class; of channels empty
};

template <class Visit>
void RowClasses::for_each(Index r, Visit visit) const {
  const Index x = r % rows_.width;
  const Index y = r / rows_.width % rows_.height;
  const WindowRow mine = row(place_of(r));
  const std::size_t words = bitmap_words(cols_.channels);
  const auto first_y = static_cast<std::uint64_t>(axis(1).offset[y] + mine.y);
  const auto first_x = static_cast<std::uint64_t>(axis(2).offset[x] + mine.x);
  for (Index c = 0; c < cols_.channels; ++c) {
    for (Index dy = 0; dy < mine.height; ++dy) {
      const std::uint64_t line = (std::uint64_t{c} * cols_.height + first_y + dy) * cols_.width + first_x;
      for (Index dx = 0; dx < mine.width; ++dx) {
        if (mine.has(c, dy, dx, words)) visit(static_cast<Index>(line + dx));
      }
    }
  }
}

/// Where the only entry of each row stands, of rows with at most one: a position along each axis, so that there is an
/// entry where all three are.
struct SingleEntries {
  static constexpr std::int64_t kNone = -1;
  std::array<std::vector<std::int64_t>, 3> target;  ///< by axis and position of the rows: that of the column, or kNone
};

/// The entries of classes with at most one per row; nothing where they do not depend on each axis alone.
[[nodiscard]] std::optional<SingleEntries> single_entries(const RowClasses& classes);

/// Appends the columns of row r, ascending and without repetition, to `columns` (which is empty).
using RowWriter = std::function<void(Index r, std::vector<Index>& columns)>;

/// Builds classes from one row of each: `write` is called for the row at the first positions of every class, on several
/// threads. The axes are as in RowClasses.
[[nodiscard]] RowClasses build_classes(ImageShape rows, ImageShape cols, RowPartition partition,
                                       const RowWriter& write);

}  // namespace upsweep
