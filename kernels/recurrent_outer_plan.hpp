#pragma once

#include <cstdint>
#include <string>

#include "row_views.hpp"
#include "upsweep/recurrent/backward_pass.hpp"

/// What is known of the forward pass and the parameter gradients on a GPU before they run; plain C++, tested
/// everywhere.
namespace upsweep::kernels {

/// Which sums a product of parameter gradients makes; the numbers of OuterPlan::products.
enum class OuterKind : std::uint8_t { hidden, input, head };

/// A product left^T · [right | 1], summed over rows, of which each part is summed by teams of its own.
struct OuterProduct {
  static constexpr std::uint32_t kTile = 32;        ///< sums that a team makes along either side
  static constexpr std::uint64_t kRowsPerSum = 64;  ///< that are summed in T; over those in double precision

  std::uint64_t rows = 0;
  std::uint64_t rows_per_part = 0;  ///< a multiple of kRowsPerSum
  std::uint64_t parts = 0;
  std::uint32_t left = 0;   ///< columns of `left`
  std::uint32_t right = 0;  ///< columns of `right`, without the 1
  std::uint64_t first_team = 0;
  std::uint64_t first_partial = 0;  ///< of parts · left · (right + 1) sums: [part][left][right + 1]
  std::uint64_t first_sum = 0;      ///< in the result: [left][right + 1]

  [[nodiscard]] UPSWEEP_HOST_DEVICE std::uint64_t sums() const { return std::uint64_t{left} * (right + 1U); }
  [[nodiscard]] UPSWEEP_HOST_DEVICE std::uint64_t tiles_across() const { return right / kTile + 1; }
  [[nodiscard]] UPSWEEP_HOST_DEVICE std::uint64_t tiles() const { return (left + kTile - 1) / kTile * tiles_across(); }
};

/// All products of the parameter gradients; depends on the shape alone, and so does the order of all sums.
struct OuterPlan {
  OuterProduct products[3];  ///< by OuterKind
  std::uint64_t teams = 0;
  std::uint64_t partials = 0;  ///< sums of all parts
  std::uint64_t sums = 0;      ///< of the results

  /// The product that a team works on, or that a sum of the result belongs to.
  [[nodiscard]] UPSWEEP_HOST_DEVICE unsigned of_team(std::uint64_t team) const {
    return team >= products[2].first_team ? 2 : team >= products[1].first_team ? 1 : 0;
  }
  [[nodiscard]] UPSWEEP_HOST_DEVICE unsigned of_sum(std::uint64_t sum) const {
    return sum >= products[2].first_sum ? 2 : sum >= products[1].first_sum ? 1 : 0;
  }
};

/// Shapes: with the gradients of the sums as `left`, [h_{t-1} | 1] and [x_t | 1] as right, rows are steps × samples;
/// the head's are the samples alone. Throws CountOverflow, std::invalid_argument for 2^32 columns or more.
[[nodiscard]] OuterPlan outer_plan(const PassShape& shape);

/// Why our kernels have no such forward pass, for people; empty where they have one.
[[nodiscard]] std::string unsupported_cuda_forward(const PassShape& shape);

/// Device memory of either: operands, partial sums and result. Throws CountOverflow.
[[nodiscard]] std::uint64_t cuda_forward_bytes(const PassShape& shape, unsigned value_bytes);
[[nodiscard]] std::uint64_t cuda_parameter_bytes(const PassShape& shape, unsigned value_bytes);

}  // namespace upsweep::kernels
