#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "upsweep/base/inline_vector.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// Structure of a square Jacobian with a closed form for every product.
enum class ElementKind : std::uint8_t {
  dense,     ///< all h² entries
  diagonal,  ///< the h entries of the diagonal
  banded,    ///< the entries at most half_bandwidth off the diagonal
  uniform,   ///< every entry is there with probability `density`, independently: FLOPs and nnz are expectations
};

/// Structure of a part of a homogeneous chain: of one Jacobian or of a product of several.
struct BlockStructure {
  ElementKind kind = ElementKind::dense;
  std::uint64_t half_bandwidth = 0;  ///< of a banded one, at most h - 1
  double density = 0;                ///< of a uniform one, 0 to 1: expected share of places with an entry
  double rows = 0;                   ///< of a uniform one, 0 to 1: expected share of rows with an entry
  double span = 0;  ///< of a uniform one: expected span of a product with it, see profile_homogeneous()

  friend bool operator==(const BlockStructure&, const BlockStructure&) = default;
};

/// A scan array of equal parts: a[0] is a dense vector of `size` entries, a[k] for k = 1..elements a matrix of size ×
/// size and of kind kinds[(k - 1) mod kinds.size()].
struct HomogeneousChain {
  std::uint64_t size = 1;                                 ///< h >= 1
  std::uint64_t elements = 1;                             ///< n, in 1 .. 2^40
  std::vector<ElementKind> kinds = {ElementKind::dense};  ///< one or two; banded and uniform stand alone
  std::uint64_t half_bandwidth = 0;                       ///< of a banded chain, 0 .. h - 1
  double density = 0;                                     ///< of a uniform chain, in (0, 1]

  /// Length N = n + 1 of the scan array.
  [[nodiscard]] std::uint64_t length() const { return elements + 1; }
  /// Whether counts are exact; FLOPs and nnz of a uniform chain are expectations, rounded to whole counts of at
  /// least 1.
  [[nodiscard]] bool is_exact() const { return kinds.front() != ElementKind::uniform; }
  friend bool operator==(const HomogeneousChain&, const HomogeneousChain&) = default;
};

/// A recurrent network of `steps` steps whose Jacobian of a step is one dense matrix.
[[nodiscard]] HomogeneousChain fused_chain(std::uint64_t size, std::uint64_t steps);

/// A recurrent network of `steps` steps, two Jacobians each: a[1] the diagonal of the last step's nonlinearity, a[2]
/// its dense recurrent weights, a[3] the diagonal of the step before, ...
[[nodiscard]] HomogeneousChain unfused_chain(std::uint64_t size, std::uint64_t steps);

/// Combines of one level with consecutive ids that cost the same.
struct OpRun {
  std::uint64_t count = 0;
  bool is_mv = false;
  bool dead = false;            ///< no result depends on them
  std::uint64_t flops = 0;      ///< of each
  std::uint64_t span = 0;       ///< of each: product_span(); of a uniform chain expected
  std::uint64_t nnz = 0;        ///< of the result of each
  std::uint64_t bytes = 0;      ///< of the result of each
  BlockStructure earlier = {};  ///< of the earlier operand; of no meaning where that is a vector
  BlockStructure later = {};    ///< of the later operand

  friend bool operator==(const OpRun&, const OpRun&) = default;
};

/// A level: at most three runs, in the order of their ids, and their sums.
struct HomogeneousLevel {
  InlineVector<OpRun, 3> runs;
  LevelProfile profile;        ///< phase, ops and FLOPs
  std::uint64_t nnz = 0;       ///< Σ over the results
  std::uint64_t bytes = 0;     ///< Σ over the results
  std::uint64_t mv_ops = 0;    ///< the others are mm
  std::uint64_t dead_ops = 0;  ///< those without which the live figures are

  [[nodiscard]] std::uint64_t mm_ops() const { return profile.ops - mv_ops; }
};

/// `levels` consecutive levels that repeat a cycle: level i of them is cycle[i mod cycle.size()].
struct LevelRun {
  std::uint64_t levels = 0;
  InlineVector<HomogeneousLevel, 2> cycle;  ///< one, or two where the middle of depth 0 alternates; at most `levels`

  /// How many of the levels are cycle[i].
  [[nodiscard]] std::uint64_t times(std::size_t i) const { return (levels - i + cycle.size() - 1) / cycle.size(); }
};

