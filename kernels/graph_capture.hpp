#pragma once

#include <functional>
#include <string>
#include <vector>

#include "device_resources.hpp"

namespace upsweep::kernels {

/// Puts work into streams. `event_flags` go with events that are read outside of it, see record().
using Enqueue = std::function<void(unsigned event_flags)>;

/// Records a timing event into a stream, as a Enqueue must. Throws BackendError.
void record(const Event& event, cudaStream_t stream, unsigned event_flags);

/// Work that is repeated: a CUDA graph, or, where capture failed, the enqueuing itself.
class Replay {
 public:
  /// Captures what `enqueue` puts into `origin` and streams that wait for it and are joined with it again. Where that
  /// fails, appends why to `notes` and enqueues again at every launch.
  Replay(cudaStream_t origin, Enqueue enqueue, std::vector<std::string>& notes);

  /// Starts the work in the origin stream. Throws BackendError.
  void launch() const;

 private:
  cudaStream_t origin_;
  Enqueue enqueue_;
  Graph graph_;
  GraphExec executable_;
};

}  // namespace upsweep::kernels
