#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "device_resources.hpp"
#include "graph_capture.hpp"

namespace upsweep::kernels {

/// Work that is put into a stream, timed from its first kernel to its last, and replayed as a CUDA graph.
class TimedWork {
 public:
  using Enqueue = std::function<void(cudaStream_t)>;

  /// `name` stands in errors: "a forward pass". Throws BackendError.
  TimedWork(std::string name, Enqueue enqueue);
  TimedWork(const TimedWork&) = delete;  // the graph's enqueuing refers to it
  TimedWork& operator=(const TimedWork&) = delete;
  ~TimedWork() = default;

  /// Runs it once, on device 0; returns its seconds when it has ended. Throws BackendError.
  double run();

  /// Why no graph could be captured, if so.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  void enqueue_timed(unsigned event_flags) const;
  void synchronize() const;

  std::string name_;
  Enqueue enqueue_;
  Stream stream_;
  Event start_;
  Event stop_;
  std::vector<std::string> notes_;
  std::optional<Replay> replay_;
};

}  // namespace upsweep::kernels
