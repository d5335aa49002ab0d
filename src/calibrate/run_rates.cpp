#include "run_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "upsweep/base/measuring.hpp"
#include "upsweep/calibrate/calibrate.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/sim/predict.hpp"

namespace upsweep {
namespace {

RunOptions run_options(std::size_t workers) {
  RunOptions options;
  options.workers = workers;
  options.repetitions = 3;
  options.min_seconds = 0.03;
  options.keep_results = false;
  return options;
}

}  // namespace

template <class T>
double run_seconds(const Backend& backend, SyntheticRun<T>& run, std::size_t workers) {
  RunOptions options = run_options(workers);
  options.keep_plan = true;
  options.plan = run.plan;
  const Measurement measurement = run_guarded(backend, run.schedule, run.chain, options);
  run.plan = measurement.plan;
  if (measurement.workers != workers) {
    throw BackendError(fmt::format("{}: {} of {} workers took part, a calibration needs all of them", backend.name(),
                                   measurement.workers, workers));
  }
  return measurement.seconds;
}

double middle_seconds(double first, const std::function<double()>& again) {
  const double second = again();
  const auto [less, more] = std::minmax(first, second);
  if (more < 1.2 * less) return std::sqrt(less * more);
  return std::clamp(again(), less, more);
}

double measure_latencies(const Backend& backend, MachineKind kind, Rates& rates) {
  constexpr std::size_t kMany = 64;
  const auto run = [&](std::size_t levels, std::size_t width) {
    SyntheticRun<float> empty_ops = make_latency_run<float>(levels, width);
    return run_seconds(backend, empty_ops, rates.workers);
  };
  if (kind == MachineKind::gpu) {         // one kernel after the other has no barrier: see launch_costs()
    constexpr double kWarmSeconds = 0.5;  // an idle device takes a while to its full clock
    for (const double start = now_seconds(); now_seconds() - start < kWarmSeconds;) static_cast<void>(run(kMany, 1));
    const double one = run(1, 1);
    rates.op_latency_s = std::max(0.0, run(kMany, 1) - one) / (kMany - 1);
    const double two = run(1, std::min<std::size_t>(2, rates.workers));
    rates.level_latency_s = std::max(0.0, two - one);
    if (rates.workers > 2) {
      rates.stream_latency_s = std::max(0.0, run(1, rates.workers) - two) / static_cast<double>(rates.workers - 2);
    }
    return std::max(0.0, one - rates.op_latency_s);
  }
  const double chain = run(kMany, 1);
  const auto workers = static_cast<double>(rates.workers);
  const double single = chain / kMany;
  const double wide = run(1, kMany) / kMany;  // the workers share its ops
  // A level of one op takes both latencies.
  rates.op_latency_s = wide * workers;
  rates.level_latency_s = std::max(0.0, single - rates.op_latency_s);
  return 0;
}

CacheEdge measured_edge(const Backend& backend, const DeviceFacts& facts, std::uint64_t cache_bytes,
                        std::size_t workers) {
  constexpr std::uint64_t kMatrixBytes = kStreamRows * kStreamRows * (sizeof(float) + sizeof(Index));
  // The near caches of many workers may hold more than a quarter of the last one.
  const std::uint64_t beyond_near = std::min(4 * facts.near_cache_bytes * workers, cache_bytes / 4);
  const auto least = std::max<std::size_t>(2, beyond_near / kMatrixBytes);
  const std::size_t most = std::max<std::size_t>(4 * least, 4 * cache_bytes / kMatrixBytes);
  std::map<std::pair<std::size_t, std::size_t>, ReadTime> fastest;  // by matrices and pauses
  CacheEdge edge;
  constexpr int kMostPasses = 6;
  const auto is_settled = [&] { return edge.outside != 0 && edge.error <= kDisturbed; };
  for (int pass = 0; pass < kMostPasses && (pass < 2 || !is_settled()); ++pass) {
    NumericChain<float> chain = make_stream_chain(most);
    const auto read = [&](std::size_t matrices, std::size_t pauses) {
      chain.structure.jacobians.resize(matrices + 2);
      chain.values.resize(matrices + 2);
      const Measurement run = run_guarded(backend, stream_schedule(matrices, pauses), chain, run_options(workers));
      if (run.level_seconds.size() != matrices + pauses) return;  // a backend that does not time its levels
      const double seconds = std::accumulate(run.level_seconds.begin() + static_cast<std::ptrdiff_t>(pauses),
                                             run.level_seconds.end(), 0.0);
      const std::uint64_t bytes = matrices * kMatrixBytes;
      const ReadTime time{bytes, run.seconds, seconds / static_cast<double>(bytes)};
      const auto [known, is_new] = fastest.emplace(std::pair(matrices, pauses), time);
      if (!is_new && time.byte_s < known->second.byte_s) known->second = time;
    };
    for (std::size_t matrices = most; matrices >= least; matrices = matrices * 4 / 5) read(matrices, 0);
    for (std::size_t pauses = 1; pauses <= 32; pauses *= 2) read(least, pauses);
    std::vector<ReadTime> times;
    for (const auto& [of, known] : fastest) times.push_back(known);
    if (times.empty()) break;
    edge = cache_edge(times);
  }
  return edge;
}

void set_cache(Machine& machine, const CacheEdge& edge, std::uint64_t whole_cache) {
  if (edge.outside == 0) {
    machine.cache_bytes = std::min(machine.cache_bytes, kMostUnseenCache);
    return;
  }
  machine.cache_bytes = std::min(edge.inside, whole_cache);
  machine.from_memory_bytes = edge.outside;
  machine.churn_bytes_per_s = edge.churn_bytes_per_s;
}

template <class T>
void measure_latency(const Backend& backend, Machine& machine, std::uint64_t bytes, double Rates::*latency) {
  const SyntheticRun<T> run = make_cold_run<T>(bytes);
  const ScheduleProfile profile = profile_schedules({run.schedule}, run.chain.structure, sizeof(T)).front();
  for (Rates& rates : machine.rates) rates.*latency = 0;
  std::vector<double> found;
  for (const Rates& rates : machine.rates) {
    const Measurement measured = run_guarded(backend, run.schedule, run.chain, run_options(rates.workers));
    const std::vector<double> predicted =
        predict_time(profile, machine, rates.workers, Execution::level, sizeof(T)).level_seconds;
    std::vector<double> more;
    for (std::size_t level = 0; level < measured.level_seconds.size(); level += 2)  // the diagonals
      more.push_back(measured.level_seconds[level] - predicted[level]);
    if (more.empty()) more.push_back(0);  // a backend that does not time its levels
    const auto middle = more.begin() + static_cast<std::ptrdiff_t>(more.size() / 2);
    std::ranges::nth_element(more, middle);
    found.push_back(std::max(0.0, *middle));
  }
  for (std::size_t i = 0; i < found.size(); ++i) machine.rates[i].*latency = found[i];
}

template double run_seconds<float>(const Backend&, SyntheticRun<float>&, std::size_t);
template double run_seconds<double>(const Backend&, SyntheticRun<double>&, std::size_t);
template void measure_latency<float>(const Backend&, Machine&, std::uint64_t, double Rates::*);
template void measure_latency<double>(const Backend&, Machine&, std::uint64_t, double Rates::*);

}  // namespace upsweep
