#include "measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "child_process.hpp"
#include "cpu_time.hpp"
#include "upsweep/base/measuring.hpp"

namespace upsweep::bench {
namespace {

std::uint64_t nanoseconds_of(const Task& task) {
  return static_cast<std::uint64_t>(seconds_of([&] { task.run(); }) * 1e9);
}

}  // namespace

Measured measure(const Case& item) {
  const ChildResult result = run_in_child([&] {
    const Task task = item.prepare();
    const auto checked_run = [&] {
      const std::uint64_t time = nanoseconds_of(task);
      check_equal(item.name, task.counts(), item.expected);
      return time;
    };
    for (std::size_t i = 0; i < item.warm_ups; ++i) checked_run();
    std::vector<std::uint64_t> times;
    const CpuTime start = cpu_time_now();
    for (std::size_t i = 0; i < item.repetitions; ++i) times.push_back(checked_run());
    times.push_back(static_cast<std::uint64_t>(cores_of_others(start, cpu_time_now()) * 1000));
    return times;
  });
  Measured measured;
  measured.name = item.name;
  measured.peak_bytes = result.peak_bytes;
  if (result.out_of_memory) {
    measured.skipped = "memory ran out";
    return measured;
  }
  std::vector<std::uint64_t> times = result.values;
  measured.others = static_cast<double>(times.back()) / 1000;
  times.pop_back();
  measured.median = median({times.begin(), times.end()}) * 1e-9;
  measured.min = static_cast<double>(*std::min_element(times.begin(), times.end())) * 1e-9;
  measured.repetitions = times.size();
  return measured;
}

Counts counts_in_child(const std::function<Task()>& prepare) {
  ChildResult result = run_in_child([&] {
    const Task task = prepare();
    task.run();
    return task.counts();
  });
  if (result.out_of_memory) throw std::runtime_error("memory ran out while the implementations were compared");
  return std::move(result.values);
}

void check_equal(const std::string& what, const Counts& counts, const Counts& expected) {
  if (counts.size() != expected.size()) {
    throw std::runtime_error(fmt::format("{}: {} counts, expected {}", what, counts.size(), expected.size()));
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == expected[i]) continue;
    throw std::runtime_error(fmt::format("{}: count {} is {}, expected {}", what, i, counts[i], expected[i]));
  }
}

}  // namespace upsweep::bench
