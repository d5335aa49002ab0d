#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "upsweep/order/link_schedule.hpp"

namespace upsweep {

/// An order in which the Jacobian of a chain is made, and when.
struct ChainOrder {
  LinkTree tree;
  LinkSchedule schedule;
  std::uint64_t bound = 0;  ///< no order of the chain ends before

  [[nodiscard]] bool is_proven() const { return bound == schedule.makespan; }
};

/// The order of a chain with the shortest schedule on so many identical machines, by branch and bound over trees from
/// the last operation down, and over schedules of each.
///
/// A part of a tree is bounded by makespan_bound(), with the least work and the least bound of each interval that is
/// still open, which two dynamic programmes over intervals give. `is_over` is asked now and then; where it is true the
/// best order so far is given, with the least bound of what was left. The chain has at least one link. Throws
/// CountOverflow.
[[nodiscard]] ChainOrder shortest_order(const LinkChain& chain, std::size_t machines,
                                        const std::function<bool()>& is_over);

}  // namespace upsweep
