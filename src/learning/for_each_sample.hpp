#pragma once

#include <cstddef>

#include "upsweep/base/parallel.hpp"
#include "upsweep/learning/network_batch.hpp"

namespace upsweep {

/// Calls body(sample) for every sample of a batch: on several threads, unless the operator uses them for each sample.
template <class Body>
void for_each_sample(const OperatorKind& kind, std::size_t samples, const Body& body) {
  if (uses_threads(kind)) {
    for (std::size_t s = 0; s < samples; ++s) body(s);
    return;
  }
  parallel_chunks(samples, 1, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t s = begin; s < end; ++s) body(s);
  });
}

}  // namespace upsweep
