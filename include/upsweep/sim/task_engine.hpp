#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "upsweep/sim/task_graph.hpp"

namespace upsweep {

/// Which of its ready tasks a free server of a resource takes.
enum class Discipline : std::uint8_t {
  fixed_order,  ///< all its tasks by ascending key: waits for the next one, whatever else is ready
  priority,     ///< the ready task with the smallest key
  fifo,         ///< the one that has been ready longest; of those that became ready at one instant the smallest key
  preemptive,   ///< as priority; a smaller key that becomes ready interrupts the running task, which keeps its progress
};

/// Something that runs tasks: a device, a stream, a link, a pool of workers.
struct Resource {
  Discipline discipline = Discipline::priority;
  std::size_t servers = 1;  ///< tasks at a time, at least 1; 1 if preemptive; the lowest free one takes the next task
  /// At an instant it serves before other resources choose, so that what arrives at that instant is there for them.
  bool is_transport = false;
  /// A task of no duration leaves its server free for others of the instant; otherwise until it is retired.
  bool frees_instantly = false;
};

/// Resource of a task that needs none: it starts when it is ready.
inline constexpr std::uint32_t kNoResource = ~std::uint32_t{0};

/// No task.
inline constexpr std::uint32_t kNoTask = ~std::uint32_t{0};

/// Tasks with what they cost and need, for simulate_tasks(); times in whole ticks of any unit. Knows nothing of what a
/// task computes.
///
/// Shapes: `durations`, `delays`, `resource_of` and `keys` have an entry per task; empty delays are 0, empty keys the
/// task ids.
struct Workload {
  TaskGraph graph;                         ///< an edge from every task to those that wait for it
  std::vector<std::uint64_t> durations;    ///< time on its resource
  std::vector<std::uint64_t> delays;       ///< from then until those that wait for it may start: latency of a link
  std::vector<std::uint32_t> resource_of;  ///< index in resources, or kNoResource
  std::vector<std::uint64_t> keys;         ///< see Discipline; equal keys go by task id
  std::vector<Resource> resources;
};

/// A task, or a part of an interrupted one, on a server of its resource over [start, end).
struct Segment {
  std::uint32_t task;
  std::uint32_t server;
  std::uint64_t start;
  std::uint64_t end;
};

/// What happened when. `start` and `end` have an entry per task.
struct Simulation {
  std::vector<std::uint64_t> start;  ///< of its first segment
  std::vector<std::uint64_t> end;    ///< of its last segment, delay not included
  std::vector<Segment> segments;     ///< of tasks with a resource, in the order in which they start
  std::uint64_t makespan = 0;        ///< last end of a task with a resource
};

/// Runs the tasks, deterministically: at an instant all that ends or arrives comes first, then transports choose, then
/// the other resources in the order of their indices.
///
/// Throws std::invalid_argument for wrong lengths and indices, 0 servers, several servers of a preemptive resource, and
/// when tasks wait for each other (a circle, or an order against the graph), naming one; CountOverflow.
/// Cost: O(tasks · log(tasks ready or running at a time) + edges), 60 to 100 bytes per task.
[[nodiscard]] Simulation simulate_tasks(const Workload& workload);

}  // namespace upsweep
