#include "upsweep/report/step_memory.hpp"

#include <algorithm>
#include <map>

namespace upsweep {

std::vector<StepMemory> step_memory(const TrainingRecord& record, std::uint32_t variant) {
  std::map<std::uint64_t, StepMemory> entries;
  for (const TrainingFigure& figure : record.figures) {
    if (figure.variant != variant || !figure.index) continue;
    if (figure.name == "memory_from") entries[*figure.index].from = figure.value;
    if (figure.name == "memory_most") entries[*figure.index].most = figure.value;
  }
  std::vector<StepMemory> memory;
  for (const auto& [index, entry] : entries) memory.push_back(entry);
  return memory;
}

bool is_memory_in_bytes(const TrainingRecord& record) {
  return std::ranges::any_of(record.figures,
                             [](const TrainingFigure& figure) { return figure.name == "memory_bytes"; });
}

}  // namespace upsweep
