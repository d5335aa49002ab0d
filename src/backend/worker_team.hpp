#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace upsweep {

/// Tasks that may run at the same time, by number; `run(task, worker)` is called once for each.
using TaskBody = std::function<void(std::size_t task, std::size_t worker)>;

/// What a leader may do while a team of workers stands by.
class WorkerTeam {
 public:
  virtual ~WorkerTeam() = default;

  /// Runs `count` tasks on all workers and returns when all are done.
  virtual void run_all(std::size_t count, const TaskBody& body) = 0;

  /// Runs tasks with dependencies: task t may start when `waits[t]` tasks before it are done; whenever a worker is
  /// free, the ready task with the smallest number starts. `next` lists by task those that wait for it. Shapes: waits
  /// and next have one entry per task.
  virtual void run_graph(const std::vector<std::uint32_t>& waits, const std::vector<std::vector<std::uint32_t>>& next,
                         const TaskBody& body) = 0;
};

/// Calls leader(team) with `workers` >= 1 workers of the thread pool standing by, itself one of them. The workers stay
/// awake between the calls of the leader, so that a short task costs no wake-up; several of them stay on a processor
/// each.
///
/// A worker that the pool does not deliver in a moment is missed; returns how many took part from the start. The first
/// exception of a task or of the leader is thrown again here. Throws std::invalid_argument for more workers than
/// parallel_slots().
std::size_t with_worker_team(std::size_t workers, const std::function<void(WorkerTeam&)>& leader);

}  // namespace upsweep
