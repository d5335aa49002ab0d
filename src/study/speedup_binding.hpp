#pragma once

#include <optional>

#include "upsweep/search/what_binds.hpp"
#include "upsweep/study/count_cache.hpp"
#include "upsweep/study/point_factory.hpp"

namespace upsweep {

/// What keeps the scan of a point from gaining on plain back-propagation: the resource of which twice as much raises
/// the speedup most; of those within 1 % of each other the first of workers, latency, bandwidth, arithmetic.
///
/// Other than binding_of_point(), a resource that helps both alike is not the answer. Memory where a scan that is not
/// feasible would be faster. Where nothing raises the speedup by more than 1 %, that of binding_of_point(); nothing for
/// points that are not done. Cost: at most ten evaluations.
[[nodiscard]] std::optional<Binding> speedup_binding(const PointInputs& inputs, CountCache& cache);

}  // namespace upsweep
