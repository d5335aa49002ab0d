#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <vector>

#include "trace_events.hpp"
#include "upsweep/document/short_text.hpp"
#include "upsweep/report/step_memory.hpp"
#include "upsweep/trace/trace.hpp"

namespace upsweep {
namespace {

// Finer than readers count, as units of a file may be large: what they round down stays in order.
constexpr unsigned kTaskDecimals = 6;
constexpr double kTaskTicks = 1e6;

/// A task with its times in ticks.
struct TimedTask {
  const TrainingTask* task;
  std::uint64_t start;
  std::uint64_t end;
};

/// Tasks of one resource.
struct ResourceTasks {
  std::string name;
  std::vector<TimedTask> tasks;
};

std::uint64_t task_ticks(double time, bool is_in_seconds) {
  const double ticks = std::nearbyint(time * (is_in_seconds ? 1e6 : 1) * kTaskTicks);
  if (!(ticks >= 0 && ticks < 0x1p63)) throw std::invalid_argument(fmt::format("a task at time {}", time));
  return static_cast<std::uint64_t>(ticks);
}

/// Resources in the order in which their first tasks stand in the record.
std::vector<ResourceTasks> tasks_by_resource(const TrainingRecord& record, std::uint32_t variant) {
  std::vector<ResourceTasks> resources;
  std::map<std::string, std::size_t> places;
  for (const TrainingTask& task : record.tasks) {
    if (task.variant != variant) continue;
    const auto [place, is_new] = places.try_emplace(task.resource, resources.size());
    if (is_new) resources.push_back({task.resource, {}});
    const std::uint64_t start = task_ticks(task.start, record.is_in_seconds);
    const std::uint64_t end = std::max(start, task_ticks(task.end, record.is_in_seconds));
    resources[place->second].tasks.push_back({&task, start, end});
  }
  for (ResourceTasks& resource : resources) {
    std::stable_sort(resource.tasks.begin(), resource.tasks.end(), [](const TimedTask& a, const TimedTask& b) {
      return a.start != b.start ? a.start < b.start : a.end < b.end;
    });
  }
  return resources;
}

const char* kind_text(char kind) {
  switch (kind) {
    case 'F':
      return "forward";
    case 'O':
      return "gradient of the input";
    case 'W':
      return "gradient of the weights";
    case 'U':
      return "update";
    default:
      return "task";
  }
}

void write_task(TraceWriter& writer, std::uint64_t track, const TimedTask& timed, bool has_micro_batches) {
  const TrainingTask& task = *timed.task;
  const char* kind = kind_text(task.kind);
  const std::string micro_batch = has_micro_batches ? fmt::format(", micro-batch {}", task.micro_batch) : "";
  writer.event({track, timed.start}, timed.end - timed.start, task.is_transfer ? "transfer" : kind,
               fmt::format("{}{}, layer {}{}", task.is_transfer ? "transfer: " : "", kind, task.layer, micro_batch),
               fmt::format(R"({{"kind":"{}","layer":{},"micro_batch":{},"transfer":{}}})", kind, task.layer,
                           task.micro_batch, task.is_transfer));
}

/// Writes the tasks of a resource from track `next` on, and returns the track after them. Tasks that overlap, as
/// transfers do whose latencies pass at the same time, stand on tracks beside each other.
std::uint64_t write_resource(TraceWriter& writer, const ResourceTasks& resource, std::uint64_t next,
                             bool has_micro_batches) {
  std::vector<std::uint64_t> free_at;  // by track
  for (const TimedTask& timed : resource.tasks) {
    const auto fits = [&](std::uint64_t end) { return end <= timed.start; };
    const auto lane = std::find_if(free_at.begin(), free_at.end(), fits) - free_at.begin();
    const std::uint64_t track = next + static_cast<std::uint64_t>(lane);
    if (track == next + free_at.size()) {
      writer.name_track(track, free_at.empty() ? resource.name : fmt::format("{} ({})", resource.name, lane + 1));
      free_at.push_back(0);
    }
    free_at[static_cast<std::size_t>(lane)] = timed.end;
    write_task(writer, track, timed, has_micro_batches);
  }
  return next + free_at.size();
}

/// What the fullest device holds over time.
void write_memory(TraceWriter& writer, const TrainingRecord& record, std::uint32_t variant) {
  const char* unit = is_memory_in_bytes(record) ? "bytes" : "tensors";
  for (const StepMemory& entry : step_memory(record, variant)) {
    writer.counter("memory of the fullest device", unit, task_ticks(entry.from, record.is_in_seconds),
                   trace_number(entry.most));
  }
}

}  // namespace

std::string trace_json(const StoredTraining& training) {
  const TrainingRecord& record = training.record;
  if (record.tasks.empty()) throw std::invalid_argument("it has no tasks");
  std::set<std::uint32_t> variants;
  for (const TrainingTask& task : record.tasks) variants.insert(task.variant);
  const auto name_of = [&](std::uint32_t variant) {
    return variant < record.variants.size() ? record.variants[variant] : "";
  };
  Json names = Json::array();
  for (const std::uint32_t variant : variants) names.push_back(name_of(variant));
  TraceWriter writer(kTaskDecimals, {{"tool", "upsweep"},
                                     {"tool_version", record.tool_version},
                                     {"run", training.id},
                                     {"created_utc", training.created_utc},
                                     {"name", record.name},
                                     {"kind", record.kind},
                                     {"variant", name_of(record.best.value_or(*variants.begin()))},
                                     {"variants", std::move(names)},
                                     {"microsecond", record.is_in_seconds ? "1 us" : "1 unit of the file"},
                                     {"notes", {"Simulated, not measured."}}});
  const bool has_micro_batches = std::any_of(record.tasks.begin(), record.tasks.end(),
                                             [](const TrainingTask& task) { return task.micro_batch > 0; });
  std::uint64_t next = 1;
  for (const std::uint32_t variant : variants) {
    const std::string name = short_text(name_of(variant), 80);
    writer.name_process(fmt::format("{}{}{}{}", short_text(record.name, 80), name.empty() ? "" : ": ", name,
                                    variants.size() > 1 && record.best == variant ? " (best)" : ""));
    for (const ResourceTasks& resource : tasks_by_resource(record, variant))
      next = write_resource(writer, resource, next, has_micro_batches);
    write_memory(writer, record, variant);
  }
  return std::move(writer).finish();
}

}  // namespace upsweep
