#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "upsweep/sparse/pattern.hpp"

namespace upsweep {

/// The columns of the rows of a store, written out as lists; patterns that share the store share them.
struct ColumnLists {
  std::vector<std::uint64_t> begin;  ///< length stored rows + 1
  std::vector<Index> columns;        ///< ascending within a row

  [[nodiscard]] std::uint64_t bytes() const {
    return begin.size() * sizeof(std::uint64_t) + columns.size() * sizeof(Index);
  }
};

/// How the numbers of a sparse matrix lie in memory: row r has the values [value_begin[r], value_begin[r + 1]), in the
/// order of the columns lists->columns[list_begin[r] ...]. Rows with equal columns share a list.
///
/// The nonempty rows are grouped into teams of 1 to kTeamRows rows that share one list (see ProductSteps).
struct Layout {
  Index rows = 0;
  Index cols = 0;
  std::vector<std::uint64_t> value_begin;    ///< length rows + 1
  std::vector<std::uint64_t> list_begin;     ///< length rows
  std::vector<Index> team_begin;             ///< length teams + 1: positions in team_rows
  std::vector<Index> team_rows;              ///< the nonempty rows, team by team
  std::shared_ptr<const ColumnLists> lists;  ///< shared
  bool is_single = false;                    ///< no row has two entries

  [[nodiscard]] std::uint64_t nnz() const { return value_begin.back(); }
  [[nodiscard]] std::size_t teams() const { return team_begin.size() - 1; }
  [[nodiscard]] Index row_nnz(Index r) const {
    return static_cast<Index>(value_begin[r + std::size_t{1}] - value_begin[r]);
  }
  [[nodiscard]] std::span<const Index> columns(Index r) const {
    return std::span(lists->columns).subspan(list_begin[r], row_nnz(r));
  }
  /// Memory without the shared lists, bytes.
  [[nodiscard]] std::uint64_t own_bytes() const {
    return (value_begin.size() + list_begin.size()) * sizeof(std::uint64_t) +
           (team_begin.size() + team_rows.size()) * sizeof(Index);
  }
};

/// Makes layouts; patterns over the same store get the same lists.
class LayoutMaker {
 public:
  [[nodiscard]] std::shared_ptr<const Layout> make(const Pattern& pattern);

  /// Bytes of all lists and layouts made so far, each counted once.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  // Stores are kept alive, so that an address stands for one store only.
  std::map<std::shared_ptr<const RowStore>, std::shared_ptr<const ColumnLists>> lists_;
  std::uint64_t bytes_ = 0;
};

}  // namespace upsweep
