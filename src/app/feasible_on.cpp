#include "feasible_on.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "upsweep/base/checked.hpp"
#include "upsweep/devices/registry.hpp"

namespace upsweep {
namespace {

/// Why a backend cannot run a candidate; empty where nothing speaks against it.
std::string reason_of(const BackendEntry& backend, const ScheduleProfile& schedule, const SearchResult& result,
                      std::size_t i) {
  return cannot_run_reason(backend, largest_counts(schedule, result.options.scope),
                           ceil_div(result.at(i).pram.peak_live_bytes, result.inputs), result.options.machine);
}

}  // namespace

std::vector<CandidateField> feasible_on_fields(const std::vector<ScheduleProfile>& schedules,
                                               const SearchResult& result) {
  std::vector<CandidateField> fields;
  for (const BackendEntry& backend : backends()) {
    if (!backend.can(Ability::networks)) continue;
    fields.emplace_back("feasible_on/" + backend.name, std::nullopt, Unit::text, [&](const CandidateRow& row) {
      if (row.counted == nullptr) return Value();
      return Value::unless_empty(reason_of(backend, schedules[row.place], result, row.place));
    });
  }
  return fields;
}

Json feasible_on_json(const std::vector<ScheduleProfile>& schedules, const SearchResult& result) {
  const std::size_t last = result.size() - 1;
  const std::vector<CandidateRow> row = {{&result.at(last), nullptr, last}};
  return Table("", row, feasible_on_fields(schedules, result)).object(0).at("feasible_on");
}

Json feasible_on_leaves_out_json() {
  Json left_out = Json::object();
  for (const BackendEntry& backend : backends()) {
    if (backend.can(Ability::networks) && !backend.limits.leaves_out.empty())
      left_out[backend.name] = backend.limits.leaves_out;
  }
  return left_out;
}

std::string cannot_run_text(const std::vector<ScheduleProfile>& schedules, const SearchResult& result) {
  std::string text;
  for (const BackendEntry& backend : backends()) {
    if (!backend.can(Ability::networks)) continue;
    std::vector<std::string> names;
    std::string first;
    for (std::size_t i = 0; i < result.size(); ++i) {
      const std::string reason = reason_of(backend, schedules[i], result, i);
      if (reason.empty()) continue;
      names.push_back(result.at(i).schedule);
      if (first.empty()) first = reason;
    }
    if (!names.empty())
      text += fmt::format("{} cannot run {}: {} has {}.\n", backend.name, fmt::join(names, ", "), names.front(), first);
  }
  return text;
}

}  // namespace upsweep
