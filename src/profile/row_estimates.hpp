#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "row_products.hpp"
#include "row_sample.hpp"

namespace upsweep {

/// Estimates of products over ranges of one chain that were not counted, from rows that are drawn.
///
/// Of each group of products with the same rows (RowGroup), kSampleGroups samples are drawn, each on its own: the rows
/// are sorted by which products have them and by the lengths of the base's rows, cut into strata of one size, and one
/// row of each stratum is walked down the array. Entries of a product are the sum over the strata of their sizes times
/// the entries of the row. Matched pairs with an earlier operand whose lengths are not known are those of one column of
/// the row, drawn and walked on its own, times the columns. Both are unbiased. Strata are added until the interval of
/// the FLOPs of every schedule is as narrow as asked for, most where a row's variance is largest for its work (Neyman's
/// allocation), or until the limit of work.
///
/// The size estimation of E. Cohen ("Size-estimation framework with applications to transitive closure and
/// reachability", 1997), random minima handed through the matrices, would take each entry of the chain once per round,
/// and its error does not fall with the number of rows where these are nearly full, which those of deep products are.
class RowEstimates {
 public:
  /// `rows`, counted as far as it goes, outlives it. `input`: of the chain, for the numbers that are drawn.
  RowEstimates(const RowProducts& rows, const EstimateSettings& settings, std::size_t input);

  /// Estimates what `counts` has not and a schedule that was refused needs, and says so there. What the limit leaves no
  /// room for stays unknown. Throws Interrupted; OutOfRoom.
  void add_to(ProductPlan::Counts& counts, const std::vector<ProductPlan::Spent>& spent,
              const std::atomic<bool>* stop) const;

 private:
  struct Total;

  [[nodiscard]] std::vector<RowSample> unknown(const ProductPlan::Counts& counts) const;
  [[nodiscard]] std::vector<Total> totals(const std::vector<RowSample>& samples, const ProductPlan::Counts& counts,
                                          const std::vector<ProductPlan::Spent>& spent) const;
  [[nodiscard]] std::vector<std::size_t> strata_for(const std::vector<RowSample>& samples,
                                                    const std::vector<Total>& totals) const;
  void write(const std::vector<RowSample>& samples, ProductPlan::Counts& counts) const;
  void write_selected(const ProductPlan::Counts& known, ProductPlan::Counts& into) const;
  [[nodiscard]] bool is_selected(std::size_t split) const;

  const RowProducts& rows_;
  EstimateSettings settings_;
  std::size_t input_;
};

}  // namespace upsweep
