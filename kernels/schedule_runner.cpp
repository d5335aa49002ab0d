#include "schedule_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cuda_check.hpp"
#include "upsweep/backend/iterations.hpp"

namespace upsweep::kernels {
namespace {

/// More runs do not make a median of one op or level better.
constexpr std::size_t kMostDetailedRuns = 101;

void wait(cudaStream_t stream, const Event& event) {
  cuda_check(cudaStreamWaitEvent(stream, event.get(), 0), "cudaStreamWaitEvent");
}

void record_order(const Event& event, cudaStream_t stream) {
  cuda_check(cudaEventRecord(event.get(), stream), "cudaEventRecord");
}

std::vector<Event> timing_events(std::size_t count) {
  std::vector<Event> events;
  for (std::size_t i = 0; i < count; ++i) events.push_back(make_timing_event());
  return events;
}

/// An event for every combine whose value a combine on another stream reads.
std::vector<Event> done_events(const Schedule& schedule, const StreamPlan& plan) {
  std::vector<Event> done(schedule.combines.size());
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    for (const ValueId operand : {schedule.combines[id].earlier, schedule.combines[id].later}) {
      if (operand < schedule.length) continue;
      const std::size_t producer = operand - schedule.length;
      if (plan.stream[producer] != plan.stream[id] && done[producer] == nullptr) done[producer] = make_order_event();
    }
  }
  return done;
}

/// What an event between two levels takes itself: what the levels add up to beyond an iteration without such events. An
/// H100's take 2.1 to 2.8 us; more is the noise of a long iteration.
double timing_of_intervals(const Measurement& measurement) {
  constexpr double kMostSeconds = 3e-6;
  const std::vector<double>& levels = measurement.level_seconds;
  if (levels.empty()) return 0;
  const double sum = std::accumulate(levels.begin(), levels.end(), 0.0);
  return std::clamp((sum - measurement.seconds) / static_cast<double>(levels.size()), 0.0, kMostSeconds);
}

double without(double seconds, double timing_s) { return std::max(0.1 * seconds, seconds - timing_s); }

}  // namespace

template <class T>
ScheduleRunner<T>::ScheduleRunner(const Schedule& schedule, const std::vector<DeviceOp<T>>& ops,
                                  const RunOptions& options, const StreamPlan& streams)
    : schedule_(schedule),
      ops_(ops),
      options_(options),
      plan_(streams),
      fork_(make_order_event()),
      start_(make_timing_event()),
      stop_(make_timing_event()) {
  for (std::uint32_t s = 0; s < plan_.streams; ++s) {
    streams_.push_back(make_stream());
    join_.push_back(make_order_event());
  }
  if (options.execution == Execution::dag) done_ = done_events(schedule, plan_);
}

template <class T>
void ScheduleRunner<T>::enqueue(std::size_t id, cudaStream_t stream) const {
  try {
    launch(ops_[id], stream);
  } catch (const BackendError& error) {
    throw BackendError(fmt::format("combine {}: {}", id, error.what()));
  }
}

template <class T>
void ScheduleRunner<T>::run_one_by_one() {
  for (std::size_t id = 0; id < ops_.size(); ++id) {
    enqueue(id, origin());
    try {
      cuda_check(cudaStreamSynchronize(origin()), "cudaStreamSynchronize");
    } catch (const BackendError& error) {
      throw BackendError(fmt::format("combine {}: {}", id, error.what()));
    }
  }
}

template <class T>
void ScheduleRunner<T>::fork(std::size_t streams) const {
  if (streams < 2) return;
  record_order(fork_, origin());
  for (std::size_t s = 1; s < streams; ++s) wait(streams_[s].get(), fork_);
}

template <class T>
void ScheduleRunner<T>::join(std::size_t streams) const {
  for (std::size_t s = 1; s < streams; ++s) {
    record_order(join_[s], streams_[s].get());
    wait(origin(), join_[s]);
  }
}

