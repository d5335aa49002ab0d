#include "row_groups.hpp"

#include <algorithm>

namespace upsweep {
namespace {

bool selects(const RowReader& reader) { return reader.kind() != RowReader::Kind::rows; }

/// The rows of the base that an element selects, by those that the element before it does.
std::vector<Index> source_after(const RowReader& reader, const std::vector<Index>& before) {
  if (reader.kind() == RowReader::Kind::identity) return before;
  std::vector<Index> source(reader.rows(), RowReader::kNone);
  for (Index r = 0; r < reader.rows(); ++r) {
    const Index target = reader.target(r);
    if (target != RowReader::kNone) source[r] = before.empty() ? target : before[target];
  }
  return source;
}

void find_uses(const RowReader& base, Index rows, RowEnd& end) {
  if (end.source.empty() && base.is_each()) return;
  end.uses.assign(base.numbers(), 0);
  for (Index r = 0; r < rows; ++r) {
    const Index mine = end.source.empty() ? r : end.source[r];
    if (mine != RowReader::kNone) ++end.uses[base.number(mine)];
  }
}

std::vector<Index> first_rows(const RowReader& base) {
  if (base.is_each()) return {};
  std::vector<Index> rows(base.numbers(), RowReader::kNone);
  for (Index r = base.rows(); r-- > 0;) rows[base.number(r)] = r;
  return rows;
}

void ask(const ProductPlan& plan, std::vector<RowGroup>& groups) {
  std::vector<RowEnd*> end_at;
  std::vector<std::uint32_t> base_at;
  for (RowGroup& group : groups) {
    for (RowEnd& end : group.ends) {
      end_at.push_back(&end);
      base_at.push_back(group.base);
    }
  }
  for (std::size_t number = 0; number < plan.splits_of().size(); ++number) {
    const ValueRange range = plan.range(number);
    RowEnd& end = *end_at[range.last - 1];
    (range.first <= base_at[range.last - 1] ? end.ranges : end.selected_ranges).push_back({number, range.first});
  }
  for (std::size_t number = 0; number < plan.splits().size(); ++number) {
    const ProductPlan::Split& split = plan.splits()[number];
    RowEnd& end = *end_at[split.range.last - 1];
    (split.split < base_at[split.range.last - 1] ? end.splits : end.selected_splits)
        .push_back({number, split.range.first, split.split});
  }
  for (RowEnd* end : end_at) {
    for (std::vector<EndRange>* ranges : {&end->ranges, &end->selected_ranges})
      std::ranges::stable_sort(*ranges, std::greater<>(), &EndRange::first);
    for (std::vector<EndSplit>* splits : {&end->splits, &end->selected_splits})
      std::ranges::stable_sort(*splits, std::greater<>(), &EndSplit::split);
  }
}

}  // namespace

std::vector<RowGroup> row_groups(const WalkedChain& chain, const ProductPlan& plan) {
  std::vector<RowGroup> groups;
  for (std::uint32_t position = 1; position <= chain.size(); ++position) {
    const RowReader& reader = chain[position - 1];
    RowEnd end;
    end.position = position;
    if (!selects(reader) || groups.empty()) {
      RowGroup& group = groups.emplace_back();
      if (!selects(reader)) {
        group.base = position;
        group.rows = first_rows(reader);
        group.held.add(group.rows.size() * sizeof(Index));
      }
    } else if (groups.back().base > 0) {
      end.source = source_after(reader, groups.back().ends.back().source);
    }
    RowGroup& group = groups.back();
    if (group.base > 0) find_uses(chain[group.base - 1], reader.rows(), end);
    end.held.add(end.source.size() * sizeof(Index) + end.uses.size() * sizeof(std::uint32_t));
    group.ends.push_back(std::move(end));
  }
  ask(plan, groups);
  return groups;
}

const RowGroup& group_of(const std::vector<RowGroup>& groups, std::uint32_t position) {
  return *std::prev(std::ranges::upper_bound(groups, position, {},
                                             [](const RowGroup& group) { return group.ends.front().position; }));
}

}  // namespace upsweep
