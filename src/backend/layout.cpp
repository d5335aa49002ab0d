#include "upsweep/backend/layout.hpp"

#include <algorithm>

#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

std::shared_ptr<const ColumnLists> write_out(const RowStore& store) {
  auto lists = std::make_shared<ColumnLists>();
  lists->begin.reserve(store.rows().size() + 1);
  lists->begin.push_back(0);
  for (const Row& row : store.rows()) lists->begin.push_back(lists->begin.back() + row.nnz());
  lists->columns.reserve(lists->begin.back());
  for (const Row& row : store.rows()) {
    row.for_each([&](Index column) { lists->columns.push_back(column); });
  }
  return lists;
}

/// Groups the nonempty rows by their stored row, in teams of at most kTeamRows, in the order of their first rows.
void form_teams(const Pattern& pattern, Layout& layout) {
  constexpr Index kNone = ~Index{0};
  // The rows of each stored row as a linked list, so that the pass over the rows below finds whole groups at once.
  std::vector<Index> last_of(pattern.stored_rows(), kNone);
  std::vector<Index> next(pattern.rows(), kNone);
  std::vector<bool> first(pattern.rows(), false);
  for (Index r = 0; r < pattern.rows(); ++r) {
    if (layout.row_nnz(r) == 0) continue;
    Index& last = last_of[pattern.row_number(r)];
    if (last == kNone) {
      first[r] = true;
    } else {
      next[last] = r;
    }
    last = r;
  }
  layout.team_begin.push_back(0);
  for (Index start = 0; start < pattern.rows(); ++start) {
    if (!first[start]) continue;
    Index members = 0;
    for (Index r = start; r != kNone; r = next[r]) {
      if (members == kTeamRows) {
        layout.team_begin.push_back(static_cast<Index>(layout.team_rows.size()));
        members = 0;
      }
      layout.team_rows.push_back(r);
      ++members;
    }
    layout.team_begin.push_back(static_cast<Index>(layout.team_rows.size()));
  }
}

}  // namespace

std::shared_ptr<const Layout> LayoutMaker::make(const Pattern& pattern) {
  std::shared_ptr<const ColumnLists>& lists = lists_[pattern.store()];
  if (!lists) {
    lists = write_out(*pattern.store());
    bytes_ += lists->bytes();
  }
  auto layout = std::make_shared<Layout>();
  layout->rows = pattern.rows();
  layout->cols = pattern.cols();
  layout->lists = lists;
  layout->is_single = pattern.max_row_nnz() <= 1;
  layout->value_begin.reserve(pattern.rows() + std::size_t{1});
  layout->value_begin.push_back(0);
  layout->list_begin.reserve(pattern.rows());
  for (Index r = 0; r < pattern.rows(); ++r) {
    const Index number = pattern.row_number(r);
    const bool empty = number == Pattern::kEmptyRow;
    layout->list_begin.push_back(empty ? 0 : lists->begin[number]);
    const std::uint64_t nnz = empty ? 0 : lists->begin[number + std::size_t{1}] - lists->begin[number];
    layout->value_begin.push_back(layout->value_begin.back() + nnz);
  }
  form_teams(pattern, *layout);
  bytes_ += layout->own_bytes();
  return layout;
}

}  // namespace upsweep
