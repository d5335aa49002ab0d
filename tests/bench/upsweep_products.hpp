#pragma once

#include <cstddef>
#include <vector>

#include "case.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep::bench {

/// Counts of all schedules at once by profile_schedules(), on `threads` threads.
///
/// The run makes nnz, products, FLOPs and bytes of every combine; counts(): nnz of every matrix–matrix combine,
/// schedule by schedule.
[[nodiscard]] Task upsweep_products(JacobianChain chain, std::vector<Schedule> schedules, std::size_t threads);

}  // namespace upsweep::bench
