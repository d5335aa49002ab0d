#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep {

// The complexity formulas of Naumov, "Parallel Complexity of Forward and Backward Propagation", 2018, section 4, by
// their numbers there. They count multiply-adds (2 FLOPs each) of fully connected layers; chain_counts.hpp counts what
// a real chain takes. All throw std::invalid_argument for fewer than 2 widths, CountOverflow past 64 bits.

/// Sizes of l layers: layer k is a weight of n_{k+1} × n_k with an activation behind it.
struct LayerSizes {
  std::vector<std::uint64_t> widths;  ///< n_1 to n_{l+1}; length l + 1 >= 2
  std::uint64_t batch = 1;            ///< r: right sides
  std::uint64_t activation = 1;       ///< γ: operations of the activation per element; backward, 1 product with f'

  /// l.
  [[nodiscard]] std::size_t layers() const { return widths.size() - 1; }
};

/// n where a formula has one for all layers: the largest width.
[[nodiscard]] std::uint64_t largest_width(const LayerSizes& sizes);

/// (42): Σ_{k=1..l} (n_{k+1} n_k + γ n_{k+1}) r, one layer after the other.
[[nodiscard]] std::uint64_t sequential_work(const LayerSizes& sizes);

/// (43): work of one odd-even splitting,
/// Σ_{k=2..l} (n_{k+1} n_k n_{k-1} + n_{k+1} n_k) + Σ_{j=1..l-1} (n_{j+2} n_j + γ n_{j+2}) r.
///
/// The second sum is that of both half systems, odd and even j; the paper writes it for odd l.
[[nodiscard]] std::uint64_t splitting_work(const LayerSizes& sizes);

/// (44): time of one splitting on p = l workers, max_k (n_{k+1} n_k n_{k-1} + n_{k+1} n_k) + the larger half's sum.
[[nodiscard]] std::uint64_t splitting_time(const LayerSizes& sizes);

/// (45): time of recursive splitting, n³ log2 l + n² r, for n = largest_width().
[[nodiscard]] double recursive_time(const LayerSizes& sizes);

/// Work of recursive splitting, l n³ log2 l + l n² r (the text below (45)), for n = largest_width().
[[nodiscard]] double recursive_work(const LayerSizes& sizes);

/// (46): work of `iterations` = η products with the matrix, (42) times η. Vector operations are not in it.
[[nodiscard]] std::uint64_t iterative_work(const LayerSizes& sizes, std::uint64_t iterations);

/// (47): time of the same on p = l workers, max_k (n_{k+1} n_k + γ n_{k+1}) r η.
[[nodiscard]] std::uint64_t iterative_time(const LayerSizes& sizes, std::uint64_t iterations);

/// Numbers in `vectors` = δ vectors of unknowns, δ r Σ_{k=2..l+1} n_k; δ l n r in the paper, which has 2 <= δ <= 7.
[[nodiscard]] std::uint64_t iterative_memory(const LayerSizes& sizes, std::uint64_t vectors);

/// A condition of the paper with the numbers of a chain in it.
struct ConditionVerdict {
  std::string condition;  ///< "r >= n": what has to hold
  std::string meaning;    ///< what both sides are here
  double left = 0;
  double right = 0;
  bool holds = false;
  std::string method = {};  ///< that the left side is of; empty where it is of none
};

/// What products of two matrices cost more than products with a vector; n in the paper's conditions.
struct JoiningCost {
  std::string name;     ///< "n" where it is the width of dense layers
  std::string meaning;  ///< in words
  double value = 0;
};

/// Where direct splitting is practical: r >= n or l / log2 l >= n (section 4.1). l / log2 l of one layer is infinite.
[[nodiscard]] std::vector<ConditionVerdict> direct_verdicts(std::uint64_t batch, std::size_t layers,
                                                            const JoiningCost& n);

/// Where an iterative method is practical: η < l (section 4.2).
///
/// That is about layers of one size and one product an iteration; what a real chain makes of it says faster_verdict().
[[nodiscard]] ConditionVerdict iterative_verdict(const std::string& method, std::size_t iterations, std::size_t layers);

/// Whether a method takes less time on the workers than substitution, both in FLOPs one after the other.
[[nodiscard]] ConditionVerdict faster_verdict(const std::string& method, std::uint64_t makespan,
                                              std::uint64_t substitution, std::size_t workers);

}  // namespace upsweep
