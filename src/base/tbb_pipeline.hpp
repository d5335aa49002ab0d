#pragma once

#include <cstddef>
#include <functional>

namespace upsweep {

/// tbb::parallel_pipeline over items that live elsewhere: `next` in order until null, `work` in parallel, `finish` in
/// order, at most `tokens` items between them.
///
/// In a file of its own so that it can be left out of ThreadSanitizer, as tbb_loop() is; run_pipeline() states the
/// order of the stages in instrumented code.
void tbb_pipeline(std::size_t tokens, const std::function<void*()>& next, const std::function<void(void*)>& work,
                  const std::function<void(void*)>& finish);

}  // namespace upsweep
