#include "upsweep/sparse/row_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "upsweep/base/parallel.hpp"
#include "upsweep/sparse/runs.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kReadRowsPerChunk = 1 << 14;

/// The numbers of in_rows(): positions of twins along each axis have one number.
std::array<std::vector<Index>, 3> twin_numbers(const RowClasses& classes, std::array<Index, 3>& sizes) {
  std::array<std::vector<Index>, 3> numbers;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::vector<Index>& twin_of = classes.axis(a).twin_of;
    std::vector<Index> number_of(twin_of.size(), RowReader::kNone);
    sizes[a] = 0;
    for (const Index twin : twin_of) {
      if (number_of[twin] == RowReader::kNone) number_of[twin] = sizes[a]++;
      numbers[a].push_back(number_of[twin]);
    }
  }
  return numbers;
}

}  // namespace

RowReader::RowReader(std::shared_ptr<const Pattern> pattern) : pattern_(std::move(pattern)) {
  number_rows();
  if (pattern_->is_full_diagonal()) {
    kind_ = Kind::identity;
    return;
  }
  const std::size_t padded = bitmap_words(rows()) * 64;
  held_.add(padded * sizeof(std::uint32_t));
  lengths_.resize(padded);
  parallel_chunks(rows(), kReadRowsPerChunk, [&](std::size_t begin, std::size_t end, std::size_t) {
    const RowClasses* classes = pattern_->classes().get();
    for (std::size_t r = begin; r < end; ++r) {
      if (classes == nullptr) {
        lengths_[r] = pattern_->row(static_cast<Index>(r)).nnz();
        continue;
      }
      lengths_[r] = classes->row(classes->place_of(static_cast<Index>(r))).nnz;
    }
  });
  if (pattern_->classes()) list_columns(*pattern_->classes());
  find_runs();
  find_kind();
  if (kind_ == Kind::rows) find_bits();
}

void RowReader::find_runs() {
  if (pattern_->max_row_nnz() <= kShortRun) return;
  const RowClasses* classes = pattern_->classes().get();
  std::vector<bool> of_class;
  if (classes != nullptr) {
    for (std::size_t place = 0; place < classes->partition().size(); ++place)
      of_class.push_back(is_run(classes->row(place), classes->cols()));
    if (std::ranges::find(of_class, true) == of_class.end()) return;
  }
  for (Index r = 0; r < rows(); ++r) {
    if (!(classes == nullptr ? is_run(pattern_->row(r)) : of_class[classes->place_of(r)])) continue;
    if (runs_.empty()) {
      held_.add(lengths_.size() * sizeof(std::uint32_t));
      runs_.resize(lengths_.size());
    }
    runs_[r] = lengths_[r];
  }
}

/// Words of bits are read 64 columns at once: rows of classes that have more columns than words become bitmaps, unless
/// that takes much memory.
void RowReader::find_bits() {
  constexpr std::size_t kMostBitmapBytes = std::size_t{1} << 26;
  if (!pattern_->classes()) {
    for (Index r = 0; r < rows() && !has_bits_; ++r) has_bits_ = pattern_->row(r).is_bitmap();
    return;
  }
  const std::size_t words = bitmap_words(cols());
  if (pattern_->nnz() < words * rows() || words * rows() > kMostBitmapBytes / sizeof(std::uint64_t)) return;
  held_.add(words * rows() * sizeof(std::uint64_t));
  std::vector<std::uint64_t> bitmaps(words * rows(), 0);
  parallel_chunks(rows(), kReadRowsPerChunk / 64, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t r = begin; r < end; ++r) {
      std::uint64_t* mine = bitmaps.data() + r * words;
      for_each(static_cast<Index>(r), [mine](Index column) { mine[column / 64] |= std::uint64_t{1} << (column % 64); });
    }
  });
  bitmaps_ = std::move(bitmaps);
  has_bits_ = true;
}

