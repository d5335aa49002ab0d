#pragma once

#include <cstdint>
#include <vector>

#include "range_products.hpp"
#include "row_groups.hpp"
#include "row_lengths.hpp"
#include "row_stages.hpp"
#include "upsweep/sparse/row_walk.hpp"

namespace upsweep {

/// Products over ranges of one chain, counted without keeping any: a row is made by a walk from its element down the
/// array, which passes through the rows of all products that end there; of products that later ones are multiplied by,
/// the lengths of rows are kept. Counts are those of multiply() and count_products(), also as a plan executes them.
///
/// Memory: what RowReader keeps of the elements, a number for each row of an element and of a product that is an
/// earlier operand, and a few bits for each column and thread. Cost: the walks, at most the matched pairs of each row
/// with the elements one after the other.
class RowProducts {
 public:
  /// `keeps_lengths`: for estimates after the counts. `chain` and `plan` outlive it. Throws OutOfRoom.
  RowProducts(const JacobianChain& chain, const ProductPlan& plan, bool keeps_lengths);

  /// Counts everything but what only schedules need that were refused a product. Arguments as of ProductPlan::count().
  void count(const CountLimits& limits, std::vector<ProductPlan::Spent>& spent, ProductPlan::Counts& counts);

  /// What needs no walk: products whose rows have an entry at most, and those whose later operand has, as far as the
  /// lengths of the earlier one are known.
  void count_selected(ProductPlan::Counts& counts);

  /// Gives the products of a range the sums of their result.
  void share_sums(std::size_t range, ProductPlan::Counts& counts) const;

  [[nodiscard]] const ProductPlan& plan() const { return plan_; }
  [[nodiscard]] const WalkedChain& chain() const { return chain_; }
  [[nodiscard]] const std::vector<RowGroup>& groups() const { return groups_; }
  [[nodiscard]] const RowLengths& lengths() const { return lengths_; }
  /// The most entries in a row of a range; 0 where it is not known.
  [[nodiscard]] std::uint64_t longest_row(ValueRange range, const ProductPlan::Counts& counts) const;

 private:
  struct Walked;
  class Walker;

  void count_walks(const RowGroup& group, const CountLimits& limits, std::vector<ProductPlan::Spent>& spent,
                   ProductPlan::Counts& counts);
  void count_selections(const RowGroup& group, const RowEnd& end, ProductPlan::Counts& counts);
  [[nodiscard]] RowStages wanted(const RowGroup& group, const std::vector<ProductPlan::Spent>& spent,
                                 const ProductPlan::Counts& counts) const;
  [[nodiscard]] Walked walk(const RowGroup& group, const RowStages& stages, WorkMeter& meter) const;
  void take_over(const RowGroup& group, const RowStages& stages, Walked walked,
                 const std::vector<ProductPlan::Spent>& spent, ProductPlan::Counts& counts);
  void keep_lengths(const RowGroup& group, const RangeJob& job, const std::vector<std::uint32_t>& by_number,
                    const std::vector<std::uint8_t>& is_run);

  const ProductPlan& plan_;
  WalkedChain chain_;
  std::vector<RowGroup> groups_;
  RowLengths lengths_;
};

}  // namespace upsweep
