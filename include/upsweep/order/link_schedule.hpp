#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "upsweep/order/link_chain.hpp"

namespace upsweep {

/// When and where the operations of a tree run on identical machines, one at a time on each and without a pause.
struct LinkSchedule {
  std::vector<std::uint64_t> starts;  ///< by operation, fused multiply-adds
  std::vector<std::size_t> machines;  ///< by operation, from 0
  std::uint64_t makespan = 0;         ///< end of the last one
};

/// Before this no schedule of the tree ends: an operation runs behind each that it needs, and behind all work below it
/// shared by all machines.
[[nodiscard]] std::uint64_t makespan_bound(const LinkTree& tree, std::size_t machines);

/// What a search for schedules found.
struct FoundSchedule {
  std::optional<LinkSchedule> best;  ///< none where none ends early enough
  bool is_complete = true;           ///< there is no shorter one
};

/// The shortest schedule of the tree that ends before `below`, by branch and bound over which of the operations that
/// could run do, where there are more than machines; first those with the longest way to the end (T. C. Hu's levels).
///
/// No machine waits while an operation could run. Of in-trees a shortest schedule is among these: an end makes at most
/// one operation possible and leaves it a machine, so an operation that could have begun on an idle one may be moved
/// there. `is_over` is asked now and then and ends the search.
[[nodiscard]] FoundSchedule best_schedule(const LinkTree& tree, std::size_t machines, std::uint64_t below,
                                          const std::function<bool()>& is_over);

}  // namespace upsweep
