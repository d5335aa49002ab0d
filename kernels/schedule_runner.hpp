#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph_capture.hpp"
#include "op_launch.hpp"
#include "stream_plan.hpp"
#include "upsweep/backend/backend.hpp"

namespace upsweep::kernels {

/// Runs the combines of a schedule on the device and times them. T is float or double.
template <class T>
class ScheduleRunner {
 public:
  /// `ops` are the combines by id. All arguments must live as long as this object. Throws BackendError.
  ScheduleRunner(const Schedule& schedule, const std::vector<DeviceOp<T>>& ops, const RunOptions& options,
                 const StreamPlan& streams);

  /// Runs every combine once and waits for each. Throws BackendError that names the combine at fault.
  void run_one_by_one();

  /// Fills the seconds, repetitions and notes of `measurement`; its ops are sized. Each figure comes from runs of its
  /// own, so that measuring one does not disturb another. Throws BackendError.
  void measure(Measurement& measurement);

  /// One more iteration as it was measured from end to end; after measure(). Throws BackendError.
  void run_again() const;

 private:
  [[nodiscard]] cudaStream_t origin() const { return streams_.front().get(); }
  void enqueue(std::size_t id, cudaStream_t stream) const;
  void enqueue_by_level(const std::vector<Event>* boundaries, unsigned event_flags) const;
  void enqueue_by_readiness() const;
  void enqueue_in_sequence(const std::vector<Event>& boundaries, unsigned event_flags) const;
  void fork(std::size_t streams) const;
  void join(std::size_t streams) const;
  /// An iteration between two events of the graph: what the host takes to start a graph is in no schedule's time.
  void enqueue_iteration(unsigned event_flags) const;
  void replay(const Replay& work) const;
  [[nodiscard]] std::vector<double> intervals(const Replay& work, const std::vector<Event>& boundaries,
                                              std::size_t repetitions) const;

  const Schedule& schedule_;
  const std::vector<DeviceOp<T>>& ops_;
  const RunOptions& options_;
  const StreamPlan& plan_;
  std::vector<Stream> streams_;
  Event fork_;
  std::vector<Event> join_;  // by stream
  std::vector<Event> done_;  // by combine, under Execution::dag; null where no other stream reads its value
  Event start_;
  Event stop_;
  std::optional<Replay> whole_;  // an iteration from end to end
};

}  // namespace upsweep::kernels
