#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "refused_product.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/scan/schedule.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {

class RangeStructures;

/// The matrix products of some schedules over one array, each listed once: the structure of a product depends on the
/// range of the array that it covers alone, its cost also on where that range is split.
class ProductPlan {
 public:
  /// What the products of each schedule took so far, of all chains, and which one was too much for it.
  struct Spent {
    std::uint64_t pairs = 0;
    std::optional<RefusedProduct> refusal = {};
  };

  /// A product: a range of the array, and where it is split.
  struct Split {
    ValueRange range;
    std::uint32_t split = 0;         ///< last position of the earlier operand
    std::vector<std::size_t> users;  ///< schedules

    [[nodiscard]] ValueRange earlier() const { return {range.first, split}; }
    [[nodiscard]] ValueRange later() const { return {split + 1, range.last}; }
  };

  /// What the FLOPs of a schedule add up, but for products of single elements with vectors: matched pairs of splits,
  /// and entries of ranges that are multiplied by a vector; each as often as there are combines.
  struct Terms {
    std::vector<std::size_t> splits;
    std::vector<ValueRange> vector_ranges;
    std::vector<std::uint32_t> vector_elements;  ///< positions of single elements that are multiplied by a vector
  };

  /// Adds the matrix–matrix combines of a schedule, numbered from 0 in the order of the calls. `ranges`:
  /// value_ranges(schedule).
  void add(const Schedule& schedule, std::span<const ValueRange> ranges);

  /// By split number.
  [[nodiscard]] const std::vector<Split>& splits() const { return splits_; }
  /// The splits of each range; by range number.
  [[nodiscard]] const std::vector<std::vector<std::size_t>>& splits_of() const { return splits_of_; }
  [[nodiscard]] ValueRange range(std::size_t number) const { return splits_[splits_of_[number].front()].range; }
  /// By schedule.
  [[nodiscard]] const std::vector<Terms>& terms() const { return terms_; }

  /// Entries of the value over a range, and matched pairs of the combine that splits it after `split`.
  struct Counts {
    std::vector<std::uint64_t> nnz;          ///< by range number
    std::vector<std::uint64_t> max_row_nnz;  ///< by range number: the most entries in a row of the value
    std::vector<ProductSteps> vector_steps;  ///< by range number: of the value times a dense vector
    std::vector<ProductCounts> products;     ///< by split number
    std::vector<bool> is_range_known;        ///< whether these numbers are there: all, where nothing was refused
    std::vector<bool> is_split_known;
    std::vector<bool> is_range_estimated = {};  ///< whether they come from samples of rows; empty: none does
    std::vector<bool> is_split_estimated = {};
    /// Where some do: the same counts without one of the groups of sampled rows each (kSampleGroups).
    std::vector<Counts> without = {};
    bool by_rows = false;  ///< rows were counted one by one, else products formed; the numbers are the same
  };

  /// Computes everything once for a chain, but for products that only schedules need which were refused one. `spent`:
  /// by schedule, also of chains before. Throws like multiply(), but for limits: these end a schedule.
  /// `input`: number of the chain, for estimates, which stand for what a schedule was refused where limits ask for
  /// them.
  [[nodiscard]] Counts count(const JacobianChain& chain, const CountLimits& limits, std::vector<Spent>& spent,
                             std::size_t input = 0) const;

  /// Whether all that a schedule needs is known or estimated.
  [[nodiscard]] bool has_all(std::size_t schedule, const Counts& counts) const;

  /// Number of a range that add() has seen as a result.
  [[nodiscard]] std::size_t range_number(ValueRange range) const { return ranges_.at(key(range)); }
  /// Number of a (range, split) that add() has seen.
  [[nodiscard]] std::size_t split_number(ValueRange range, std::uint32_t split) const;

 private:
  [[nodiscard]] Counts nothing_known() const;
  void count_structures(const JacobianChain& chain, const CountLimits& limits, std::vector<Spent>& spent,
                        Counts& counts) const;
  [[nodiscard]] std::uint64_t structure_bytes_bound(const JacobianChain& chain) const;
  bool count_small_structures(const JacobianChain& chain, const CountLimits& limits, std::vector<Spent>& spent,
                              Counts& counts) const;
  static std::uint64_t key(ValueRange range) { return std::uint64_t{range.first} << 32 | range.last; }
  [[nodiscard]] std::vector<std::size_t> by_ends() const;
  void count_split(std::size_t number, RangeStructures& structures, WorkMeter& meter, std::vector<Spent>& spent,
                   Counts& counts) const;
  void count_range(std::size_t number, RangeStructures& structures, const CountLimits& limits,
                   std::vector<Spent>& spent, Counts& counts) const;

  std::vector<Terms> terms_;
  std::vector<Split> splits_;
  std::unordered_map<std::uint64_t, std::size_t> ranges_;  // range -> number
  std::vector<std::vector<std::size_t>> splits_of_;        // by range number
};

}  // namespace upsweep
