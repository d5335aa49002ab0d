#pragma once

#include "row_sums.hpp"

/// Programs (see row_programs.hpp) in which several rows of Y meet in one row of C.
namespace upsweep::kernels {

/// Rows of Y that general_program() looks up ahead of walking them.
inline constexpr Index kStagedRows = 16;

/// A row of Y to be walked, with the numbers of X that it is multiplied by.
template <class T>
struct StagedRow {
  std::uint64_t values;   ///< where its values begin
  std::uint64_t columns;  ///< where its columns begin
  T factors[kTeamRows];   ///< one per member
  Index nnz;
};

/// Bytes of scratch that general_program() takes besides row_sums_bytes(); a multiple of 8.
template <class T>
inline constexpr std::uint64_t kStagingBytes = kStagedRows * sizeof(StagedRow<T>);

/// Entries of a row of Y that a thread has on their way from memory at a time.
inline constexpr Index kInFlight = 4;

/// Of a staged row: a thread's entries from position `begin` on, a team's width apart.
template <class T>
struct RowEntries {
  Index columns[kInFlight];
  T values[kInFlight];
};
template <class T, class Team>
UPSWEEP_HOST_DEVICE RowEntries<T> read_entries(const Team& team, const OperandsView<T>& op, const StagedRow<T>& row,
                                               Index begin) {
  RowEntries<T> entries;
  for (Index i = 0; i < kInFlight; ++i) {
    const Index j = begin + i * team.size();
    const bool is_there = j < row.nnz;
    entries.columns[i] = is_there ? op.y.columns[row.columns + j] : 0;
    entries.values[i] = is_there ? op.y_values[row.values + j] : T{0};
  }
  return entries;
}

/// Looks up the rows of Y for the entries [begin, begin + count) of a team's rows of X.
template <Index kMembers, class T, class Team>
UPSWEEP_HOST_DEVICE void stage_rows(const Team& team, const OperandsView<T>& op, const Index* rows, Index begin,
                                    Index count, StagedRow<T>* staged) {
  const Index* const columns = op.x.row_columns(rows[0]) + begin;
  for (Index i = team.rank(); i < count; i += team.size()) {
    const Index k = columns[i];
    StagedRow<T>& row = staged[i];
    row.values = op.y.value_begin[k];
    row.columns = op.y.list_begin[k];
    row.nnz = op.y.row_nnz(k);
    for (Index m = 0; m < kMembers; ++m) row.factors[m] = op.x_values[op.x.value_begin[rows[m]] + begin + i];
  }
}

/// Adds up staged rows of Y, one after the other: the columns of one are distinct, so that the threads of the team
/// share it without atomics. Ends with a barrier.
template <Index kMembers, SumStorage kStorage, class T, class Team>
UPSWEEP_HOST_DEVICE void walk_rows(const Team& team, const OperandsView<T>& op, const StagedRow<T>* staged, Index count,
                                   const RowSums<T, kStorage, kMembers>& sums) {
  const Index rank = team.rank();
  const Index stride = kInFlight * team.size();
  RowEntries<T> entries = read_entries(team, op, staged[0], rank);  // a row ahead, to hide the latency of memory
  for (Index i = 0; i < count; ++i) {
    const StagedRow<T>& row = staged[i];
    T factors[kMembers];
    for (Index m = 0; m < kMembers; ++m) factors[m] = row.factors[m];
    RowEntries<T> next{};
    if (i + 1 < count) next = read_entries(team, op, staged[i + 1], rank);
    for (Index begin = rank; begin < row.nnz; begin += stride) {
      const Index left = (row.nnz - begin - 1) / team.size() + 1;  // entries of this thread from here on
      if (left > kInFlight) {
        const RowEntries<T> later = read_entries(team, op, row, begin + stride);
        sums.template add<kInFlight>(team, entries.columns, factors, entries.values, kInFlight);
        entries = later;
      } else {
        sums.template add<kInFlight>(team, entries.columns, factors, entries.values, left);
      }
    }
    team.sync();  // the next row may have the same columns in other threads
    entries = next;
  }
}

/// A team's rows of C where each is a sum of rows of Y. `scratch` has kStagingBytes<T> and row_sums_bytes().
template <Index kMembers, SumStorage kStorage, class T, class Team>
UPSWEEP_HOST_DEVICE void general_program(const Team& team, const OperandsView<T>& op, const Index* rows,
                                         unsigned char* scratch) {
  StagedRow<T>* const staged = reinterpret_cast<StagedRow<T>*>(scratch);
  const RowSums<T, kStorage, kMembers> sums(team, op, rows, scratch + kStagingBytes<T>);
  const Index nnz = op.x.row_nnz(rows[0]);
  for (Index begin = 0; begin < nnz; begin += kStagedRows) {
    const Index count = nnz - begin < kStagedRows ? nnz - begin : kStagedRows;
    stage_rows<kMembers>(team, op, rows, begin, count, staged);
    team.sync();
    walk_rows<kMembers>(team, op, staged, count, sums);
  }
  sums.write_out(team, op, rows);
}

/// A team's rows of C where Y has at most one entry per row: the threads share the entries of X. `scratch` has
/// row_sums_bytes().
template <Index kMembers, SumStorage kStorage, class T, class Team>
UPSWEEP_HOST_DEVICE void single_columns_program(const Team& team, const OperandsView<T>& op, const Index* rows,
                                                unsigned char* scratch) {
  const RowSums<T, kStorage, kMembers> sums(team, op, rows, scratch);
  const Index nnz = op.x.row_nnz(rows[0]);
  const Index* const columns = op.x.row_columns(rows[0]);
  for (Index i = team.rank(); i < nnz; i += team.size()) {
    const Index k = columns[i];
    if (op.y.row_nnz(k) == 0) continue;
    T factors[kMembers];
    for (Index m = 0; m < kMembers; ++m) factors[m] = op.x_values[op.x.value_begin[rows[m]] + i];
    sums.add_atomic(team, *op.y.row_columns(k), factors, op.y_values[op.y.value_begin[k]]);
  }
  team.sync();
  sums.write_out(team, op, rows);
}

/// A program for teams of RowSums, for any number of members: program.template run<kMembers>(...).
template <class Program, class T, class Team>
UPSWEEP_HOST_DEVICE void run_with_members(const Program& program, const Team& team, const OperandsView<T>& op,
                                          const RowTeam& row_team, unsigned char* scratch) {
  static_assert(kTeamRows == 4);
  switch (row_team.members) {
    case 1:
      return program.template run<1>(team, op, row_team.rows, scratch);
    case 2:
      return program.template run<2>(team, op, row_team.rows, scratch);
    case 3:
      return program.template run<3>(team, op, row_team.rows, scratch);
    default:
      return program.template run<4>(team, op, row_team.rows, scratch);
  }
}

/// general_program() for run_with_members().
template <SumStorage kStorage>
struct General {
  template <Index kMembers, class T, class Team>
  UPSWEEP_HOST_DEVICE void run(const Team& team, const OperandsView<T>& op, const Index* rows,
                               unsigned char* scratch) const {
    general_program<kMembers, kStorage>(team, op, rows, scratch);
  }
};

/// single_columns_program() for run_with_members().
template <SumStorage kStorage>
struct SingleColumns {
  template <Index kMembers, class T, class Team>
  UPSWEEP_HOST_DEVICE void run(const Team& team, const OperandsView<T>& op, const Index* rows,
                               unsigned char* scratch) const {
    single_columns_program<kMembers, kStorage>(team, op, rows, scratch);
  }
};

}  // namespace upsweep::kernels
