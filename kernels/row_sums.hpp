#pragma once

#include <type_traits>

#include "column_lookup.hpp"

namespace upsweep::kernels {

/// Where a team of rows of C is added up and how the position of a column is found. Scratch is fast shared memory.
enum class SumStorage : std::uint8_t {
  scratch,       ///< sums and bitmap in scratch
  result,        ///< sums in C itself, bitmap in scratch
  result_search  ///< sums in C itself, binary search: nothing of a row's size in scratch
};

/// Bytes of scratch that RowSums takes for `members` rows of `nnz` columns from `first` to `last`.
template <class T>
[[nodiscard]] constexpr std::uint64_t row_sums_bytes(SumStorage storage, Index members, Index nnz, Index first,
                                                     Index last) {
  if (storage == SumStorage::result_search) return 0;
  const std::uint64_t bitmap = std::uint64_t{lookup_words(first, last)} * sizeof(LookupWord);
  return storage == SumStorage::result ? bitmap : bitmap + std::uint64_t{members} * nnz * sizeof(T);
}

/// Sums of kMembers rows of C that share their columns, seen from one thread of a team.
template <class T, SumStorage kStorage, Index kMembers>
class RowSums {
  using Lookup = std::conditional_t<kStorage == SumStorage::result_search, SearchLookup, BitmapLookup>;

 public:
  /// Zeros, for the rows `rows` (length kMembers) of C; they have at least one entry. `scratch` is aligned to 8 bytes
  /// and has room for row_sums_bytes(). Ends with a barrier.
  template <class Team>
  UPSWEEP_HOST_DEVICE RowSums(const Team& team, const OperandsView<T>& op, const Index* rows, unsigned char* scratch)
      : nnz_(op.c.row_nnz(rows[0])), lookup_(op.c.row_columns(rows[0]), nnz_, scratch) {
    T* const sums = reinterpret_cast<T*>(scratch + lookup_.bytes());
    for (Index m = 0; m < kMembers; ++m) {
      if constexpr (kStorage == SumStorage::scratch) {
        sums_[m] = sums + std::uint64_t{m} * nnz_;
      } else {
        sums_[m] = op.c_values + op.c.value_begin[rows[m]];
      }
    }
    lookup_.clear(team);
    for (Index m = 0; m < kMembers; ++m) {
      for (Index p = team.rank(); p < nnz_; p += team.size()) sums_[m][p] = 0;
    }
    team.sync();
    lookup_.fill(team);
    team.sync();
  }

  /// Adds factors[m] · values[i] to member m at columns[i], for i below `count` of at most kCount. No column may come
  /// twice between two barriers, from whatever thread: sums are read together before they are written, since one after
  /// the other would wait for memory each time.
  template <Index kCount, class Team>
  UPSWEEP_HOST_DEVICE void add(const Team& team, const Index (&columns)[kCount], const T (&factors)[kMembers],
                               const T (&values)[kCount], Index count) const {
    Index positions[kCount];
    for (Index i = 0; i < kCount; ++i) positions[i] = i < count ? lookup_.position(team, columns[i]) : 0;
    for (Index m = 0; m < kMembers; ++m) {
      T sums[kCount];
      for (Index i = 0; i < kCount; ++i) sums[i] = i < count ? sums_[m][positions[i]] : T{0};
      for (Index i = 0; i < kCount; ++i) {
        if (i < count) sums_[m][positions[i]] = sums[i] + factors[m] * values[i];
      }
    }
  }

  /// The same for threads that may meet in one column.
  template <class Team>
  UPSWEEP_HOST_DEVICE void add_atomic(const Team& team, Index column, const T (&factors)[kMembers], T value) const {
    const Index p = lookup_.position(team, column);
    for (Index m = 0; m < kMembers; ++m) team.add(sums_[m][p], factors[m] * value);
  }

  /// Copies the sums to C where they are not there already; after a barrier.
  template <class Team>
  UPSWEEP_HOST_DEVICE void write_out(const Team& team, const OperandsView<T>& op, const Index* rows) const {
    if constexpr (kStorage == SumStorage::scratch) {
      for (Index m = 0; m < kMembers; ++m) {
        T* const to = op.c_values + op.c.value_begin[rows[m]];
        for (Index p = team.rank(); p < nnz_; p += team.size()) to[p] = sums_[m][p];
      }
    }
  }

 private:
  Index nnz_;
  Lookup lookup_;
  T* sums_[kMembers];
};

}  // namespace upsweep::kernels
