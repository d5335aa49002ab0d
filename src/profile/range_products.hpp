#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "upsweep/jacobian/chain.hpp"
#include "upsweep/scan/schedule.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {

/// The matrix products of some schedules over one array, each listed once: the structure of a product depends on the
/// range of the array that it covers alone, its cost also on where that range is split.
class ProductPlan {
 public:
  /// Adds the matrix–matrix combines of a schedule. `ranges`: value_ranges(schedule).
  void add(const Schedule& schedule, std::span<const ValueRange> ranges);

  /// Entries of the value over a range, and matched pairs of the combine that splits it after `split`.
  struct Counts {
    std::vector<std::uint64_t> nnz;          ///< by range number
    std::vector<std::uint64_t> max_row_nnz;  ///< by range number: the most entries in a row of the value
    std::vector<ProductSteps> vector_steps;  ///< by range number: of the value times a dense vector
    std::vector<ProductCounts> products;     ///< by split number
  };

  /// Computes everything once for a chain. Throws like multiply().
  [[nodiscard]] Counts count(const JacobianChain& chain) const;

  /// Number of a range that add() has seen as a result.
  [[nodiscard]] std::size_t range_number(ValueRange range) const { return ranges_.at(key(range)); }
  /// Number of a (range, split) that add() has seen.
  [[nodiscard]] std::size_t split_number(ValueRange range, std::uint32_t split) const;

 private:
  struct Split {
    ValueRange range;
    std::uint32_t split;  // last position of the earlier operand

    [[nodiscard]] ValueRange earlier() const { return {range.first, split}; }
    [[nodiscard]] ValueRange later() const { return {split + 1, range.last}; }
  };
  static std::uint64_t key(ValueRange range) { return std::uint64_t{range.first} << 32 | range.last; }
  [[nodiscard]] std::vector<std::size_t> by_ends() const;

  std::vector<Split> splits_;
  std::unordered_map<std::uint64_t, std::size_t> ranges_;  // range -> number
  std::vector<std::vector<std::size_t>> splits_of_;        // by range number
};

}  // namespace upsweep