template <class T>
void ScheduleRunner<T>::enqueue_by_level(const std::vector<Event>* boundaries, unsigned event_flags) const {
  std::size_t next = 0;
  if (boundaries != nullptr) record(boundaries->front(), origin(), event_flags);
  for (std::size_t level = 0; level < schedule_.levels; ++level) {
    const std::size_t begin = next;
    while (next < plan_.order.size() && schedule_.combines[plan_.order[next]].level == level) ++next;
    const std::size_t streams = std::min<std::size_t>(next - begin, streams_.size());
    fork(streams);
    for (std::size_t i = begin; i < next; ++i) {
      enqueue(plan_.order[i], streams_[plan_.stream[plan_.order[i]]].get());
    }
    join(streams);
    if (boundaries != nullptr) record((*boundaries)[level + 1], origin(), event_flags);
  }
}

template <class T>
void ScheduleRunner<T>::enqueue_by_readiness() const {
  fork(streams_.size());
  for (const std::uint32_t id : plan_.order) {
    const cudaStream_t stream = streams_[plan_.stream[id]].get();
    for (const ValueId operand : {schedule_.combines[id].earlier, schedule_.combines[id].later}) {
      if (operand < schedule_.length) continue;
      const std::size_t producer = operand - schedule_.length;
      if (plan_.stream[producer] != plan_.stream[id]) wait(stream, done_[producer]);
    }
    enqueue(id, stream);
    if (done_[id] != nullptr) record_order(done_[id], stream);
  }
  join(streams_.size());
}

template <class T>
void ScheduleRunner<T>::enqueue_in_sequence(const std::vector<Event>& boundaries, unsigned event_flags) const {
  record(boundaries.front(), origin(), event_flags);
  for (std::size_t id = 0; id < ops_.size(); ++id) {
    enqueue(id, origin());
    record(boundaries[id + 1], origin(), event_flags);
  }
}

template <class T>
void ScheduleRunner<T>::replay(const Replay& work) const {
  work.launch();
  cuda_check(cudaStreamSynchronize(origin()), "cudaStreamSynchronize after an iteration");
}

template <class T>
void ScheduleRunner<T>::enqueue_iteration(unsigned event_flags) const {
  record(start_, origin(), event_flags);
  options_.execution == Execution::level ? enqueue_by_level(nullptr, event_flags) : enqueue_by_readiness();
  record(stop_, origin(), event_flags);
}

template <class T>
std::vector<double> ScheduleRunner<T>::intervals(const Replay& work, const std::vector<Event>& boundaries,
                                                 std::size_t repetitions) const {
  const auto once = [&] {
    replay(work);
    std::vector<double> sample;
    for (std::size_t i = 1; i < boundaries.size(); ++i) {
      sample.push_back(seconds_between(boundaries[i - 1], boundaries[i]));
    }
    return sample;
  };
  const auto total = [](const std::vector<double>& sample) {
    return std::accumulate(sample.begin(), sample.end(), 0.0);
  };
  return medians(repeat({repetitions}, once, total));
}

template <class T>
void ScheduleRunner<T>::measure(Measurement& measurement) {
  const bool by_level = options_.execution == Execution::level;
  whole_.emplace(
      origin(), [this](unsigned flags) { enqueue_iteration(flags); }, measurement.notes);
  const auto iterate = [&] {
    replay(*whole_);
    return Iteration{seconds_between(start_, stop_), {}, {}};
  };
  measure_iterations(options_, iterate, measurement);
  const std::size_t detailed = std::min(measurement.repetitions, kMostDetailedRuns);
  double timing_s = 0;
  if (by_level) {
    const std::vector<Event> boundaries = timing_events(schedule_.levels + 1);
    const Replay levels(
        origin(), [&](unsigned flags) { enqueue_by_level(&boundaries, flags); }, measurement.notes);
    measurement.level_seconds = intervals(levels, boundaries, detailed);
    timing_s = timing_of_intervals(measurement);
    for (double& seconds : measurement.level_seconds) seconds = without(seconds, timing_s);
  }
  const std::vector<Event> boundaries = timing_events(ops_.size() + 1);
  const Replay sequence(
      origin(), [&](unsigned flags) { enqueue_in_sequence(boundaries, flags); }, measurement.notes);
  const std::vector<double> op_seconds = intervals(sequence, boundaries, detailed);
  for (std::size_t id = 0; id < op_seconds.size(); ++id)
    measurement.ops[id].seconds = without(op_seconds[id], timing_s);
}

template <class T>
void ScheduleRunner<T>::run_again() const {
  replay(*whole_);
}

template class ScheduleRunner<float>;
template class ScheduleRunner<double>;

}  // namespace upsweep::kernels
