#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// Largest hybrid depth for an array of `length` >= 2 elements: ceil(log2 length) - 1.
[[nodiscard]] std::uint32_t max_depth(std::size_t length);

/// The array folded from the left: plain back-propagation written as products. Throws std::invalid_argument below 2
/// elements.
[[nodiscard]] Schedule linear_schedule(std::size_t length);

/// BPPSA's scan, cut: an up-sweep of D = min(depth, max_depth(length)) levels, a linear fold over the block ends, and a
/// down-sweep of D levels. Depth 0 is linear_schedule(). Throws std::invalid_argument below 2 elements.
///
/// Source: Wang, Bai and Pekhimenko, "BPPSA", MLSys 2020, Algorithm 1; index ranges for any length as
/// docs/counting-rule.md states them.
[[nodiscard]] Schedule hybrid_schedule(std::size_t length, std::uint32_t depth);

/// hybrid_schedule() at the largest depth: the full Blelloch scan.
[[nodiscard]] Schedule blelloch_schedule(std::size_t length);

// The others scan the n = length - 1 elements a[0 .. n - 1] inclusively, in place, for any n: position k ends as result
// k + 1, and a[n] is not read. Each has n - 1 combines with a vector (mv), no dead one, and depth 0, which says nothing
// of them: only hybrids are cut at a depth. Those of one sweep are phase `up`. All throw std::invalid_argument below 2
// elements.

/// Every element takes in the one 1, 2, 4, ... positions before it: ceil(log2 n) levels, the fewest possible; the one
/// of distance d has n - d combines.
///
/// Cost: n · g - 2^g + 1 combines with g = ceil(log2 n).
/// Source: Kogge and Stone, "A Parallel Algorithm for the Efficient Solution of a General Class of Recurrence
/// Equations", IEEE Trans. Comput. C-22, 1973.
[[nodiscard]] Schedule kogge_stone_schedule(std::size_t length);

/// The second half of every pair of blocks takes in the last element of the first: ceil(log2 n) levels, each at most
/// n / 2 wide; one value is read by up to n / 2 combines.
///
/// Cost: Σ_{i < n} popcount(i) combines.
/// Source: Sklansky, "Conditional-Sum Addition Logic", IRE Trans. Electron. Comput. EC-9, 1960.
[[nodiscard]] Schedule sklansky_schedule(std::size_t length);

/// A tree up to the powers of two and a tree down between them: the products of blelloch_schedule() without its dead
/// combines.
///
/// Cost: 2n - popcount(n) - floor(log2 n) - 1 combines (2n - 2 - log2 n at powers of two) in at most
/// 2 floor(log2 n) levels.
/// Source: Brent and Kung, "A Regular Layout for Parallel Adders", IEEE Trans. Comput. C-31, 1982.
[[nodiscard]] Schedule brent_kung_schedule(std::size_t length);

/// Odd-even splitting: unknown i, written by unknown i - 2, leaves two independent systems of half the size, each split
/// again; unknown 0 is the vector. The products of kogge_stone_schedule(), system by system within a level.
///
/// Source: Naumov, "Parallel Complexity of Forward and Backward Propagation", 2018, Equations 30 and 31.
[[nodiscard]] Schedule recursive_doubling_schedule(std::size_t length);

/// Eliminates unknowns 1, 3, 5, ... (up, mm), solves the system of half the size that is left in the same way, and
/// substitutes back (down, mv); unknown 0 is the vector. The tree of brent_kung_schedule() one element later, over
/// a[1 .. n - 1]: no mm and but the first mv in common with it.
///
/// Cost: 2 (n - 1) - popcount(n - 1) combines in at most 2 ceil(log2 n) levels.
/// Source: Hockney, "A Fast Direct Solution of Poisson's Equation Using Fourier Analysis", J. ACM 12, 1965, for chains.
[[nodiscard]] Schedule cyclic_reduction_schedule(std::size_t length);

/// P = min(blocks, n) blocks as even as possible, longer ones first. Up: the first is folded with the vector, the
/// others to one product each (the last one's is not needed). Middle: Sklansky's scan over them. Down: every block but
/// the first is folded with the vector before it. One or two blocks are plain back-propagation in other phases.
///
/// Throws std::invalid_argument for 0 blocks. Cost: about 2 n / P + log2 P levels.
[[nodiscard]] Schedule blocked_schedule(std::size_t length, std::size_t blocks);

}  // namespace upsweep
