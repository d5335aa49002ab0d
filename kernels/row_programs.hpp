#pragma once

#include "row_views.hpp"

/// What a group of threads does for one row of a product. The same code runs on a GPU and, in the tests, on a CPU.
///
/// A Team is the group, as one of its threads sees it; all of its threads call a program with the same arguments.
/// It has
///   rank(), size()          this thread's number and how many there are
///   sync()                  a barrier that also orders their memory accesses
///   sum(value)              the sum of every thread's value, for all of them
///   add(T& target, value)   atomic target += value
///   set_bits(word, bits)    atomic word |= bits, 32-bit
///   count_bits(word)        number of set bits, 32-bit
namespace upsweep::kernels {

/// Element `row` of the vector C = X·y. Cost: nnz of the row.
template <class T, class Team>
UPSWEEP_HOST_DEVICE void vector_program(const Team& team, const OperandsView<T>& op, Index row) {
  const Index* const columns = op.x.row_columns(row);
  const T* const values = op.x_values + op.x.value_begin[row];
  const Index nnz = op.x.row_nnz(row);
  T sum = 0;
  for (Index i = team.rank(); i < nnz; i += team.size()) sum += values[i] * op.y_values[columns[i]];
  sum = team.sum(sum);
  if (team.rank() == 0) op.c_values[row] = sum;
}

/// Row `row` of C where X has at most one entry per row: a multiple of a row of Y, with its columns.
template <class T, class Team>
UPSWEEP_HOST_DEVICE void scale_rows_program(const Team& team, const OperandsView<T>& op, Index row) {
  const Index nnz = op.c.row_nnz(row);
  if (nnz == 0) return;  // then X may have no entry in this row
  const T factor = op.x_values[op.x.value_begin[row]];
  const T* const from = op.y_values + op.y.value_begin[*op.x.row_columns(row)];
  T* const to = op.c_values + op.c.value_begin[row];
  for (Index i = team.rank(); i < nnz; i += team.size()) to[i] = factor * from[i];
}

/// Row `row` of C where Y is a full diagonal: the entries of X times elements of the diagonal.
template <class T, class Team>
UPSWEEP_HOST_DEVICE void scale_columns_program(const Team& team, const OperandsView<T>& op, Index row) {
  const Index nnz = op.x.row_nnz(row);
  const Index* const columns = op.x.row_columns(row);
  const T* const from = op.x_values + op.x.value_begin[row];
  T* const to = op.c_values + op.c.value_begin[row];
  for (Index i = team.rank(); i < nnz; i += team.size()) to[i] = from[i] * op.y_values[columns[i]];
}

}  // namespace upsweep::kernels
