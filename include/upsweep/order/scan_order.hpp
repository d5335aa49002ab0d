#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "upsweep/profile/range_costs.hpp"
#include "upsweep/scan/execution.hpp"
#include "upsweep/scan/product_order.hpp"

namespace upsweep {

/// What an order of the products of a scan is to make small; FLOPs, sums over the inputs.
struct OrderGoal {
  enum class Figure : std::uint8_t { makespan, path, work };

  Figure figure = Figure::makespan;
  Execution execution = Execution::dag;  ///< of makespan and path; level for batches
  std::uint64_t workers = 1;             ///< of makespan, at least 1
  std::uint64_t batch = 1;               ///< each product so often, at least 1
};

/// The figure of an order. Throws std::invalid_argument for one that uses what `costs` does not have; CountOverflow.
[[nodiscard]] std::uint64_t figure_of(const ProductOrder& order, const RangeCosts& costs, const OrderGoal& goal);

/// No schedule of the scan whose products `costs` has has a smaller figure, whether or not it makes a range twice: of
/// makespan the larger of the shortest critical path and, over all ways of gradients to the last result and weights of
/// its length beside an equal share of all work that it leaves, the least mean of both.
[[nodiscard]] std::uint64_t order_bound(const RangeCosts& costs, const OrderGoal& goal);

/// What of a search is too dear for a range: one that reaches it is in no schedule below `figure`.
[[nodiscard]] RangeLimits range_limits(const OrderGoal& goal, std::uint64_t figure);

/// Orders with small figures, the smallest first, each once; at most `most`, at least 1.
///
/// Begins with `known` ones, as far as `costs` has their products, and with those that need the least work within
/// deadlines from the shortest critical path on; then splits ranges of the best elsewhere and moves products to other
/// levels while that helps. The same arguments give the same orders. `stop`, where given and true, ends it with what
/// there is. Throws CountOverflow. Cost: some ten thousand simulations.
[[nodiscard]] std::vector<ProductOrder> best_orders(const RangeCosts& costs, const OrderGoal& goal,
                                                    std::span<const ProductOrder> known, std::size_t most,
                                                    const std::atomic<bool>* stop = nullptr);

/// The results that an order does not make by a step of plain back-propagation: last elements, ascending.
[[nodiscard]] std::vector<std::uint32_t> jumps_of(const ProductOrder& order);

/// Plain back-propagation but for some results, which are made as in `order`, and what they read as late as they need
/// it: what is left of an order where its other products do not pay.
[[nodiscard]] ProductOrder with_jumps(const ProductOrder& order, std::span<const std::uint32_t> results,
                                      const RangeCosts& costs);

}  // namespace upsweep
