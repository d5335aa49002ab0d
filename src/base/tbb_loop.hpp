#pragma once

#include <cstddef>

#include "upsweep/base/parallel.hpp"

namespace upsweep {

/// tbb::parallel_for over [0, count) with this grain; `body` gets the slot of its thread.
///
/// In a file of its own so that it can be left out of ThreadSanitizer, which does not see what orders the threads of
/// the (uninstrumented) TBB library; parallel_chunks() states that order in instrumented code.
void tbb_loop(std::size_t count, std::size_t grain, const ChunkBody& body);

/// The slot of the calling thread.
[[nodiscard]] std::size_t tbb_slot();

}  // namespace upsweep
