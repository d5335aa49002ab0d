#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>

#include "compared_schedules.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/profile/homogeneous_schedule.hpp"
#include "upsweep/scan/schedule_name.hpp"
#include "upsweep/search/chain_search.hpp"
#include "upsweep/search/counted_schedule.hpp"
#include "upsweep/search/depth.hpp"
#include "upsweep/search/stacked_search.hpp"

namespace upsweep {
namespace {

/// Events of a simulation by closed forms, about.
constexpr std::uint64_t kMostEvents = 1 << 14;

/// 1 of a network that is no stack of layers.
std::uint64_t layers_of(const PassRecord& record) {
  const std::size_t comma = record.network.find(", ");
  unsigned layers = 1;
  if (comma != std::string::npos && std::sscanf(record.network.c_str() + comma, ", %u layers", &layers) != 1) return 0;
  return layers;
}

/// As the command ran.
SearchOptions options_of(const PassRecord& record) {
  SearchOptions options = options_of(*record.search);
  options.workers = record.workers;
  options.value_bytes = record.value_bytes;
  return options;
}

std::uint32_t depth_of(const ScheduleRequest& hybrid) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(hybrid.parameter, std::numeric_limits<std::uint32_t>::max()));
}

/// One schedule over a chain of a recurrent model: by closed forms, or combine by combine.
class ChainSchedule {
 public:
  ChainSchedule(const HomogeneousChain& chain, const std::string& name, unsigned value_bytes) {
    const ScheduleRequest request = parse_schedule(name);
    if (request.scheme->is_hybrid) {
      closed_ = profile_homogeneous(chain, depth_of(request), value_bytes);
      counts_ = counted(closed_);
      effort_ = std::min(closed_.all.ops, kMostEvents);
    } else {
      if (chain.elements > kMostSchemeElements) throw std::invalid_argument("no search has such a scheme");
      listed_ = profile_homogeneous_schedule(make_schedule(request, chain.length()), chain, value_bytes);
      counts_ = counted(listed_, value_bytes);
      effort_ = listed_.ops.size();
    }
  }
  ChainSchedule(const ChainSchedule&) = delete;
  ChainSchedule& operator=(const ChainSchedule&) = delete;

  [[nodiscard]] const CountedSchedule& counts() const { return *counts_; }
  [[nodiscard]] std::uint64_t effort() const { return effort_; }

 private:
  HomogeneousProfile closed_;
  ScheduleProfile listed_;
  std::unique_ptr<CountedSchedule> counts_;
  std::uint64_t effort_ = 0;
};

/// The passes of a record that fit, plain back-propagation first.
std::vector<std::string> methods_of(const PassRecord& record) {
  std::vector<std::string> methods;
  if (record.passes.front().method != "linear") methods.emplace_back("linear");  // beside a profile
  for (const PassRow& row : record.passes) {
    if (!row.failure) methods.push_back(row.method);
  }
  return methods;
}

void require_stored_flops(const PassRecord& record, const std::string& method, std::uint64_t flops) {
  const auto row = std::ranges::find(record.passes, method, &PassRow::method);
  if (row != record.passes.end() && row->flops != static_cast<double>(flops))
    throw std::invalid_argument("passes have other FLOPs than their methods");
}

std::optional<Overtakes> chain_overtakes(const PassRecord& record, const HomogeneousChain& chain,
                                         const SearchOptions& options) {
  const auto is_scheme = [](const PassRow& row) { return !parse_schedule(row.method).scheme->is_hybrid; };
  if (record.command == "search") {
    return search_chain(chain, options, std::ranges::any_of(record.passes, is_scheme) ? kMostSchemeElements : 0)
        .overtakes;
  }
  std::vector<HomogeneousProfile> profiles;
  for (const std::string& method : methods_of(record))
    profiles.push_back(profile_homogeneous(chain, depth_of(parse_schedule(method)), options.value_bytes));
  std::vector<std::unique_ptr<CountedSchedule>> schedules;
  for (const HomogeneousProfile& profile : profiles) schedules.push_back(counted(profile));
  return compare_schedules(schedules, options, record.workers).overtakes;
}

ComparedSchedules compared_chain(const PassRecord& record) {
  const HomogeneousChain chain =
      record.is_fused ? fused_chain(record.hidden, record.steps) : unfused_chain(record.hidden, record.steps);
  const SearchOptions options = options_of(record);
  ComparedSchedules compared;
  compared.execution = options.execution;
  if (record.command == "profile") compared.scan = record.passes.back().method;
  for (const std::string& method : methods_of(record)) {
    const auto schedule = std::make_shared<const ChainSchedule>(chain, method, options.value_bytes);
    const CountedSchedule& counts = schedule->counts();
    const Totals totals = counts.sums(options.scope, false).totals;
    require_stored_flops(record, method, totals.flops);
    const bool is_plain = compared.schedules.empty() || totals.ops == compared.schedules.front().ops;
    compared.schedules.push_back({method, is_plain, 1, totals.ops, schedule->effort(), counts.shared(options.scope),
                                  whole_makespan(std::shared_ptr<const CountedSchedule>(schedule, &counts), options)});
  }
  const std::optional<Overtakes> overtakes = chain_overtakes(record, chain, options);
  if (!overtakes) throw std::invalid_argument("there are no scans");
  compared.overtakes = *overtakes;
  return compared;
}

ComparedSchedules compared_stack(const PassRecord& record, std::uint64_t layers) {
  const StackedShape shape{layers, record.steps, record.hidden};
  std::set<std::string> names;
  for (const PassRow& row : record.passes) names.insert(row.method);
  std::vector<StackedMethod> methods = stacked_methods(shape);
  std::erase_if(methods, [&](const StackedMethod& method) { return !names.contains(to_string(method)); });
  const auto result = std::make_shared<const StackedSearchResult>(compare_stacked(shape, methods, options_of(record)));
  if (!result->overtakes) throw std::invalid_argument("there are no scans");
  ComparedSchedules compared{"the wavefront", "", 1, Execution::level, {}, *result->overtakes};
  for (std::size_t i = 0; i < result->profiles.size(); ++i) {
    const Candidate& candidate = result->candidates[i];
    const StackedProfile& profile = result->profiles[i];
    require_stored_flops(record, candidate.schedule, profile.flops);
    if (!candidate.feasible) continue;
    compared.schedules.push_back(
        {candidate.schedule, candidate.is_plain, 1, candidate.totals.ops, 0, shared_work(profile),
         [result, i](std::uint64_t workers) { return stacked_makespan(result->profiles[i], workers).flops; }});
  }
  return compared;
}

}  // namespace

std::optional<ComparedSchedules> compared_schedules(const PassRecord& record) {
  if (!record.search || record.search->objective != to_string(Objective::time)) return std::nullopt;
  // Of a device: in its seconds.
  if (!record.machine.empty() || record.hidden == 0 || record.steps == 0 || record.passes.empty()) return std::nullopt;
  const std::uint64_t layers = layers_of(record);
  ComparedSchedules compared = layers == 1 ? compared_chain(record) : compared_stack(record, layers);
  compared.workers = record.workers;
  return compared;
}

}  // namespace upsweep
