#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "upsweep/base/laps.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/sim/pram_simulation.hpp"

// Time and memory of simulate() by the number of ops. One case a process, so that its peak of memory is its own:
// upsweep_simulator_bench OPS WORKERS level|dag prints a JSON object.

namespace {

using upsweep::Execution;

/// Costs as products have them: most small, some a thousand times as large.
std::vector<std::uint64_t> random_costs(std::size_t ops) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> costs(ops);
  for (std::uint64_t& cost : costs) cost = std::uint64_t{1} << (random() % 10);
  return costs;
}

/// Of this program alone: what getrusage() says includes the process that started it.
std::uint64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string key; status >> key;) {
    std::uint64_t kibibytes = 0;
    if (key == "VmHWM:" && status >> kibibytes) return kibibytes * 1024;
  }
  return 0;
}

int run(std::size_t ops, std::size_t workers, Execution execution) {
  const upsweep::Schedule schedule = upsweep::blelloch_schedule(ops / 2 + 2);
  const std::vector<std::uint64_t> costs = random_costs(schedule.combines.size());
  const std::vector<bool> runs(costs.size(), true);
  const std::size_t rounds = std::max<std::size_t>(1, 1'000'000 / costs.size());
  double best = 0;
  std::uint64_t makespan = 0;
  for (int repetition = 0; repetition < 3; ++repetition) {
    upsweep::Laps laps;
    for (std::size_t round = 0; round < rounds; ++round)
      makespan = upsweep::simulate(schedule, costs, runs, workers, execution).makespan;
    const double seconds = laps.lap() / static_cast<double>(rounds);
    best = repetition == 0 ? seconds : std::min(best, seconds);
  }
  fmt::print(
      "{{\"ops\": {}, \"workers\": {}, \"execution\": \"{}\", \"seconds\": {}, \"peak_bytes\": {}, \"makespan\": "
      "{}}}\n",
      costs.size(), workers, execution == Execution::dag ? "dag" : "level", best, peak_bytes(), makespan);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: upsweep_simulator_bench OPS WORKERS level|dag\n");
    return 2;
  }
  return run(std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10),
             std::string(argv[3]) == "dag" ? Execution::dag : Execution::level);
}
