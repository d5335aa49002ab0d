#pragma once

#include <cstdint>
#include <vector>

#include "range_products.hpp"
#include "row_stages.hpp"
#include "upsweep/sparse/row_walk.hpp"

namespace upsweep {

/// How far down the array a schedule needs the rows of a group, of those that still go on.
struct RowDepth {
  std::size_t user = 0;
  std::uint32_t first = 0;  ///< position
  ValueRange range;         ///< of the product there
};

/// By schedule that needs any.
[[nodiscard]] std::vector<RowDepth> row_depths(const RowStages& stages, const ProductPlan& plan,
                                               const std::vector<ProductPlan::Spent>& spent);

/// Refuses schedules whose walks would take more steps than they may, as some of the rows tell. Counts these steps by
/// `meter`; throws what it throws.
void refuse_too_deep(const WalkedChain& chain, const RowGroup& group, const RowStages& stages, const ProductPlan& plan,
                     std::uint64_t most_steps, WorkMeter& meter, std::vector<ProductPlan::Spent>& spent);

}  // namespace upsweep
