#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "upsweep/machine/published_rates.hpp"

namespace upsweep {

struct Machine;

/// Exact counts of a sparse product C = X·Y, (rows × inner)·(inner × cols).
struct ProductSizes {
  std::uint64_t rows = 0;      ///< of X and C
  std::uint64_t inner = 0;     ///< rows of Y
  std::uint64_t cols = 0;      ///< of Y and C
  std::uint64_t left_nnz = 0;  ///< of X
  std::uint64_t right_nnz = 0;
  std::uint64_t products = 0;  ///< matched pairs of entries
  std::uint64_t nnz = 0;       ///< of C; 0: not known

  /// Whether X, Y and C have no zeros: what a library of dense products does.
  [[nodiscard]] bool is_dense() const;
};

/// Entries of C where they are not known: products over a compression of 0.0973 · (products per row)^0.498 ·
/// evenness^-0.287 · rows^0.0588, at least 1; evenness is that of product_work(). Fitted to the 99 structures of
/// published SpGEMM tables that have both; off by e^0.6.
[[nodiscard]] double estimated_nnz(const ProductSizes& sizes);

/// Counts of published_units(PublishedKind::product): a call; rows, and products, in rows of the result of up to about
/// 128 entries (short), up to about 1024 (middle), above (long); and products that are scattered.
///
/// A row-binned library gives short rows to a warp with a small table, middle ones to a block with a table in shared
/// memory, long ones to a table in device memory. Only the mean row is known: a product is counted in two bins near
/// their border, by a logistic function of log2 of the mean row. Of the products a share (products per row / 30)^-1/4 /
/// evenness, at most all, is scattered; evenness = the mean row of Y over the mean row of Y that is met, 1 for rows of
/// one length. The form was chosen on the A100's and the RTX 4080 SUPER's rows; see reports/anchors.md.
[[nodiscard]] std::vector<double> product_work(const ProductSizes& sizes);

/// Seconds of a product by published rates, or nothing where they say that it fails. Without start-up.
[[nodiscard]] std::optional<double> product_seconds(const PublishedRates& rates, const ProductSizes& sizes);

/// How far apart two devices are: |ln| of the ratio of their bandwidths, and of their multiprocessors times clock where
/// both say, added up.
[[nodiscard]] double device_distance(const Machine& a, const Machine& b);

/// Rates of products for a machine that has none, from those of another one: rows and products of middle and long rows
/// by multiprocessors times clock, where both say (else by bandwidth); short and scattered ones by bandwidth; the call
/// as it is. The interval is kCarriedFactor^min(1, device_distance()) wider to either side: what was measured on an
/// RTX 4080 SUPER, 1.3 from the A100, is 0.9 to 2.9 times what the A100's rates say, and on an H200, 0.4 from the H100,
/// 0.76 to 1.45 times what the H100's do.
[[nodiscard]] PublishedRates carried_products(const PublishedRates& rates, const Machine& from, const Machine& to);
inline constexpr double kCarriedFactor = 1.6;

}  // namespace upsweep
