#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "candidates.hpp"
#include "sections.hpp"

namespace upsweep {

std::string RunGroup::id() const {
  switch (kind) {
    case Kind::search:
      return fmt::format("search-{}", *runs.front().search);
    case Kind::validation:
      return fmt::format("validation-{}", runs.front().id);
    case Kind::single:
      break;
  }
  return fmt::format("run-{}", runs.front().id);
}

std::string RunGroup::title() const {
  const std::string ids = runs.size() == 1 ? fmt::format("run {}", runs.front().id)
                                           : fmt::format("runs {} to {}", runs.front().id, runs.back().id);
  switch (kind) {
    case Kind::search:
      return fmt::format("Search {}: {}", *runs.front().search, ids);
    case Kind::validation:
      return fmt::format("Validation: {}", ids);
    case Kind::single:
      break;
  }
  return fmt::format("Run {}", runs.front().id);
}

Markup verdict_markup(const KeptVerdict& verdict) {
  constexpr std::size_t kMost = 4000;
  if (!verdict.text) {
    return Markup(
        "<p class=\"note\">An earlier version kept this without what it concluded: the command below says it "
        "again.</p>\n");
  }
  if (verdict.text->empty()) return {};
  std::string text = *verdict.text;
  std::ranges::replace(text, '\n', ' ');
  return Markup("<p class=\"verdict\">").text(shortened(text, kMost)).add("</p>\n");
}

std::vector<RunGroup> groups_of(const StoreReader& store, std::vector<StoredRun> runs) {
  std::map<std::int64_t, std::size_t> places;  // by command
  std::vector<RunGroup> groups;
  for (StoredRun& run : runs) {
    const auto [place, is_new] = places.emplace(run.command_id, groups.size());
    if (!is_new) {
      groups[place->second].runs.push_back(std::move(run));
      continue;
    }
    RunGroup group;
    group.kind = run.search                  ? RunGroup::Kind::search
                 : run.command == "validate" ? RunGroup::Kind::validation
                                             : RunGroup::Kind::single;
    if (run.search) group.search = store.search(*run.search);
    if (run.machine) group.machine = store.machine(*run.machine);
    group.verdict = store.verdict_of(run.command_id);
    group.runs.push_back(std::move(run));
    groups.push_back(std::move(group));
  }
  for (RunGroup& group : groups) {
    std::sort(group.runs.begin(), group.runs.end(), [](const StoredRun& a, const StoredRun& b) { return a.id < b.id; });
    if (group.kind == RunGroup::Kind::search && !group.search) group.kind = RunGroup::Kind::single;
  }
  return groups;
}

SectionEntry entry_of(const RunGroup& group) {
  const StoredRun* shown = nullptr;
  if (group.search) shown = best_of(*group.search, group.runs);
  const bool has_best = shown != nullptr;
  if (!has_best) shown = &group.runs.front();
  const StoredRun& run = *shown;
  SectionEntry entry;
  entry.verdict = group.verdict;
  entry.number = group.runs.back().id;
  entry.id = group.id();
  entry.title = group.title();
  entry.created_utc = run.created_utc;
  entry.what = group.runs.size() == 1 ? run.command : fmt::format("{}, {} schedules", run.command, group.runs.size());
  entry.model = run.model;
  entry.schedule = group.runs.size() == 1 || has_best ? run.schedule : "";
  const bool fits = !group.search || has_best;
  entry.workers = run.workers;
  entry.tool_version = run.tool_version;
  entry.parameters = run.parameters;
  entry.content_hash = run.model_hash;
  entry.rule = run.rule.value_or("");
  if (group.machine) {
    entry.machine = machine_text_of(*group.machine);
    entry.machine_name = group.machine->name;
  }
  if (!fits) entry.schedule = group.search->best_schedule || group.search->best_depth ? "deleted" : "none fits";
  if (fits && !entry.schedule.empty()) {
    entry.is_exact = run.is_exact;
    entry.flops = run.flops;
    entry.bytes = run.peak_live_bytes;
    const bool is_level = group.search && group.search->execution == "level";
    entry.predicted_s = is_level ? run.predicted_level_s : run.predicted_dag_s;
  }
  return entry;
}

SectionEntry entry_of(const StoredPasses& passes) {
  const PassRecord& record = passes.record;
  SectionEntry entry;
  entry.number = passes.id;
  entry.id = fmt::format("run-{}", passes.id);
  entry.title = fmt::format("Run {}", passes.id);
  entry.created_utc = passes.created_utc;
  entry.what =
      record.passes.size() == 1 ? record.command : fmt::format("{}, {} methods", record.command, record.passes.size());
  entry.model = record.model;
  entry.workers = record.workers;
  entry.tool_version = record.tool_version;
  entry.parameters = record.parameters;
  entry.content_hash = record.content_hash;
  if (!record.machine.empty()) entry.machine = fmt::format("predictions for {}", shortened(record.machine));
  entry.machine_name = record.machine.empty() ? record.device : record.machine;
  if (!record.device.empty()) {
    entry.machine += fmt::format("{}ran on {}", entry.machine.empty() ? "" : "; ", shortened(record.device));
    if (!record.driver.empty()) entry.machine += fmt::format(", {}", shortened(record.driver));
  }
  entry.verdict = record.verdict;
  const PassRow* best = best_of(record);
  if (best == nullptr) return entry;
  entry.schedule = best->method;
  entry.flops = best->flops;
  entry.bytes = best->bytes;
  if (best->predicted) entry.predicted_s = best->predicted->total();
  if (best->measured) entry.measured_s = best->measured->total();
  return entry;
}

SectionEntry entry_of(const StoredTraining& training) {
  const TrainingRecord& record = training.record;
  SectionEntry entry;
  entry.number = training.id;
  entry.id = fmt::format("run-{}", training.id);
  entry.title = fmt::format("Run {}", training.id);
  entry.created_utc = training.created_utc;
  entry.verdict = record.verdict;
  entry.what =
      fmt::format("training step, {} variant{}", record.variants.size(), record.variants.size() == 1 ? "" : "s");
  entry.model = record.name;
  entry.workers = record.devices;
  if (record.best && *record.best < record.variants.size()) entry.schedule = record.variants[*record.best];
  if (record.is_in_seconds) entry.predicted_s = record.best_makespan;
  entry.tool_version = record.tool_version;
  entry.parameters = record.parameters;
  entry.content_hash = record.content_hash;
  entry.machine_name = record.machine;
  for (const std::string& part : {record.machine, record.link, record.kernels}) {
    if (!part.empty()) entry.machine += fmt::format("{}{}", entry.machine.empty() ? "" : ", ", shortened(part));
  }
  return entry;
}

SectionEntry entry_of(const StoredAnchors& anchors) {
  const AnchorRecord& record = anchors.record;
  SectionEntry entry;
  entry.number = anchors.id;
  entry.id = fmt::format("run-{}", anchors.id);
  entry.title = fmt::format("Run {}", anchors.id);
  entry.created_utc = anchors.created_utc;
  entry.what = fmt::format("published times, {} rows", record.report.points.size());
  entry.model = record.files;
  entry.tool_version = record.tool_version;
  entry.parameters = record.parameters;
  entry.content_hash = record.content_hash;
  return entry;
}

SectionEntry entry_of(const StoredStudy& study) {
  SectionEntry entry;
  entry.number = study.id;
  entry.id = fmt::format("study-{}", study.id);
  entry.title = fmt::format("Study {}", study.id);
  entry.created_utc = study.created_utc;
  entry.what = fmt::format("study, {} points", study.points);
  entry.verdict = study.verdict;
  entry.model = study.name;
  entry.tool_version = study.tool_version;
  entry.parameters = study.parameters;
  entry.content_hash = study.content_hash;
  entry.rule = study.rule;
  return entry;
}

}  // namespace upsweep