void RowReader::find_kind() {
  if (pattern_->max_row_nnz() > 1) return;
  bool is_mask = rows() == cols();
  std::vector<Index> targets(rows(), kNone);
  for (Index r = 0; r < rows(); ++r) {
    for_each(r, [&](Index column) { targets[r] = column; });
    is_mask = is_mask && (targets[r] == kNone || targets[r] == r);
  }
  if (!is_mask) {
    kind_ = Kind::selection;
    held_.add(targets.size() * sizeof(Index));
    targets_ = std::move(targets);
    return;
  }
  kind_ = Kind::mask;
  held_.add(bitmap_words(rows()) * sizeof(std::uint64_t));
  mask_.assign(bitmap_words(rows()), 0);
  for (Index r = 0; r < rows(); ++r) {
    if (lengths_[r] > 0) mask_[r / 64] |= std::uint64_t{1} << (r % 64);
  }
}

void RowReader::number_rows() {
  numbers_ = rows();
  bool is_each = true;
  std::vector<Index> number_of(rows());
  if (const RowClasses* classes = pattern_->classes().get()) {
    std::array<Index, 3> sizes{};
    const std::array<std::vector<Index>, 3> twins = twin_numbers(*classes, sizes);
    is_each = std::uint64_t{sizes[0]} * sizes[1] * sizes[2] == rows();
    Index r = 0;
    for (Index c = 0; c < twins[0].size() && !is_each; ++c) {
      for (const Index y : twins[1]) {
        for (const Index x : twins[2]) number_of[r++] = (twins[0][c] * sizes[1] + y) * sizes[2] + x;
      }
    }
    if (!is_each) numbers_ = sizes[0] * sizes[1] * sizes[2];
  } else {
    // Rows that are stored; those that are not have no entries and share a number of their own.
    const Index stored = pattern_->stored_rows();
    for (Index r = 0; r < rows(); ++r) {
      const Index number = pattern_->row_number(r);
      number_of[r] = number == Pattern::kEmptyRow ? stored : number;
      is_each = is_each && number == r;
    }
    if (!is_each) numbers_ = stored + 1;
  }
  if (is_each) return;
  held_.add(number_of.size() * sizeof(Index));
  number_of_ = std::move(number_of);
}

/// Lists the columns of rows with few of them among the bits of their windows.
void RowReader::list_columns(const RowClasses& classes) {
  constexpr std::size_t kFewInWord = 4;
  const ImageShape& out = classes.cols();
  const std::size_t words = bitmap_words(out.channels);
  const Index plane = out.height * out.width;
  const auto is_listed = [&](const WindowRow& row) {
    return row.bits != nullptr && row.nnz <= std::size_t{row.height} * row.width * words * kFewInWord;
  };
  columns_of_.resize(classes.partition().size());
  std::size_t columns = 0;
  for (std::size_t place = 0; place < columns_of_.size(); ++place) {
    if (is_listed(classes.row(place))) columns += classes.row(place).nnz;
  }
  held_.add(columns * sizeof(Index) + columns_of_.size() * sizeof(Columns));
  columns_.reserve(columns);
  for (std::size_t place = 0; place < columns_of_.size(); ++place) {
    const WindowRow row = classes.row(place);
    if (!is_listed(row)) continue;
    columns_of_[place].begin = columns_.size();
    const std::uint64_t* bits = row.bits;
    for (Index dy = 0; dy < row.height; ++dy) {
      for (Index dx = 0; dx < row.width; ++dx) {
        for (std::size_t w = 0; w < words; ++w) {
          for (std::uint64_t word = *bits++; word != 0; word &= word - 1) {
            const auto channel = static_cast<Index>(w * 64 + static_cast<unsigned>(std::countr_zero(word)));
            columns_.push_back(channel * plane + dy * out.width + dx);
          }
        }
      }
    }
    const WindowColumn& beside = row.beside;
    if (beside.is_there()) columns_.push_back(beside.channel * plane + beside.dy * out.width + beside.dx);
    columns_of_[place].end = columns_.size();
  }
}

}  // namespace upsweep
