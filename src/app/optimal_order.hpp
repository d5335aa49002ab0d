#pragma once

#include "upsweep/app/search.hpp"

namespace upsweep {

/// Throws RequestError about `schemes` for a scan array too long for a search of orders.
void check_ordered(std::size_t length);

/// Adds the candidate "optimal" to a search of a network that has everything else: the order of products with the
/// smallest score that is found, beginning with all other candidates, and with scores in FLOPs a bound that no schedule
/// of the scan is below. In seconds the orders with the least FLOPs are compared, and no bound is known.
///
/// What no schedule better than the other candidates can use is not counted. Throws as analyse_network(), and
/// Interrupted, which leaves the outcome as it was.
void add_optimal(const SearchRequest& request, const SearchOptions& options, const Watch& watch,
                 SearchOutcome& outcome);

}  // namespace upsweep
