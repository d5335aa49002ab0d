#include "feasible_on.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

Json feasible_on_json(const ScheduleProfile& schedule, const SearchResult& result, std::size_t i) {
  Json reasons = Json::object();
  for (const BackendEntry& backend : backends()) {
    if (!backend.can(Ability::networks)) continue;
    const std::string reason = reason_of(backend, schedule, result, i);
    reasons[backend.name] = reason.empty() ? Json() : Json(reason);
  }
  return reasons;
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
