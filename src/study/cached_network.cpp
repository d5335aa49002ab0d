#include "cached_network.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "upsweep/base/checked.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/scan/schedule_name.hpp"

namespace upsweep {

std::size_t scan_length(const Network& network) { return network.links().size() + 1; }

Analysis count_on_image(const Network& network, const Model& model, PatternKind pattern,
                        std::vector<Schedule> schedules) {
  require_pattern_memory(network, model.weights, available_memory(), form_for(pattern));
  return analyse({network, model.weights, model.sample ? &*model.sample : nullptr, model.value_bytes}, pattern,
                 std::move(schedules));
}

bool CachedNetwork::serves(std::span<const std::string> schedules) const {
  return analysis &&
         std::all_of(schedules.begin(), schedules.end(), [&](const std::string& name) { return names.contains(name); });
}

bool CachedNetwork::has_failed(std::span<const std::string> schedules) const {
  return failure && failure->schedules == ScheduleNameSet(schedules.begin(), schedules.end());
}

void CachedNetwork::throw_failure() const {
  if (failure->is_overflow) throw CountOverflow();
  throw InputError(failure->text);
}

void CachedNetwork::add(Analysis counted) {
  if (analysis) {
    std::vector<ScheduleProfile> all = analysis->schedules;
    std::move(counted.schedules.begin(), counted.schedules.end(), std::back_inserter(all));
    counted.schedules = std::move(all);
  }
  for (const ScheduleProfile& profile : counted.schedules) names.insert(profile.schedule.name);
  analysis = std::make_shared<const Analysis>(std::move(counted));
}

std::vector<Schedule> CachedNetwork::missing(const ScheduleNameSet& schedules, std::size_t length) const {
  std::vector<Schedule> list;
  ScheduleNameSet listed = names;
  const auto add = [&](const std::string& name) {
    if (listed.contains(name)) return;
    Schedule schedule = make_schedule(parse_schedule(name), length);
    if (listed.insert(schedule.name).second) list.push_back(std::move(schedule));
  };
  add("linear");
  for (const std::string& name : schedules) add(name);
  return list;
}

}  // namespace upsweep
