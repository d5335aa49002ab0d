#include "sequence_timing.hpp"

#include <fmt/format.h>

#include "cuda_check.hpp"
#include "device_resources.hpp"
#include "upsweep/backend/iterations.hpp"

namespace upsweep::kernels {
namespace {

void record(const Event& event, cudaStream_t stream) {
  cuda_check(cudaEventRecord(event.get(), stream), "cudaEventRecord");
}

/// By level: the number of combines in it and before it. Combines are in the order of their levels.
std::vector<std::size_t> level_ends(const Schedule& schedule) {
  std::vector<std::size_t> ends = level_sizes(schedule);
  for (std::size_t level = 1; level < ends.size(); ++level) ends[level] += ends[level - 1];
  return ends;
}

}  // namespace

void run_named(std::size_t id, const std::function<void(std::size_t id)>& run) {
  try {
    run(id);
  } catch (const BackendError& error) {
    throw BackendError(fmt::format("combine {}: {}", id, error.what()));
  }
}

void measure_sequence(const Schedule& schedule, const RunOptions& options, cudaStream_t stream,
                      const std::function<void(std::size_t id)>& run, Measurement& measurement) {
  const std::size_t ops = schedule.combines.size();
  std::vector<Event> events;
  for (std::size_t i = 0; i <= ops; ++i) events.push_back(make_timing_event());
  const Event stop = make_timing_event();  // of its own, for a schedule without combines
  const std::vector<std::size_t> ends = level_ends(schedule);
  const auto once = [&] {
    record(events.front(), stream);
    for (std::size_t id = 0; id < ops; ++id) {
      run_named(id, run);
      record(events[id + 1], stream);
    }
    record(stop, stream);
    cuda_check(cudaStreamSynchronize(stream), "cudaStreamSynchronize after an iteration");
    Iteration iteration{seconds_between(events.front(), stop), {}, {}};
    for (std::size_t id = 0; id < ops; ++id)
      iteration.op_seconds.push_back(seconds_between(events[id], events[id + 1]));
    if (options.execution == Execution::dag) return iteration;
    for (std::size_t level = 0; level < ends.size(); ++level) {
      iteration.level_seconds.push_back(seconds_between(events[level == 0 ? 0 : ends[level - 1]], events[ends[level]]));
    }
    return iteration;
  };
  measure_iterations(options, once, measurement);
}

}  // namespace upsweep::kernels
