#include "drawn_steps.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

namespace upsweep {
namespace {

constexpr std::size_t kMostResources = 64;     // of a step
constexpr std::size_t kMostRowsOfSteps = 128;  // of several steps, each with all its resources
constexpr std::size_t kMostSteps = 12;

/// Whether something takes time on a resource.
bool is_used(const TimelineRow& resource) {
  return std::any_of(resource.tasks.begin(), resource.tasks.end(),
                     [](const TrainingTask* task) { return task->end > task->start; });
}

/// Rows in the order of their names, numbers as numbers; links below the others.
std::vector<TimelineRow> resources_of(const TrainingRecord& record, std::uint32_t variant) {
  std::map<std::string, std::size_t> places;
  std::vector<TimelineRow> rows;
  for (const TrainingTask& task : record.tasks) {
    if (task.variant != variant || !(task.end >= task.start)) continue;
    const auto [at, is_new] = places.try_emplace(task.resource, rows.size());
    if (is_new) rows.push_back({task.resource, is_on_link(task), {}});
    rows[at->second].tasks.push_back(&task);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const TimelineRow& a, const TimelineRow& b) {
    return std::tuple(a.is_link, a.name.size(), a.name) < std::tuple(b.is_link, b.name.size(), b.name);
  });
  return rows;
}

}  // namespace

bool is_on_link(const TrainingTask& task) { return task.is_transfer || task.resource == "link"; }

std::vector<DrawnStep> drawn_steps(const TrainingRecord& record) {
  std::set<std::uint32_t> variants;
  for (const TrainingTask& task : record.tasks) {
    if (task.variant < record.variants.size()) variants.insert(task.variant);
  }
  std::vector<DrawnStep> steps;
  std::size_t rows = 0;
  for (const std::uint32_t variant : variants) {
    DrawnStep step;
    step.variant = variant;
    step.rows = resources_of(record, variant);
    step.unused = std::erase_if(step.rows, [](const TimelineRow& row) { return !is_used(row); });
    if (variants.size() > 1)
      std::erase_if(step.rows, [](const TimelineRow& row) { return row.tasks.front()->is_transfer; });
    for (const TimelineRow& row : step.rows) {
      for (const TrainingTask* task : row.tasks) step.end = std::max(step.end, task->end);
    }
    step.resources = step.rows.size();
    step.rows.resize(std::min(step.resources, kMostResources));
    rows += step.rows.size();
    if (step.end > 0) steps.push_back(std::move(step));
  }
  // A step is drawn with all its devices or not at all.
  while (steps.size() > kMostSteps || (steps.size() > 1 && rows > kMostRowsOfSteps)) {
    const auto last = record.best == steps.back().variant ? std::prev(steps.end(), 2) : std::prev(steps.end());
    rows -= last->rows.size();
    steps.erase(last);
  }
  for (DrawnStep& step : steps) step.memory = step_memory(record, step.variant);
  return steps;
}

}  // namespace upsweep
