#pragma once

#include "row_views.hpp"

namespace upsweep::kernels {

/// 32 columns of a row: which of them it has, and the position in the row of the first that it has.
struct LookupWord {
  std::uint32_t bits;
  std::uint32_t rank;  ///< undefined where bits is 0
};

/// Number of LookupWords from column `first` to column `last` of a row.
[[nodiscard]] UPSWEEP_HOST_DEVICE constexpr Index lookup_words(Index first, Index last) {
  return last / 32 - first / 32 + 1;
}

/// Finds a column's position in a row by a bitmap with prefix ranks, in one step.
///
/// Call clear(), then fill(), then position(), with a barrier after each; all threads of a team.
class BitmapLookup {
 public:
  /// `columns` (length `nnz` >= 1) ascend; `scratch` has room for bytes().
  UPSWEEP_HOST_DEVICE BitmapLookup(const Index* columns, Index nnz, unsigned char* scratch)
      : words_(reinterpret_cast<LookupWord*>(scratch)),
        columns_(columns),
        nnz_(nnz),
        first_(columns[0] / 32),
        count_(lookup_words(columns[0], columns[nnz - 1])) {}

  [[nodiscard]] UPSWEEP_HOST_DEVICE std::uint64_t bytes() const { return std::uint64_t{count_} * sizeof(LookupWord); }

  template <class Team>
  UPSWEEP_HOST_DEVICE void clear(const Team& team) const {
    for (Index w = team.rank(); w < count_; w += team.size()) words_[w].bits = 0;
  }

  template <class Team>
  UPSWEEP_HOST_DEVICE void fill(const Team& team) const {
    for (Index p = team.rank(); p < nnz_; p += team.size()) {
      const Index column = columns_[p];
      LookupWord& word = words_[column / 32 - first_];
      team.set_bits(word.bits, std::uint32_t{1} << (column % 32));
      // The columns ascend, so that the first one of a word knows the word's rank: no prefix sum is needed.
      if (p == 0 || columns_[p - 1] / 32 != column / 32) word.rank = p;
    }
  }

  /// The position of a column that the row has.
  template <class Team>
  [[nodiscard]] UPSWEEP_HOST_DEVICE Index position(const Team& team, Index column) const {
    const LookupWord word = words_[column / 32 - first_];
    const std::uint32_t below = (std::uint32_t{1} << (column % 32)) - 1;
    return word.rank + static_cast<Index>(team.count_bits(word.bits & below));
  }

 private:
  LookupWord* words_;
  const Index* columns_;
  Index nnz_;
  Index first_;
  Index count_;
};

/// Finds a column's position in a row by binary search, for rows that are too wide for a bitmap.
class SearchLookup {
 public:
  UPSWEEP_HOST_DEVICE SearchLookup(const Index* columns, Index nnz, unsigned char* /*scratch*/)
      : columns_(columns), nnz_(nnz) {}

  [[nodiscard]] UPSWEEP_HOST_DEVICE std::uint64_t bytes() const { return 0; }

  template <class Team>
  UPSWEEP_HOST_DEVICE void clear(const Team& /*team*/) const {}
  template <class Team>
  UPSWEEP_HOST_DEVICE void fill(const Team& /*team*/) const {}

  /// The position of a column that the row has.
  template <class Team>
  [[nodiscard]] UPSWEEP_HOST_DEVICE Index position(const Team& /*team*/, Index column) const {
    Index low = 0;
    Index count = nnz_;
    while (count > 1) {  // columns_[low] <= column, and below columns_[low + count] if there is one
      const Index half = count / 2;
      if (columns_[low + half] <= column) low += half;
      count -= half;
    }
    return low;
  }

 private:
  const Index* columns_;
  Index nnz_;
};

}  // namespace upsweep::kernels
