#include "simulated_run.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "upsweep/report/replayed_run.hpp"

namespace upsweep {
namespace {

std::size_t workers_used(const Timeline& timeline) {
  std::size_t used = 0;
  for (const TimelineEntry& entry : timeline.entries) used = std::max(used, entry.worker + 1);
  return used;
}

}  // namespace

std::optional<SimulatedRun> simulated_run(const RunDetails& run) {
  try {
    ReplayedRun replayed = replayed_run(run);
    SimulatedRun simulated;
    simulated.longest = longest_chain(replayed);
    simulated.execution = replayed.execution;
    simulated.runs = std::move(replayed.runs);
    simulated.inputs = replayed.inputs;
    simulated.timeline = std::move(replayed.timeline);
    if (simulated.timeline.makespan == 0) return std::nullopt;
    simulated.workers = workers_used(simulated.timeline);
    return simulated;
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

}  // namespace upsweep