/// Figures of a schedule in one scope; see section "Schedules" of the contract.
struct HomogeneousTotals {
  std::uint64_t ops = 0;
  std::uint64_t flops = 0;
  std::uint64_t critical_path_level = 0;  ///< Σ over levels of the most expensive combine
  std::uint64_t critical_path_dag = 0;    ///< longest path through the data dependencies
  std::uint64_t flops_max = 0;            ///< the most expensive combine
  std::uint64_t span_path = 0;            ///< longest path through the data dependencies, of spans
  std::uint64_t peak_live_bytes = 0;

  friend bool operator==(const HomogeneousTotals&, const HomogeneousTotals&) = default;
};

/// hybrid_schedule() over a homogeneous chain, counted without a list of its combines.
struct HomogeneousProfile {
  HomogeneousChain chain;
  unsigned value_bytes = 4;
  std::string schedule;      ///< "linear" or "hybrid:D"
  std::uint32_t depth = 0;   ///< D
  std::uint64_t levels = 0;  ///< number of levels
  std::uint64_t widest = 0;  ///< the most combines in one level; 0 without any
  std::vector<LevelRun> runs;
  HomogeneousTotals all;   ///< dead combines too
  HomogeneousTotals live;  ///< without them
};

/// What a combine of a level costs, by its phase and, in a sweep, the level d of it: the same for all that do the same.
using HomogeneousCost = std::function<std::uint64_t(Phase phase, std::uint32_t d, const OpRun& run)>;

/// A figure with dead combines and without.
struct InScopes {
  std::uint64_t all = 0;
  std::uint64_t live = 0;
};

/// The longest path through the data dependencies of a profile, costs of its combines added up. Throws CountOverflow.
/// Cost: O(depth).
[[nodiscard]] InScopes longest_path(const HomogeneousProfile& profile, const HomogeneousCost& cost);

/// What does not depend on the schedule.
struct HomogeneousReference {
  std::uint64_t linear_flops = 0;  ///< plain back-propagation with the same Jacobians
  std::uint64_t build_values = 0;  ///< Jacobian values to write per iteration: a[1..n - 1]
  std::uint64_t build_bytes = 0;   ///< their bytes: value_bytes each
};

/// Throws std::invalid_argument for a size, length, number of kinds, half bandwidth or density out of range, naming it;
/// CountOverflow.
[[nodiscard]] HomogeneousReference homogeneous_reference(const HomogeneousChain& chain, unsigned value_bytes);

/// The figures of profile_schedules(), totals() and peak_live_bytes() for hybrid_schedule(chain.length(), depth), equal
/// to the last digit, by closed forms.
///
/// Those of a uniform chain are expectations over all such chains. The number r_t of entries in a row of a product of t
/// elements is a Markov chain: r_0 = 1, and r_(t+1) given r_t is Binomial(h, 1 - (1 - d)^r_t). A product has h·E[r_t]
/// entries; to multiply parts of s and t elements, which are independent, costs 2·h·E[r_s]·E[r_t] FLOPs. FLOPs and nnz
/// of a combine are these expectations, rounded to whole counts of at least 1: exact for h <= 256, for larger h to
/// 1e-6, and to 1e-3 where rows died out over very many elements. Their sums are expectations, too. Paths, makespans,
/// flops_max and peak_live_bytes are those of combines of expected counts: the mean of a maximum is above the maximum
/// of means. The span of a product X·Y is E[1 + ceil(log2 R)], R the most entries in a row of X, rounded, were the rows
/// of X independent: its expectation where X is one element, and an upper bound where X is a product, whose rows share
/// factors. Where a row of X has more than 16 entries and h > 256 its law is taken for a gamma law.
///
/// `value_bytes` is 4 or 8. Throws like homogeneous_reference(). Cost: O(depth) time and memory, whatever the length,
/// and once per thread, size and density of a uniform chain that of its law: below 1 ms, with h·d close to 1 some.
/// Source: the counting rules and index ranges in docs/counting-rule.md; numbers of combines after Blelloch, "Prefix
/// sums and their applications", 1990.
[[nodiscard]] HomogeneousProfile profile_homogeneous(const HomogeneousChain& chain, std::uint32_t depth,
                                                     unsigned value_bytes);

}  // namespace upsweep
